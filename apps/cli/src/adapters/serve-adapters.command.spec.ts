/** A person promotes, rolls back, pins: what is recorded, its results, and what is refused before anything is recorded. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { decodeEvent, type EventOf, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, encodeAdapter, encodePeft } from '@seamstream/language-model';
import { DEFAULT_RELEASE_PLAN } from '@seamstream/release';
import { evaluatedByPerson, evaluationOf, promotedByPerson, promotedByRun } from '@seamstream/testing/promotion-log';
import { releasePlanned } from '@seamstream/testing/release-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { answersOf, CONFIG, smallAdapter, smallBaseModel } from './small-adapters.fake.js';

let folder: string;
let world: FakeWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-'));
  world = await fakeWorld();
  world.baseModel = await smallBaseModel(folder);
});
afterEach(() => rm(folder, { recursive: true }));

const adapterOf = (value: number, baseModelDigest = world.baseModel!.checkpoint.digest): Adapter =>
  smallAdapter(value, baseModelDigest);
const keyOf = ({ digest }: Adapter): string => `adapters/${digest}/adapter.safetensors`;
const append = (...events: readonly SeamEvent[]) => world.log.append(events.map(encodeEvent));

async function recorded(): Promise<SeamEvent[]> {
  const events: SeamEvent[] = [];
  for (const { partition, low } of await world.log.watermarks(TOPIC.adapters))
    for await (const records of world.log.read({ topic: TOPIC.adapters, partition, from: low }))
      events.push(...records.map(decodeEvent));
  return events;
}

/** Published, in the store, and measured by default. */
async function made(
  value: number,
  { parent = null, isMeasured = true }: { readonly parent?: Adapter | null; readonly isMeasured?: boolean } = {},
): Promise<Adapter> {
  const adapter = adapterOf(value);
  await world.objects.put(keyOf(adapter), encodeAdapter(adapter));
  const [, published] = promotedByRun({
    adapterDigest: adapter.digest,
    parent: parent?.digest ?? null,
    key: keyOf(adapter),
    fingerprint: answersOf(adapter),
  });
  await append({ ...published, baseModelDigest: adapter.baseModelDigest });
  if (isMeasured) await append(evaluatedByPerson(adapter.digest, evaluationOf(0.5), adapter.baseModelDigest));
  return adapter;
}

/** Published, and promoted by its run. */
async function byRun(value: number, parent: Adapter | null): Promise<Adapter> {
  const adapter = await made(value, { parent, isMeasured: false });
  const [start, published, completed, promotion] = promotedByRun({
    adapterDigest: adapter.digest,
    parent: parent?.digest ?? null,
    key: keyOf(adapter),
    fingerprint: answersOf(adapter),
    onlyOverParent: true,
  });
  await append(start, published, completed, promotion);
  return adapter;
}

const WHY = ['--by', 'ada', '--reason', 'better on our tasks'] as const;
const act = (verb: string, ...args: readonly string[]) => world.seam('adapters', verb, ...args, ...WHY);
const served = async (): Promise<string | null> => {
  world.takeOutput();
  await world.seam('adapters', '--json');
  return (world.takeJson()[0] as { readonly served: string | null }).served;
};

