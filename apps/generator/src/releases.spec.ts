/** A release acts: the generator tries the candidate on its share, and the decisions that follow from its results change what is served. */
import { type InMemoryEventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC } from '@seamstream/events';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, createAdapter, encodeAdapter } from '@seamstream/language-model';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { decideReleases, recomputeReleases } from '@seamstream/operations/release';
import { DEFAULT_RELEASE_PLAN, planText, type ReleaseStage } from '@seamstream/release';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { eventsOf, openLog, untilConsumed } from '@seamstream/testing';
import { executionFailed, recorded } from '@seamstream/testing/log-of';
import {
  evaluatedByPerson,
  evaluationOf,
  pinned,
  promotedByPerson,
  promotedByRun,
} from '@seamstream/testing/promotion-log';
import { startForTest } from '@seamstream/testing/services';
import { generatorConfigSchema, generatorService } from './app.module.js';

let log: InMemoryEventLog;
let model: ProvenGenerator;
let candidate: Adapter;
let objects: InMemoryObjectStore;

const publish = (...events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));
const keyOf = ({ digest }: Adapter): string => `adapters/${digest}.safetensors`;

beforeEach(async () => {
  [log, objects] = [await openLog(), new InMemoryObjectStore()];
  model = new ProvenGenerator(fakeTokenizer(['How many? carry borrow concepts strategy pitfalls']));
  const tensors = new Map([['w', { shape: [1], data: Float32Array.of(1) }]]);
  candidate = createAdapter({ kind: 'full', settings: { kind: 'full' }, baseModelDigest: model.digest, tensors });
  await objects.put(keyOf(candidate), encodeAdapter(candidate));
  const facts = {
    adapterDigest: candidate.digest,
    key: keyOf(candidate),
    fingerprint: await model.fingerprint(candidate),
  };
  const [start, adapter, completed] = promotedByRun(facts);
  const published = { ...adapter, baseModelDigest: model.digest };
  await publish(start, published, completed, evaluatedByPerson(candidate.digest, evaluationOf(0.7), model.digest));
});

describe('a generator while a release is tried', () => {
  it('lets the candidate write for its share, and serves it to all once the counts promote it', async () => {
    await begin([{ kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 }]);
    const experiences = await ask('p', 300);
    for (const { release, adapterDigest } of experiences) {
      expect(release).toMatchObject({ releaseId: 'release-1', stage: 0, share: 0.5 });
      expect(adapterDigest).toBe(release?.isCandidate === true ? candidate.digest : null);
    }
    await judge(experiences, (digest) => digest !== null);
    // The rest of the problems are controls: they are settled as soon as they have an end.
    const withheld = await eventsOf(log, 'ExperienceWithheld');
    await publish(
      ...withheld.map(({ problem, groupId: group }) => recorded(problem.problemId, false, { arm: 'control', group })),
    );
    const {
      decided: [decided],
    } = await decideReleases(operations(), reading);
    expect(decided?.decision).toMatchObject({ decision: 'promoted', decidedBy: null });
    expect(await recomputeReleases(operations(), 'last', reading)).toMatchObject([{ isSame: true }]);
    const after = await ask('q', 40);
    expect(new Set(after.map(({ adapterDigest }) => adapterDigest))).toEqual(new Set([candidate.digest]));
    expect(new Set(after.map(({ release }) => release))).toEqual(new Set([null]));
  }, 60_000);

  it('asks both for a shadow, the served one first, and takes pairs as evidence', async () => {
    await begin([
      { kind: 'shadow', margin: 0.1, minProblems: 20 },
      { kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 },
    ]);
    const experiences = await ask('p', 120);
    expect(
      experiences.map(({ candidateIndex, adapterDigest, groupSize }) => [candidateIndex, adapterDigest, groupSize]),
    ).toEqual(
      experiences.map(({ candidateIndex }) => [candidateIndex, candidateIndex === 1 ? candidate.digest : null, 2]),
    );
    expect(experiences.every(({ release, candidateIndex }) => release?.isCandidate === (candidateIndex === 1))).toBe(
      true,
    );
    await judge(experiences, (digest) => digest !== null);
    const withheld = await eventsOf(log, 'ExperienceWithheld');
    await publish(
      ...withheld.map(({ problem, groupId: group }) => executionFailed(problem.problemId, { arm: 'control', group })),
    );
    const {
      decided: [decided],
    } = await decideReleases(operations(), reading);
    expect(decided?.decision.decision).toBe('advanced');
    expect((await ask('q', 30)).every(({ groupSize, release }) => groupSize === 1 && release?.stage === 1)).toBe(true);
  }, 60_000);

  it('writes alone for groups to learn from, and for a parent that is served no more', async () => {
    await begin([{ kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 }]);
    const learning = await ask('e', 10, 'explore');
    expect(learning.every(({ release, adapterDigest }) => release === null && adapterDigest === null)).toBe(true);
    const facts = {
      adapterDigest: candidate.digest,
      key: keyOf(candidate),
      fingerprint: await model.fingerprint(candidate),
    };
    await publish({ ...promotedByPerson({ ...facts, messageId: 'm1' }), evaluation: evaluationOf(0.7) });
    expect((await ask('p', 20)).every(({ release }) => release === null)).toBe(true);
  }, 60_000);

  it('writes for all where the candidate cannot write, and counts none of that as a result of the candidate', async () => {
    model.speechless.add(candidate.digest);
    await begin([{ kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 }]);
    const experiences = await ask('p', 60);
    expect(experiences.length).toBeGreaterThan(40);
    expect(new Set(experiences.map(({ adapterDigest }) => adapterDigest))).toEqual(new Set([null]));
    expect(new Set(experiences.map(({ release }) => release?.isCandidate ?? null))).toEqual(new Set([null, false]));
  }, 60_000);

  it('opens a candidate as soon as its object can be read, and writes alone until then', async () => {
    const body = await objects.get(keyOf(candidate));
    await objects.delete(keyOf(candidate));
    await begin([{ kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 }]);
    expect((await ask('p', 20)).every(({ release }) => release === null)).toBe(true);
    await objects.put(keyOf(candidate), body);
    expect((await ask('q', 40)).some(({ adapterDigest }) => adapterDigest === candidate.digest)).toBe(true);
  }, 60_000);

  it('keeps to what is pinned, also while a release runs', async () => {
    await begin([{ kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 }]);
    expect((await ask('p', 40)).some(({ adapterDigest }) => adapterDigest === candidate.digest)).toBe(true);
    await publish(pinned('pin-1', null));
    expect((await ask('q', 40)).every(({ adapterDigest, release }) => adapterDigest === null && release === null)).toBe(
      true,
    );
  }, 60_000);

  it('does without a candidate that answers the probe otherwise than it was published with', async () => {
    model.unproven.add(candidate.digest);
    await begin([{ kind: 'canary', share: 0.5, margin: 0.1, minProblems: 40 }]);
    const experiences = await ask('p', 20);
    expect(experiences.length).toBeGreaterThan(10);
    expect(experiences.every(({ release, adapterDigest }) => release === null && adapterDigest === null)).toBe(true);
  }, 60_000);
});

