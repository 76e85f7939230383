import { EDIT_SCHEMA, editText, loadPrompts } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type { GenerationRequest, GenerationResult } from '@seamstream/language-model';
import { editWriter, WRITING_LIMITS } from '@seamstream/self-edits';
import { passagePrompt } from '@seamstream/tasks';
import { candidateSeed, type Exploration, type ExplorationProgress, type ExplorationSettings } from './explore.js';
import { exploreEdits } from './explore-edits.js';
import { FakeGenerator, fakeTokenizer } from './generator-model.fake.js';

type Behaviour = 'written' | 'late' | 'SESSION_FAILED' | 'NON_FINITE' | 'ENDPOINT_UNAVAILABLE';

describe('self-edits of an exploration', () => {
  it('have three tries of 30 seconds each, with a seed for each try', async () => {
    const model = new Unsteady((seed) => (seed === seedOf('a', 1) ? 'late' : 'written'));
    const [a, b] = await explored(model, ['a', 'b']);
    expect(model.asked.map(({ seeds }) => seeds)).toEqual([
      [seedOf('a', 0), seedOf('a', 1)],
      [seedOf('b', 0), seedOf('b', 1)],
      [`${seedOf('a', 1)}/try-2`],
    ]);
    expect(new Set(model.asked.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([30_000]));
    expect(candidatesOf(a).map(({ sampling }) => sampling.seed)).toEqual([seedOf('a', 0), `${seedOf('a', 1)}/try-2`]);
    expect([...candidatesOf(a), ...candidatesOf(b)].every(({ entry }) => editText(entry) !== '')).toBe(true);
    expect(candidatesOf(a).every(({ unaugmented }) => unaugmented === undefined)).toBe(true);
  });

  it('that are late in every try are no entries: their candidates say why, and the group has its size', async () => {
    const model = new Unsteady((seed) => (seed.startsWith(seedOf('a', 1)) ? 'late' : 'written'));
    const [a] = await explored(model, ['a']);
    expect(model.asked).toHaveLength(3);
    const [written, unwritten] = candidatesOf(a);
    expect(written).toMatchObject({ candidateIndex: 0 });
    expect(written!.tokenIds.length).toBeGreaterThan(0);
    expect(unwritten).toMatchObject({
      ...{ candidateIndex: 1, entry: '', tokenIds: [], logProbs: [], baseModelDigest: model.digest },
      sampling: { seed: `${seedOf('a', 1)}/try-3` },
      unaugmented: { code: 'DEADLINE_EXCEEDED', reason: 'it was not written within 30000 ms', tries: 3 },
    });
  });

  it.each(['SESSION_FAILED', 'NON_FINITE'] as const)(
    'lose a try by %s, and then the passage at fault loses its others alone',
    async (code) => {
      const model = new Unsteady((seed) => (seed.startsWith(seedOf('a', 0)) ? code : 'written'));
      const [a, b] = await explored(model, ['a', 'b']);
      expect(candidatesOf(a).map(({ unaugmented }) => unaugmented)).toEqual([
        { code, reason: 'broken', tries: 3 },
        { code, reason: 'broken', tries: 3 },
      ]);
      expect(candidatesOf(b).map(({ unaugmented }) => unaugmented)).toEqual([undefined, undefined]);
    },
  );

  it('are not tried again in an outage, after a stop, and where the passage leaves no room', async () => {
    const away = new Unsteady(() => 'ENDPOINT_UNAVAILABLE');
    await expect(explored(away, ['a'])).rejects.toMatchObject({ code: 'ENDPOINT_UNAVAILABLE' });
    expect(away.asked).toHaveLength(1);
    const stopped = new Unsteady(() => 'SESSION_FAILED');
    await expect(explored(stopped, ['a'], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'SESSION_FAILED',
    });
    const model = new Unsteady(() => 'written');
    let prepared = 0;
    const schemaFor = () => {
      prepared++;
      return EDIT_SCHEMA;
    };
    const [long, a] = await explored(model, ['long '.repeat(500), 'a'], { schemaFor });
    expect(prepared).toBe(2);
    expect(long).toMatchObject({ status: 'failed', code: 'PROMPT_TOO_LONG' });
    expect(candidatesOf(a)).toHaveLength(2);
    expect(model.asked).toHaveLength(1);
  });

  it('are reported as a group once all of it is written, after any number of tries, and never before', async () => {
    const model = new Unsteady((seed) => (seed === seedOf('a', 1) ? 'late' : 'written'));
    const told: ExplorationProgress[] = [];
    const explorations = await explored(model, ['a', 'b'], { onProgress: (each) => told.push(each) });
    const groups = told.flatMap((each) => each.explored);
    expect(groups.map(({ request }) => request)).toEqual([1, 0]);
    for (const { request, exploration } of groups) expect(exploration).toEqual(explorations[request]);
    expect(told.map(({ tokens }) => tokens)).toEqual(told.map(({ tokens }) => tokens).toSorted((x, y) => x - y));
  });

  it('are not written again by a call that is given what an ended one had of the group', async () => {
    const ending = new AbortController();
    const slow = new Unsteady((seed) => {
      if (seed.includes('/try-2')) ending.abort();
      return seed.startsWith(seedOf('a', 1)) ? (ending.signal.aborted ? 'SESSION_FAILED' : 'late') : 'written';
    });
    const said: ExplorationProgress[] = [];
    const { signal } = ending;
    await expect(explored(slow, ['a', 'b'], { signal, onProgress: (each) => said.push(each) })).rejects.toThrow();
    const [{ request, candidates }] = said.flatMap(({ begun }) => begun ?? []) as [Begun];
    expect([request, candidates.map(({ candidateIndex }) => candidateIndex)]).toEqual([0, [0]]);
    const model = new Unsteady(() => 'written');
    const [a] = await explored(model, ['a'], {}, candidates);
    expect(model.asked.map(({ seeds }) => seeds)).toEqual([[seedOf('a', 1)]]);
    expect(candidatesOf(a)).toEqual([candidates[0], expect.objectContaining({ candidateIndex: 1 })]);
  });
});

type Begun = NonNullable<ExplorationProgress['begun']>[number];

/** A generator that behaves by the seed of a candidate. It reports what it has written before a call ends. */
class Unsteady extends FakeGenerator {
  readonly asked: GenerationRequest[] = [];

  constructor(private readonly behaviour: (seed: string) => Behaviour) {
    super(fakeTokenizer(['Write facts about a passage.']));
  }

  override async generate(
    requests: readonly GenerationRequest[],
    options: Parameters<ExplorationSettings['model']['generate']>[1] = {},
  ): Promise<readonly GenerationResult[]> {
    this.asked.push(...requests);
    const results = await super.generate(requests, options);
    const behaviours = requests.map(({ seeds }) => seeds.map(this.behaviour));
    const [fault] = behaviours.flat().filter((each) => each !== 'written' && each !== 'late');
    if (fault !== undefined) throw new SeamError(fault, 'broken');
    const ended = results.map((candidates, request) =>
      candidates.map((candidate, at) =>
        behaviours[request]![at] === 'late' ? { ...candidate, finishReason: 'late' as const } : candidate,
      ),
    );
    options.onProgress?.({ tokens: 7, finished: ended.map((candidates, request) => ({ request, candidates })) });
    return ended;
  }
}

async function explored(
  model: Unsteady,
  passages: readonly string[],
  changes: Partial<ExplorationSettings> = {},
  written: Begun['candidates'] = [],
): Promise<readonly Exploration[]> {
  const question = { question: 'Who?', reference: null, alternatives: [] };
  const requests = passages.map((passage) => {
    const prompt = passagePrompt({ kind: 'passage', title: null, passage, questions: [question] });
    return { eventId: `event-${passage}`, problem: { problemId: passage, domain: 'd', prompt }, written };
  });
  const prompts = await loadPrompts({ writer: editWriter('self-edit/facts') });
  const sampling = { temperature: 1, topK: 0, topP: 1, maxTokens: 32 };
  const settings = { model, adapter: null, prompts, groupSize: 2, sampling, schemaFor: () => EDIT_SCHEMA, ...changes };
  return exploreEdits(requests, settings, WRITING_LIMITS);
}

const seedOf = (passage: string, index: number): string => candidateSeed(`event-${passage}`, index);

function candidatesOf(exploration: Exploration | undefined) {
  if (exploration?.status !== 'explored') throw new Error(`expected a group, got ${JSON.stringify(exploration)}`);
  return exploration.candidates;
}