describe('seam adapters promote', () => {
  it('serves an imported adapter that was measured on record, and says who, when and why', async () => {
    const files = encodePeft(adapterOf(0.25), CONFIG, 'base');
    world.files.set('adapter/adapter_config.json', files.config);
    world.files.set('adapter/adapter_model.safetensors', files.tensors);
    await world.seam('adapters', 'import', 'adapter');
    const { digest } = adapterOf(0.25);
    await append(evaluatedByPerson(digest, evaluationOf(0.75, 0.5), world.baseModel!.checkpoint.digest));
    world.takeOutput();
    expect(await act('promote', digest.slice(0, 8))).toBe(0);
    expect(world.takeOutput()).toMatch(
      new RegExp(
        `^promoted ${digest.slice(0, 8)}: generators serve it from their next problem on\nIt rests on 75\\.0 % of 4`,
      ),
    );
    expect((await recorded()).at(-1)).toMatchObject({
      type: 'AdapterPromoted',
      meta: { source: 'seam/cli', sourceClass: 'user', occurredAt: world.clock.now() },
      adapterDigest: digest,
      runId: null,
      evaluation: evaluationOf(0.75, 0.5),
      onlyOverParent: false,
      promotedBy: 'ada',
      reason: 'better on our tasks',
    });
    await world.seam('adapters');
    expect(world.takeOutput()).toMatch(
      /served +75\.0 %[\s\S]*Served: .*\n {2}promoted by ada, 2030-01-31 12:00:00: better on our tasks \(75\.0 % of 4 problems of v, parent 50\.0 %\)\n$/,
    );
    await world.seam('adapters', 'show', digest.slice(0, 8));
    expect(world.takeOutput()).toMatch(
      /status +served \(ada: better on our tasks\)[\s\S]*evaluated +by ada, [\s\S]*promoted +by ada, 2030-01-31 12:00:00: better/,
    );
  });

  it('prints the same as JSON for a script', async () => {
    const { digest } = await made(1);
    expect(await act('promote', digest, '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        type: 'AdapterPromoted',
        adapterDigest: digest,
        by: 'ada',
        reason: 'better on our tasks',
        at: world.clock.now(),
        status: 'counted',
        hindrance: '',
        served: digest,
        pin: null,
      },
    ]);
  });

  it('serves the adapter of a refused run, in place of any served one', async () => {
    await byRun(1, null);
    const other = await made(2);
    expect(await act('promote', other.digest)).toBe(0);
    expect(await served()).toBe(other.digest);
  });

  it.each<[string, (adapter: Adapter) => unknown, RegExp]>([
    ['its object is missing', (adapter) => world.objects.delete(keyOf(adapter)), /expected its object .*, got none/],
    [
      'its object is damaged',
      async (adapter) => {
        const body = Buffer.from(await world.objects.get(keyOf(adapter)));
        body[body.length - 1]! ^= 1;
        await world.objects.put(keyOf(adapter), body);
      },
      /it calls itself .*, its content is .*\. It is not used/,
    ],
    [
      'the base model is another one',
      () => {
        const { checkpoint } = world.baseModel!;
        world.baseModel = { ...world.baseModel!, checkpoint: { ...checkpoint, digest: 'f'.repeat(64) } };
      },
      /expected its base model .*, got ffff/,
    ],
    [
      'it answers otherwise than it was published with',
      () => {
        world.baseModel = { ...world.baseModel!, fingerprint: () => Promise.resolve(sha256('other')) };
      },
      /expected the answers to the probe that it was published with/,
    ],
  ])('records nothing where %s', async (_, spoil, told) => {
    const adapter = await made(1);
    await spoil(adapter);
    const before = await recorded();
    expect(await act('promote', adapter.digest)).toBe(2);
    expect(world.takeErrors()).toMatch(told);
    expect(await recorded()).toEqual(before);
  });

  it('records nothing of an adapter that was not measured, that is not there, or that is served', async () => {
    const unmeasured = await made(1, { isMeasured: false });
    const running = await byRun(2, null);
    const before = await recorded();
    expect(await act('promote', unmeasured.digest)).toBe(2);
    expect(world.takeErrors()).toMatch(/expected an evaluation of it on record, got none. Measure it \(seam eval FILE/);
    expect(await act('promote', 'ffffffff')).toBe(2);
    expect(world.takeErrors()).toMatch(/Cannot find adapter ffffffff/);
    expect(await act('promote', running.digest)).toBe(2);
    expect(world.takeErrors()).toMatch(/expected an adapter that is not served, got the served one/);
    expect(await world.seam('adapters', 'promote', running.digest, '--by', ' ', '--reason', 'r')).toBe(2);
    expect(world.takeErrors()).toMatch(/Cannot read --by: expected a text, got a blank one/);
    expect(await world.seam('adapters', 'promote', running.digest, '--by', 'ada')).toBe(2);
    expect(world.takeErrors()).toMatch(/--reason/);
    expect(await recorded()).toEqual(before);
  });

  it('records nothing where another decision came into the log while the adapter was proven', async () => {
    const [first, second] = [await byRun(1, null), await made(2)];
    const pin = encodeEvent({
      type: 'AdapterPinned',
      slot: 'generator',
      attestation: null,
      meta: promotedByPerson({ messageId: 'p', adapterDigest: 'x' }).meta,
      adapterDigest: first.digest,
      pinnedBy: 'grace',
      reason: 'demonstration',
    });
    const proveOnly = world.baseModel!;
    world.baseModel = {
      ...proveOnly,
      fingerprint: async (adapter) => {
        await world.log.append([pin]);
        return answersOf(adapter);
      },
    };
    expect(await act('promote', second.digest)).toBe(2);
    expect(world.takeErrors()).toMatch(/is pinned by grace \(demonstration\).*Nothing was recorded/);
    expect((await recorded()).at(-1)?.type).toBe('AdapterPinned');
    expect(await served()).toBe(first.digest);
  });
});

