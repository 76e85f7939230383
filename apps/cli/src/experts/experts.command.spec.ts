import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Evaluation, encodeEvent, type OffsetRange, type Problem, TOPIC } from '@seamstream/events';
import { compareText, newId } from '@seamstream/kernel';
import { encodeAdapter, encodePeft } from '@seamstream/language-model';
import { packExpert, unpackExpert } from '@seamstream/operations/experts';
import { eventsOf } from '@seamstream/testing';
import { evaluatedByPerson, evaluationOf } from '@seamstream/testing/promotion-log';
import { all, explored, FORGERIES } from '@seamstream/testing/result-log';
import { CONFIG, smallAdapter, smallBaseModel } from '../adapters/small-adapters.fake.js';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let folder: string;
let world: FakeWorld;
let adapter: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'experts-'));
  world = await worldWithBase();
  adapter = await putAdapter();
});
afterEach(() => rm(folder, { recursive: true }));

describe('seam experts export', () => {
  it('writes one archive with adapter, templates, history, configuration, evaluations, edits and problems', async () => {
    await world.seam('experts', 'export', adapter, '--to', 'herbs.tar', '--name', 'herbs');
    expect(world.takeOutput()).toMatch(/^wrote expert herbs [0-9a-f]{8} to herbs\.tar \(.*\): adapter .*, 1 version, /);
    const { files } = await unpackExpert(world.files.get('herbs.tar')!);
    expect([...files.keys()]).toEqual([
      'adapter/adapter_config.json',
      'adapter/adapter_model.safetensors',
      'configuration.json',
      'edits.jsonl',
      'evaluation.json',
      'expert.json',
      'history.json',
      'problems.jsonl',
      'templates/generator.txt',
    ]);
  });

  it('carries the entries that helped in what the adapter learned from, with their problems, and no forged ones', async () => {
    const [one, two, later] = ['p-1', 'p-2', 'p-3'].map((id) => explored(problemOf(id), { solved: [1] }));
    // Of an edit that was not written: the passage alone helped.
    const unwritten = explored(problemOf('p-4'), { solved: [0], entryOf: () => '' });
    const forged = FORGERIES['with another reference']!(two!.outcomes[0]!, one!.outcomes[0]!);
    await world.log.append(
      [...all(one!), ...all(two!), ...all(unwritten), { ...forged, success: true, reward: 1 } as typeof forged].map(
        encodeEvent,
      ),
    );
    const inputs = (await world.log.watermarks(TOPIC.outcomes)).map(({ partition, low, high }) => ({
      ...{ topic: TOPIC.outcomes, partition, from: low, to: high },
    }));
    await world.log.append(all(later!).map(encodeEvent));
    const trained = await putTrained(inputs);
    expect(await world.seam('experts', 'export', trained, '--to', 'herbs.tar')).toBe(0);
    const { files } = await unpackExpert(world.files.get('herbs.tar')!);
    const linesOf = (name: string): unknown[] =>
      Buffer.from(files.get(name)!)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    const byProblem = (lines: unknown[]): unknown[] =>
      (lines as { readonly problemId: string }[]).sort((a, b) => compareText(a.problemId, b.problemId));
    expect(byProblem(linesOf('edits.jsonl'))).toEqual(
      ['p-1', 'p-2'].map((problemId) => ({ problemId, entry: '{"n":1}', reward: 1 })),
    );
    expect(byProblem(linesOf('problems.jsonl'))).toEqual(['p-1', 'p-2'].map(problemOf));
    // As they are carried, they can be published again.
    const elsewhere = await fakeWorld();
    elsewhere.files.set('problems.jsonl', files.get('problems.jsonl')!);
    expect(await elsewhere.seam('publish', 'problems.jsonl')).toBe(0);
  });

  it('does not write over a file that is there', async () => {
    world.files.set('herbs.tar', Buffer.from('mine'));
    expect(await world.seam('experts', 'export', adapter, '--to', 'herbs.tar')).toBe(2);
    expect(Buffer.from(world.files.get('herbs.tar')!).toString()).toBe('mine');
  });

  it('refuses a name that no manifest may hold before anything is written', async () => {
    expect(await world.seam('experts', 'export', adapter, '--to', 'x.tar', '--name', '../x')).toBe(2);
    expect(world.takeErrors()).toContain('expected lower-case letters');
    expect(world.files.has('x.tar')).toBe(false);
  });
});