async function begin(stages: readonly ReleaseStage[]): Promise<void> {
  const plan = { ...DEFAULT_RELEASE_PLAN, stages: [...stages] };
  await publish({
    ...{ type: 'ReleasePlanned', releaseId: 'release-1', slot: 'generator', candidate: candidate.digest, parent: null },
    meta: originMeta({
      messageId: 'plan-1',
      correlationId: 'c',
      source: 'seam/test',
      occurredAt: 1,
      sourceClass: 'user',
    }),
    ...{ plan: planText(plan), plannedBy: 'ada', reason: 'it is better', attestation: null },
  });
  const config = generatorConfigSchema.parse({
    logging: { level: 'silent' },
    generator: { groupSize: 2, controlShare: 0.1, maxBatchRecords: 50 },
  });
  await startForTest(generatorService({ model, schemaFor }), { config, log, objects });
}

async function ask(
  prefix: string,
  count: number,
  mode: 'deploy' | 'explore' = 'deploy',
): Promise<readonly EventOf<'ExperienceGenerated'>[]> {
  await publish(
    ...Array.from({ length: count }, (_, i): EventOf<'ProblemPublished'> => {
      const id = `${prefix}-${i}`;
      return {
        ...{ type: 'ProblemPublished', mode, expiresAt: null, feedbackWithinMs: null, task: null },
        meta: originMeta({ messageId: id, correlationId: id, source: 'seam/test', occurredAt: i, sourceClass: 'user' }),
        problem: { problemId: id, domain: 'sums', prompt: 'How many?', reference: '4', verifier: null, metadata: {} },
      };
    }),
  );
  await untilConsumed(log, { group: 'seam.generator', topic: TOPIC.problems });
  return (await eventsOf(log, 'ExperienceGenerated')).filter(({ problem }) =>
    problem.problemId.startsWith(`${prefix}-`),
  );
}

/** What the executor says of experiences: solved by who is in the set. */
const judge = (experiences: readonly EventOf<'ExperienceGenerated'>[], solves: (digest: string | null) => boolean) =>
  publish(
    ...experiences.map(
      ({ problem: { problemId }, candidateIndex: index, groupSize: size, adapterDigest, groupId: group }) =>
        recorded(problemId, solves(adapterDigest), { index, size, group, adapterDigest, arm: 'deploy' }),
    ),
  );

const operations = () => ({
  clock: { now: () => 7 },
  openLog: async () => log,
  openKeptLog: async () => ({ log, snapshots: null }),
  signing: async () => ({ key: null, trust: { keys: [], unsigned: 'allowed' as const } }),
});
const reading = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};

const WORDS = { words: ['carry', 'borrow'] };
const schemaFor = entrySchemas({ sums: domainEntrySchema({ concepts: WORDS, strategy: WORDS, pitfalls: WORDS }) });

class ProvenGenerator extends FakeGenerator {
  /** Adapters that the model cannot carry. */
  readonly unproven = new Set<string>();
  /** Adapters with which it fails. */
  readonly speechless = new Set<string>();

  override async generate(...args: Parameters<FakeGenerator['generate']>): ReturnType<FakeGenerator['generate']> {
    if (this.speechless.has(args[1]?.adapter?.digest ?? ''))
      throw new SeamError('ADAPTER_INVALID', 'Cannot serve an adapter.', { details: { halts: true } });
    return super.generate(...args);
  }

  async fingerprint(adapter?: Adapter): Promise<string> {
    return sha256(this.unproven.has(adapter?.digest ?? '') ? 'another' : 'probe', adapter?.digest ?? 'base');
  }
}