describe('a person who acts while a release is tried', () => {
  const tried = (adapter: Adapter, parent: Adapter | null) =>
    releasePlanned({
      releaseId: 'release-1',
      candidate: adapter.digest,
      parent: parent?.digest ?? null,
      plan: { ...DEFAULT_RELEASE_PLAN, stages: DEFAULT_RELEASE_PLAN.stages.slice(2) },
    });

  it('decides it by promoting its candidate', async () => {
    const [first, second] = [await byRun(1, null), await made(2)];
    await append(tried(second, first));
    expect(await act('promote', second.digest)).toBe(0);
    expect(world.takeOutput()).toMatch(/Release release- is over: promoted \(better on our tasks\)/);
    expect((await recorded()).slice(-2)).toMatchObject([
      { type: 'ReleaseDecided', decision: 'promoted', decidedBy: 'ada', releaseId: 'release-1', stage: 0 },
      { type: 'AdapterPromoted', adapterDigest: second.digest, promotedBy: 'ada' },
    ]);
    await world.seam('release', 'status');
    expect(world.takeOutput()).toMatch(/release-: .*: promoted\n/);
  });

  it.each([
    ['promotes another adapter', 'promote', 'promoted another adapter'],
    ['rolls back what is served', 'rollback', 'rolled back what is served'],
    ['pins what is served', 'pin', 'pinned what is served'],
  ] as const)('leaves it undecided where they %s', async (_, verb, words) => {
    const [first, second, third] = [await byRun(1, null), await made(2), await made(3)];
    await append(tried(second, first));
    expect(await act(verb, ...{ promote: [third.digest], rollback: [], pin: ['served'] }[verb])).toBe(0);
    expect(world.takeOutput()).toMatch(new RegExp(`Release release- is over: undecided \\(ada ${words}: better`));
    expect((await recorded()).slice(-2)).toMatchObject([
      { type: 'ReleaseDecided', decision: 'undecided', decidedBy: 'ada', reason: `ada ${words}: ${WHY[3]}` },
      { type: expect.stringMatching(/^Adapter(Promoted|RolledBack|Pinned)$/) as string },
    ]);
    await world.seam('release', 'decide');
    expect(world.takeOutput()).toMatch(/Nothing to decide/);
  });
});

describe('seam adapters rollback', () => {
  it('serves the last good adapter again, and names both', async () => {
    const first = await byRun(1, null);
    const second = await byRun(2, first);
    expect(await act('rollback')).toBe(0);
    expect(world.takeOutput()).toBe(
      `rolled ${second.digest.slice(0, 8)} back: generators serve ${first.digest.slice(0, 8)} from their next problem on\n`,
    );
    expect((await recorded()).at(-1)).toMatchObject({
      type: 'AdapterRolledBack',
      adapterDigest: second.digest,
      to: first.digest,
      key: keyOf(first),
      fingerprint: answersOf(first),
      rolledBackBy: 'ada',
      reason: 'better on our tasks',
    } satisfies Partial<EventOf<'AdapterRolledBack'>>);
    expect(await served()).toBe(first.digest);
    await world.seam('adapters', 'show', second.digest.slice(0, 8));
    expect(world.takeOutput()).toMatch(
      /status +rolled back \(ada: better on our tasks\)[\s\S]*rolled back +by ada, 2030/,
    );
    await world.seam('adapters', 'show', first.digest.slice(0, 8));
    expect(world.takeOutput()).toMatch(/served again +by ada, 2030/);
    // Once more leads to the base model, not back to what was taken away.
    expect(await act('rollback')).toBe(0);
    expect(await served()).toBeNull();
    expect(await act('rollback')).toBe(2);
    expect(world.takeErrors()).toMatch(/expected an adapter that is served, got the base model/);
  });

  it('is not undone by a run that continued from the adapter that was rolled back', async () => {
    const first = await byRun(1, null);
    const second = await byRun(2, first);
    await act('rollback');
    await byRun(3, second);
    expect(await served()).toBe(first.digest);
  });

  it('serves the named adapter, if that was served before and is whole in the store', async () => {
    const first = await byRun(1, null);
    const second = await byRun(2, first);
    const third = await byRun(3, second);
    const never = await made(4);
    expect(await act('rollback', '--to', never.digest)).toBe(2);
    expect(world.takeErrors()).toMatch(/expected an adapter that was served before, got one that never was/);
    expect(await act('rollback', '--to', third.digest)).toBe(2);
    expect(world.takeErrors()).toMatch(/expected an earlier adapter, got the served one/);
    await world.objects.put(keyOf(second), Buffer.from('damaged'));
    expect(await act('rollback')).toBe(2);
    await world.objects.delete(keyOf(second));
    expect(await act('rollback')).toBe(2);
    expect(world.takeErrors()).toMatch(/expected its object/);
    expect(await act('rollback', '--to', first.digest.slice(0, 12))).toBe(0);
    expect(await served()).toBe(first.digest);
    expect(await act('rollback', '--to', 'base', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ type: 'AdapterRolledBack', to: null, served: null }]);
  });
});