describe('seam experts import', () => {
  it('publishes the adapter under the digest that it had, once, and serves nothing', async () => {
    const other = await elsewhere();
    expect(await other.seam('experts', 'import', 'herbs.tar')).toBe(0);
    expect(other.takeOutput()).toBe(`published ${adapter}; it is not served until it is promoted\n`);
    expect(await other.seam('experts', 'import', 'herbs.tar')).toBe(0);
    expect(other.takeOutput()).toContain('is in the log already: nothing was changed');
    await other.seam('adapters');
    expect(other.takeOutput()).toContain('Served: the base model');
    const lineage = JSON.parse(
      Buffer.from(await other.objects.get(`adapters/${adapter}/lineage.json`)).toString(),
    ) as unknown;
    expect(lineage).toMatchObject({ imported: { expert: { history: [{ adapterDigest: adapter }] } } });
  });

  it('takes an adapter that was measured, with its figures and without questions and answers of the validation set', async () => {
    await world.log.append([encodeEvent(evaluatedByPerson(adapter, MEASURED, world.baseModel!.checkpoint.digest))]);
    const other = await elsewhere();
    const { files } = await unpackExpert(other.files.get('herbs.tar')!);
    const carried = JSON.parse(Buffer.from(files.get('evaluation.json')!).toString()) as unknown;
    const { differences, ...figures } = MEASURED;
    expect(carried).toMatchObject([{ evaluation: figures }]);
    const text = [...files.values()].map((body) => Buffer.from(body).toString('latin1')).join('');
    for (const { problemId, question, entry } of differences!)
      for (const secret of [problemId, question, entry!]) expect(text).not.toContain(secret);
    expect(await other.seam('experts', 'import', 'herbs.tar')).toBe(0);
    expect(other.takeOutput()).toContain(`published ${adapter}`);
  });

  it('publishes nothing on another base model, says what can be used, and how to train again', async () => {
    const other = await elsewhere();
    other.baseModel = { ...other.baseModel!, checkpoint: { ...other.baseModel!.checkpoint, digest: 'f'.repeat(64) } };
    expect(await other.seam('experts', 'import', 'herbs.tar', '--carry', 'carried')).toBe(1);
    const output = other.takeOutput();
    expect(output).toMatch(/herbs was trained on the base model [0-9a-f]{8}, the generators have ffffffff/);
    expect(output).toContain('seam publish carried/problems.jsonl\n  seam train sft\n');
    expect(Buffer.from(other.files.get('carried/templates/generator.txt')!).toString()).toBe('Problem: {problem}');
    await other.seam('adapters', '--json');
    expect(other.takeJson()).toMatchObject([{ versions: [] }]);
  });

  it('says which templates differ here', async () => {
    const other = await elsewhere();
    other.templates = new Map([['generator.txt', 'Another: {problem}']]);
    await other.seam('experts', 'import', 'herbs.tar');
    expect(other.takeOutput()).toContain('Templates differ here (generator.txt)');
  });

  it('refuses an archive that was damaged, and one of another program', async () => {
    const other = await elsewhere();
    const damaged = Uint8Array.from(other.files.get('herbs.tar')!);
    const at = Buffer.from(damaged).indexOf('"r": 2');
    damaged[at + 5] = '3'.charCodeAt(0);
    other.files.set('damaged.tar', damaged);
    expect(await other.seam('experts', 'import', 'damaged.tar')).toBe(2);
    expect(other.takeErrors()).toContain('expected adapter/adapter_config.json with the digest');
    other.files.set('foreign.tar', (await packExpert(new Map([['a', Buffer.from('a')]]))).bytes);
    expect(await other.seam('experts', 'import', 'foreign.tar')).toBe(2);
    expect(other.takeErrors()).toContain('Cannot read expert.json of an expert: expected a file, got none');
  });
});

async function worldWithBase(): Promise<FakeWorld> {
  const made = await fakeWorld();
  made.baseModel = await smallBaseModel(folder);
  return made;
}

/** An adapter in the world's log. */
async function putAdapter(): Promise<string> {
  const { digest, ...content } = smallAdapter(0.25, world.baseModel!.checkpoint.digest);
  const files = encodePeft(content, CONFIG, 'base');
  world.files.set('peft/adapter_config.json', files.config);
  world.files.set('peft/adapter_model.safetensors', files.tensors);
  await world.seam('adapters', 'import', 'peft');
  world.takeOutput();
  return digest;
}

/** Another world, with the expert's archive among its files. */
async function elsewhere(): Promise<FakeWorld> {
  expect(await world.seam('experts', 'export', adapter.slice(0, 8), '--to', 'herbs.tar', '--name', 'herbs')).toBe(0);
  const other = await worldWithBase();
  other.files.set('herbs.tar', world.files.get('herbs.tar')!);
  return other;
}

const MEASURED: Evaluation = {
  shares: { candidate: 0.5, parent: 0.25, differences: [{ thousandths: 250, problems: 4 }] },
  ...{ ...evaluationOf(0.5, 0.25), rescued: 1, broken: 0, asked: { sums: 4 }, judgedApart: 1 },
  retained: { problems: 3, success: 1, parentSuccess: 1, mostCost: 0.02 },
  judges: [{ model: 'a-judge', revision: null, verdicts: 8 }],
  differences: [
    {
      ...{ problemId: 'held-out-7', domain: 'sums', question: 'What do the held-out ones ask?', rescued: true },
      ...{ parentEntry: null, parentAnswer: null, entry: 'A held-out entry', answer: '2' },
    },
  ],
};

const problemOf = (problemId: string): Problem => ({
  ...{ problemId, domain: 'sums', prompt: `What is ${problemId}?`, reference: '2', metadata: { from: 'a book' } },
  verifier: { kind: 'numeric', version: '1', options: {} },
});

/** Publishes another adapter, as a run that learned from these records does. @returns its digest */
async function putTrained(inputs: readonly OffsetRange[]): Promise<string> {
  const trained = smallAdapter(0.5, world.baseModel!.checkpoint.digest);
  const key = `adapters/${trained.digest}/adapter.safetensors`;
  await world.objects.put(key, encodeAdapter(trained));
  const [imported] = await eventsOf(world.log, 'AdapterPublished');
  const { meta, ...event } = imported!;
  const artefact = { ...event.artefact!, digest: trained.digest, address: key };
  const own = { adapterDigest: trained.digest, artefact, key, inputs, runId: newId(), algorithm: 'sft' };
  await world.log.append([encodeEvent({ ...event, ...own, meta: { ...meta, messageId: newId() } })]);
  return trained.digest;
}
