/**
 * A buffer in three shards, shared by three processes, on both logs: near duplicates are found across partitions and instances, all
 * shards together equal one buffer, and this stays true when an instance is killed.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type EventLog, partitionForKey } from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';
import { type BufferRow, shardOf } from '@seamstream/success-buffer';
import { EXAMPLE_EVENTS, until } from '@seamstream/testing';
import { type Deployment, deploy } from '../support/deployment.js';
import { allEventsOf, ofType, type RecordedRun, recordedRun, repeatedIds } from '../support/recorded-run.js';
import { type InstanceName, ServiceProcesses } from '../support/service-processes.js';
import { playToyRun } from '../support/toy-run.js';
import { createToyWorld, toyEnvironment } from '../support/toy-world.js';

const SHARDS = 3;
const INSTANCES: readonly InstanceName[] = ['buffer', 'buffer-2', 'buffer-3'];
const ROUNDS = 5;
const FAMILIES_PER_ROUND = 20;
/** Problems of a family, with one entry: the others differ from the first by a word of 45 (Jaccard 0.87), so all are joined. */
const FAMILY = 3;
const PROBLEMS_PER_ROUND = FAMILIES_PER_ROUND * FAMILY;
const DOMAINS = ['sums', 'words', 'fractions', 'timber', 'ratios', 'herbs'];
const PARTITIONS = 4;
/** For a step; on a busy machine the start of three processes alone takes a minute. */
const PATIENCE_MS = 180_000;
const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const run = promisify(execFile);

interface Planted {
  readonly problemId: string;
  readonly domain: string;
  readonly family: string;
  readonly prompt: string;
}

const PLANTED = Array.from({ length: ROUNDS }, (_, round) => problemsOf(round + 1)).flat();
const FAMILIES = Map.groupBy(PLANTED, ({ family }) => family);

interface Scene {
  readonly services: ServiceProcesses;
  /** Shards by the instance that has them now. */
  readonly shardsOf: () => Promise<ReadonlyMap<InstanceName, readonly string[]>>;
}

interface Played extends RecordedRun {
  readonly rows: readonly BufferRow[];
  readonly decisions: readonly SeamEvent[];
  readonly complaints: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  readonly verification: { readonly equal: boolean; readonly versions: readonly unknown[] };
}

/** Waits, and says in vain what the services wrote last. */
const reached = (isReached: () => Promise<boolean>, what: string, services: ServiceProcesses): Promise<void> =>
  until(isReached, () => `${what}\n${services.said('').slice(-30).join('\n')}\n`, {
    withinMs: PATIENCE_MS,
    everyMs: 50,
  });

const publish = (log: EventLog, problems: readonly Planted[]) =>
  log.append(problems.flatMap(resultsOf).map(encodeEvent));