describe('seam adapters pin and unpin', () => {
  it('hold what is served against runs and people, until a person lets go', async () => {
    const first = await byRun(1, null);
    const other = await made(9);
    expect(await act('pin', first.digest)).toBe(0);
    expect(world.takeOutput()).toBe(`pinned ${first.digest.slice(0, 8)}: it stays served until it is unpinned\n`);
    const second = await byRun(2, first);
    expect(await served()).toBe(first.digest);
    await world.seam('adapters');
    expect(world.takeOutput()).toMatch(/Pinned by ada, 2030-01-31 12:00:00: better on our tasks\n$/);
    await world.seam('adapters', 'show', second.digest);
    expect(world.takeOutput()).toMatch(/status +rejected \(adapter .* is pinned by ada/);
    const before = await recorded();
    for (const [verb, ...args] of [['promote', other.digest], ['rollback'], ['pin', first.digest]] as const) {
      expect(await act(verb, ...args)).toBe(2);
      expect(world.takeErrors()).toMatch(
        /is pinned by ada \(better on our tasks\); unpin it first. Nothing was recorded/,
      );
    }
    expect(await recorded()).toEqual(before);
    expect(await act('unpin', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ type: 'AdapterUnpinned', adapterDigest: first.digest, pin: null }]);
    expect(await act('promote', other.digest)).toBe(0);
    expect(await served()).toBe(other.digest);
  });

  it('are refused where another adapter is served, or none is pinned', async () => {
    const first = await byRun(1, null);
    const second = await byRun(2, first);
    expect(await act('pin', first.digest)).toBe(2);
    expect(world.takeErrors()).toContain(`adapter ${first.digest} is not served, adapter ${second.digest} is`);
    expect(await act('unpin')).toBe(2);
    expect(world.takeErrors()).toMatch(/expected a pinned adapter, got none/);
  });

  it('hold the base model as well', async () => {
    expect(await act('pin', 'base')).toBe(0);
    await byRun(1, null);
    expect(await served()).toBeNull();
  });
});

describe('seam eval --record', () => {
  const bytes = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
  const line = { prompt: '1 + 0?', reference: '1', verifier: 'numeric', domain: 'sums' };

  /** For the base model of the world's generator. */
  async function measurable(): Promise<Adapter> {
    const adapter = adapterOf(1, 'b'.repeat(64));
    await world.objects.put(keyOf(adapter), encodeAdapter(adapter));
    const [, published] = promotedByRun({ adapterDigest: adapter.digest, key: keyOf(adapter) });
    await append({ ...published, baseModelDigest: adapter.baseModelDigest });
    world.files.set('own/problems.jsonl', Buffer.concat([bytes(line), bytes({ ...line, prompt: '0 + 1?' })]));
    return adapter;
  }

  it('puts what was measured on record, with who measured', async () => {
    const { digest } = await measurable();
    expect(
      await world.seam('eval', 'own/problems.jsonl', '--adapter', digest, '--record', '--by', 'ada', '--json'),
    ).toBe(0);
    expect((await recorded()).at(-1)).toMatchObject({
      type: 'AdapterEvaluated',
      adapterDigest: digest,
      baseModelDigest: 'b'.repeat(64),
      executor: { model: 'fake', template: 'fake' },
      evaluatedBy: 'ada',
      evaluation: { problemSet: 'problems.jsonl', problems: 2, success: 1, parentSuccess: 1, perDomain: { sums: 1 } },
    });
    await world.seam('adapters', 'show', digest);
    expect(world.takeOutput()).toMatch(/evaluation +100\.0 % of 2 on problems\.jsonl/);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['no record', ['--by', 'ada'], /expected --record with --by, got none/],
    ['drawn answers', ['--record', '--by', 'ada', '--samples', '4'], /expected greedy answers with --record/],
    ['the base model', ['--record', '--by', 'ada', '--adapter', 'base'], /expected an adapter with --record/],
    ['what is served where nothing is', ['--record', '--by', 'ada', '--adapter', 'served'], /got the base model/],
    [
      'other arms',
      ['--record', '--by', 'ada', '--arms', 'noExperience'],
      /expected the arm trained with --record, got noExperience/,
    ],
  ])('is refused for %s', async (_, args, told) => {
    const { digest } = await measurable();
    const before = await recorded();
    expect(await world.seam('eval', 'own/problems.jsonl', '--adapter', digest, ...args)).toBe(2);
    expect(world.takeErrors()).toMatch(told);
    expect(await recorded()).toEqual(before);
  });

  it('is refused before anything is measured where no reader would believe it, or nothing can be written', async () => {
    const { digest } = await measurable();
    const args = ['eval', 'own/problems.jsonl', '--adapter', digest, '--record', '--by', 'ada'];
    world.trust = { keys: [], unsigned: 'refused' };
    expect(await world.seam(...args)).toBe(2);
    expect([world.takeOutput(), world.takeErrors()]).toEqual([
      '',
      expect.stringContaining('Cannot write AdapterEvaluated: expected a key to sign it with, got none'),
    ]);
  });

  it('does not lose what was measured where recording fails in the end', async () => {
    const { digest } = await measurable();
    const full = jest.spyOn(world.log, 'append').mockRejectedValue(new SeamError('LOG_FULL', 'the disk is full'));
    expect(
      await world.seam('eval', 'own/problems.jsonl', '--adapter', digest, '--record', '--by', 'ada', '--json'),
    ).toBe(70);
    full.mockRestore();
    expect(world.takeJson()).toMatchObject([{ arms: { trained: { success: 1 } } }, { error: { code: 'LOG_FULL' } }]);
  });
});