describe('a buffer in three shards', () => {
  let folder: string;
  let single: Played;
  let undisturbed: Played;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'buffer-shards-'));
    const embedded = async (name: string, shards: number): Promise<Played> => {
      const own = join(folder, name);
      return play(await deploy({ folder: own }), folder, { shards, instances: ['buffer'] });
    };
    single = await embedded('single', 1);
    undisturbed = await embedded('undisturbed', SHARDS);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('has families in every shard, each over several partitions', () => {
    expect(new Set(DOMAINS.map((domain) => shardOf(domain, SHARDS))).size).toBe(SHARDS);
    const spread = [...FAMILIES.values()].map(
      (members) => new Set(members.map(({ problemId }) => partitionForKey(problemId, PARTITIONS))).size,
    );
    expect(spread.filter((partitions) => partitions > 1).length).toBeGreaterThan(0.8 * spread.length);
  });

  it('keeps one of each family, as one buffer does, and the same rows', () => {
    for (const { kept, reasons } of [single, undisturbed].flatMap(fates)) {
      expect(kept).toBe(1);
      expect(new Set(reasons)).toEqual(new Set(reasons.length === 0 ? [] : ['near_duplicate']));
    }
    expect(undisturbed.rows).toEqual(single.rows);
    expect(undisturbed.admissions.toSorted()).toEqual(single.admissions.toSorted());
    expect(undisturbed.rejections.toSorted()).toEqual(single.rejections.toSorted());
  });

  it.each(['lmdb', 'kafka'] as const)(
    'in three processes on %s, one of which is killed and comes back, gives the same versions and says nothing twice',
    async (log) => {
      const own = join(folder, log);
      const deployment = await deploy({ folder: own, log });
      const shares: number[][] = [];
      const takenOver: string[][] = [];
      try {
        const settled = async ({ services, shardsOf }: Scene, instances: number): Promise<void> => {
          let owned: ReadonlyMap<InstanceName, readonly string[]> = new Map();
          await reached(
            async () => {
              owned = await shardsOf();
              const loads = [...owned.values()].map(({ length }) => length);
              return (
                owned.size === instances &&
                new Set([...owned.values()].flat()).size === SHARDS &&
                Math.max(...loads) <= Math.ceil(SHARDS / instances)
              );
            },
            `the shards' spread over ${instances} instances`,
            services,
          );
          shares.push([...owned.values()].map(({ length }) => length).sort());
        };
        const result = await play(deployment, folder, {
          shards: SHARDS,
          instances: INSTANCES,
          between: async (round, scene) => {
            if (round === 1) await settled(scene, 3);
            if (round === 3) {
              // In the middle of its work: the first half of the round has just been appended.
              const lost = (await scene.shardsOf()).get('buffer-2')!;
              await scene.services.kill('buffer-2');
              await settled(scene, 2);
              takenOver.push([...lost]);
            }
            if (round === 4) {
              scene.services.start('buffer-2');
              await settled(scene, 3);
            }
          },
        });
        expect(result.complaints).toEqual([]);
        expect(result.exitCodes).toEqual([0, 0, 0]);
        expect(shares).toEqual([
          [1, 1, 1],
          [1, 2],
          [1, 1, 1],
        ]);
        expect(takenOver.flat()).toHaveLength(1);
        expect(result.bufferDigests).toEqual(undisturbed.bufferDigests);
        if (log === 'lmdb') expect(result.buffers).toEqual(undisturbed.buffers); // offsets have gaps on Kafka
        expect(result.rows).toEqual(single.rows);
        expect(repeatedIds([...result.admissions, ...result.rejections])).toEqual([]);
        expect(result.admissions.toSorted()).toEqual(single.admissions.toSorted());
        expect(result.rejections.toSorted()).toEqual(single.rejections.toSorted());
        expect(result.deadLetters).toBe(0);
        expect(result.verification).toMatchObject({ equal: true });
        expect(result.verification.versions).toHaveLength(ROUNDS * SHARDS);
      } finally {
        await deployment.close();
      }
    },
    600_000,
  );

  it('teaches the trainer the same weights as one buffer', async () => {
    const world = await createToyWorld();
    try {
      const learn = async (shards: number, instances: readonly InstanceName[]) => {
        const own = join(folder, `toy-${shards}`);
        const environment = {
          ...toyEnvironment(world, own),
          SEAM_TRAINER_ALGORITHM: 'sft',
          SEAM_BUFFER_SHARDS: String(shards),
        };
        const started: EventOf<'TrainingRunStarted'>[] = [];
        const result = await playToyRun({
          deployment: await deploy({ folder: own, environment }),
          goesOn: (round) => round <= 2,
          processes: { instances: ['generator', 'executor', 'trainer', ...instances] },
          inspect: async (log) => {
            started.push(...ofType(await allEventsOf(log, [TOPIC.training]), 'TrainingRunStarted'));
            for (const { manifests } of started)
              expect(manifests.map(({ key }) => key.split('/')[1])).toEqual(
                shards === 1 ? [] : ['0', '1'].map((shard) => `${shard}of2`),
              );
          },
        });
        expect(result.complaints).toEqual([]);
        return { adapters: result.adapterDigests, runs: started.length };
      };
      const one = await learn(1, ['buffer']);
      expect(one.adapters.length).toBeGreaterThan(0);
      expect(await learn(2, ['buffer', 'buffer-2'])).toEqual(one);
    } finally {
      await rm(world.folder, { recursive: true });
    }
  }, 600_000);
});

/** Problems of a round; members of a family are far from each other, and the first half of the families continues in the next round. */
function problemsOf(round: number): readonly Planted[] {
  return Array.from({ length: PROBLEMS_PER_ROUND }, (_, index) => {
    const copy = Math.floor(index / FAMILIES_PER_ROUND);
    const number = index % FAMILIES_PER_ROUND;
    const isOld = round > 1 && copy > 0 && number < FAMILIES_PER_ROUND / 2;
    const family = `${isOld ? round - 1 : round}-${number}`;
    const random = Random.of('buffer shards', family);
    const words = Array.from({ length: 45 }, () => `w${random.int(5000)}`);
    if (copy > 0) words[10 + round * FAMILY + copy] = `changed${round}x${copy}`;
    return {
      problemId: `problem-${round}-${index}`,
      domain: DOMAINS[number % DOMAINS.length]!,
      family,
      prompt: words.join(' '),
    };
  });
}

/** Two candidates' results; the first succeeded. */
function resultsOf({ problemId, domain, family, prompt }: Planted): readonly EventOf<'OutcomeRecorded'>[] {
  return [true, false].map((success, candidateIndex): EventOf<'OutcomeRecorded'> => {
    const experienceId = derivedId(problemId, 'experience', candidateIndex);
    return {
      ...EXAMPLE_EVENTS.OutcomeRecorded,
      meta: {
        ...originMeta({
          messageId: derivedId(experienceId, 'outcome'),
          correlationId: problemId,
          source: 'seam/executor',
          occurredAt: 1_700_000_000_000,
          sourceClass: 'model',
        }),
        causationId: experienceId,
      },
      problem: {
        problemId,
        domain,
        prompt,
        reference: '4',
        verifier: { kind: 'exact', version: '1', options: {} },
        metadata: {},
      },
      experienceId,
      groupId: derivedId(problemId, 'group'),
      candidateIndex,
      groupSize: 2,
      arm: 'explore',
      entry: JSON.stringify({ concepts: [`concept ${family}`], strategy: ['as it is'], pitfalls: [] }),
      promptTokenIds: [1, 2, 3],
      tokenIds: [4, 5, 6],
      forced: [true, false, true],
      baseModelDigest: 'base',
      adapterDigest: null,
      success,
      reward: success ? 1 : 0,
    };
  });
}

async function readiness(services: ServiceProcesses, name: InstanceName): Promise<readonly string[]> {
  const line = services.said('"msg":"service started"').findLast((each) => each.startsWith(`${name}: `));
  if (line === undefined) return [];
  const { url } = JSON.parse(line.slice(name.length + 2)) as { url: string };
  const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
  if (answer?.status !== 200) return [];
  const { checks } = (await answer.json()) as {
    checks: { subscriptions: Record<string, { partitions?: readonly string[] }> };
  };
  return Object.entries(checks.subscriptions)
    .filter(([, { partitions }]) => partitions?.length === PARTITIONS)
    .map(([group]) => group.replace('seam.buffer.', ''));
}

/**
 * Round by round: half of the results, what happens in between, the other half, and every shard's version.
 * @param between after the first half of each round, 1, 2, …
 */
async function play(
  deployment: Deployment,
  folder: string,
  {
    shards,
    instances,
    between = async () => undefined,
  }: {
    readonly shards: number;
    readonly instances: readonly InstanceName[];
    readonly between?: (round: number, scene: Scene) => Promise<void>;
  },
): Promise<Played> {
  const environment = {
    ...deployment.environment,
    SEAM_BUFFER_SHARDS: String(shards),
    // Outcomes alone are planted.
    SEAM_EVIDENCE: 'none',
    SEAM_BUFFER_RULES_MAX_ROWS_PER_SUBJECT: '0',
    SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: String(PROBLEMS_PER_ROUND),
    SEAM_BUFFER_MAX_BATCH_RECORDS: '16',
  };
  const log = await deployment.openLog();
  const services = new ServiceProcesses(environment, { instances });
  const scene: Scene = {
    services,
    shardsOf: async () =>
      new Map(
        await Promise.all(services.names().map(async (name) => [name, await readiness(services, name)] as const)),
      ),
  };
  try {
    services.startAll();
    for (let round = 1; round <= ROUNDS; round++) {
      const problems = problemsOf(round);
      await publish(log, problems.slice(0, PROBLEMS_PER_ROUND / 2));
      await between(round, scene);
      await publish(log, problems.slice(PROBLEMS_PER_ROUND / 2));
      await reached(
        async () => ofType(await allEventsOf(log, [TOPIC.buffer]), 'BufferCommitted').length >= round * shards,
        `the versions of round ${round}`,
        services,
      );
    }
    await pause(300);
    const exitCodes = await services.end();
    const decisions = ofType(await allEventsOf(log, [TOPIC.buffer]), 'SuccessAdmitted', 'SuccessRejected');
    const seam = async (...args: string[]): Promise<string> => {
      const env = { PATH: process.env.PATH, ...deployment.environment };
      return (await run(process.execPath, [SEAM, ...args], { cwd: folder, env })).stdout;
    };
    await seam('buffer', 'export', '--format', 'jsonl', '--out', 'rows.jsonl', '--force');
    const lines = (await readFile(join(folder, 'rows.jsonl'), 'utf8')).trim().split('\n');
    return {
      ...(await recordedRun(log)),
      rows: lines.map((line) => JSON.parse(line) as BufferRow),
      decisions,
      complaints: services.complaints(),
      exitCodes,
      verification: JSON.parse(await seam('--json', 'replay', '--verify-buffer')) as Played['verification'],
    };
  } finally {
    await services.end();
    await log.close();
  }
}

/** The fate of each family: outcomes kept now, and why the others are not. */
function fates({ rows, decisions }: Pick<Played, 'rows' | 'decisions'>) {
  const kept = new Map(rows.map(({ problemId, outcomeId }) => [problemId, outcomeId]));
  const said = ofTypeLast(decisions);
  return [...FAMILIES.values()].map((members) => ({
    kept: members.filter(({ problemId }) => kept.has(problemId)).length,
    reasons: members.filter(({ problemId }) => !kept.has(problemId)).map(({ problemId }) => said.get(problemId)),
  }));
}

/** Of each problem why it is out, as it was said last. */
function ofTypeLast(decisions: readonly SeamEvent[]): ReadonlyMap<string, string> {
  return new Map(
    ofType(decisions, 'SuccessRejected').map(({ problemId, reason, detail }) => [
      problemId,
      reason === 'displaced' ? detail.slice(0, detail.indexOf(':')) : reason,
    ]),
  );
}