describe('what a person says and sees', () => {
  it.each([
    ['--by', 'a\u001b[41mda'],
    ['--reason', 'two\nlines'],
    ['--by', ' '],
  ])('%s is recorded as one line of words: %j is refused', async (option, text) => {
    const first = await made(1);
    const words: Record<string, string> = { '--by': 'ada', '--reason': 'better', [option]: text };
    expect(await world.seam('adapters', 'promote', first.digest, ...Object.entries(words).flat())).toBe(2);
    const told = world.takeErrors();
    expect(told).toContain(`Cannot read ${option}: expected`);
    expect(told).not.toContain('\u001b');
    expect(await served()).toBeNull();
  });

  it('is the measurement that a promotion rests on, when it is made and later', async () => {
    const { digest, baseModelDigest } = await made(1, { isMeasured: false });
    const evaluation = { ...evaluationOf(0.75, 0.5), problemSet: 'our-tests.jsonl', problems: 12 };
    await append(evaluatedByPerson(digest, evaluation, baseModelDigest));
    const measured = '75.0 % of 12 problems of our-tests.jsonl, parent 50.0 %';
    expect(await act('promote', digest)).toBe(0);
    expect(world.takeOutput()).toContain(`It rests on ${measured}.\n`);
    await world.seam('adapters', 'show', 'served');
    const shown = world.takeOutput();
    expect(shown).toContain(`: better on our tasks (${measured})`);
    expect(shown).toMatch(new RegExp(`evaluated +by ada, .*: ${measured}`));
    await world.seam('adapters', 'show', 'served', '--json');
    expect(world.takeJson()).toMatchObject([
      {
        acts: [
          { act: 'evaluated', evaluation },
          { act: 'promoted', evaluation },
        ],
      },
    ]);
  });

  it('may be named by what it is: served, base', async () => {
    const first = await byRun(1, null);
    expect(await act('pin', 'served')).toBe(0);
    expect(world.takeOutput()).toContain(`pinned ${first.digest.slice(0, 8)}`);
    expect(await act('unpin')).toBe(0);
    expect(await act('promote', 'base')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot find adapter "base": expected an adapter, got the base model');
    expect(await act('rollback', '--to', 'served')).toBe(2);
    expect(world.takeErrors()).toMatch(
      /Cannot roll back to adapter .*: expected an earlier adapter, got the served one/,
    );
    expect(await act('rollback', '--to', 'base')).toBe(0);
    expect(await world.seam('adapters', 'show', 'served')).toBe(2);
    expect(world.takeErrors()).toContain('got the base model, which is served');
  });

  it('has no fingerprint of a thousand characters in it', async () => {
    const { digest } = await made(1);
    const long = 'F'.repeat(1000);
    world.baseModel = { ...world.baseModel!, fingerprint: () => Promise.resolve(long) };
    expect(await act('promote', digest)).toBe(2);
    const told = world.takeErrors();
    expect(told).toMatch(/got F{23}… \(1,000 characters, SHA-256 [0-9a-f]{12}\)\. Compare the model folders/);
    expect(told.length).toBeLessThan(500);
  });
});
