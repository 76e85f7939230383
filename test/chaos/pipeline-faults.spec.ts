/**
 * Faults of the pipeline on the embedded drivers, each against one undisturbed run of the same rounds: nothing lost, nothing
 * counted twice, the same buffers and adapters. Ids are rows of docs/explanation/resilience.md; `npm run chaos:rows` takes the full figures.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventLog, LogRecord } from '@seamstream/event-log';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { decodeEvent, encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import { totalRecords } from '@seamstream/testing';
import { deploy } from '../support/deployment.js';
import { expectSwaps, swapUnderLoad } from '../support/hot-swap.js';
import { killAtMoments, type Moment } from '../support/moments.js';
import { allEventsOf, ofType, recordedRun, repeatedIds } from '../support/recorded-run.js';
import { type InstanceName, SERVICES, type ServiceName, ServiceProcesses } from '../support/service-processes.js';
import { playToyRun, type Scene, type ToyRun, type ToyRunOptions } from '../support/toy-run.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

const FULL = process.env.SEAM_TEST_CHAOS === 'full';
const ROUNDS = 4;
/** Twice what a member of the embedded log may be silent. */
const ZOMBIE_MS = 6_500;
/** For processes and all their threads. */
const PLANTS = `--import=${new URL('../support/mutant.mjs', import.meta.url).href}`;
const SKEWED_CLOCK = ['--import', fileURLToPath(new URL('../support/skewed-clock.mjs', import.meta.url))];

let world: ToyWorld;
let undisturbed: ToyRun;
let reference: string;

type Faults = Pick<ToyRunOptions, 'disturb' | 'processes' | 'publish' | 'inspect'> & {
  readonly environment?: Environment;
};

async function playIn(folder: string, { environment = {}, ...run }: Faults = {}): Promise<ToyRun> {
  const deployment = await deploy({ folder, environment: { ...toyEnvironment(world, folder), ...environment } });
  return playToyRun({ deployment, goesOn: (round) => round <= ROUNDS, ...run });
}

async function play(faults: Faults): Promise<ToyRun> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-faults-'));
  try {
    return await playIn(folder, faults);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Nothing lost, nothing counted twice, and all content is that of the undisturbed run. */
function expectSame(run: ToyRun): void {
  expect(run.ledger).toEqual(undisturbed.ledger);
  expect(run.ledger).toMatchObject({ published: ROUNDS * TOY_ROUND, inFlight: 0, orphaned: 0, balanced: true });
  expect(run.deadLetters).toBe(0);
  expect(run.buffers).toEqual(undisturbed.buffers);
  expect(run.adapters).toEqual(undisturbed.adapters);
  expect(run.ends).toEqual(undisturbed.ends);
  for (const kind of ['experiences', 'outcomes', 'admissions', 'rejections'] as const) {
    expect(repeatedIds(run[kind])).toEqual([]);
    expect([...run[kind]].sort()).toEqual([...undisturbed[kind]].sort());
  }
}

beforeAll(async () => {
  world = await createToyWorld();
  reference = await mkdtemp(join(tmpdir(), 'pipeline-undisturbed-'));
  undisturbed = await playIn(reference);
  expect(undisturbed.complaints).toEqual([]);
}, 900_000);

afterAll(async () => {
  await rm(world.folder, { recursive: true });
  await rm(reference, { recursive: true });
});

it('R02: killed as soon as a step shows, in the log or among the objects, services take up what was left', async () => {
  const moments: Moment[] = [
    { service: 'generator', name: 'a problem is recorded', topic: TOPIC.problems },
    { service: 'generator', name: 'experiences are recorded, and their author dies', topic: TOPIC.experiences },
    { service: 'executor', name: 'experiences are recorded', topic: TOPIC.experiences },
    { service: 'executor', name: 'outcomes are recorded', topic: TOPIC.outcomes },
    { service: 'buffer', name: 'rows appear', object: /part-00000\.parquet$/ },
    { service: 'buffer', name: 'a snapshot appears', object: /snapshots\/[^/]+\.bin$/ },
    { service: 'buffer', name: 'a manifest appears', object: /manifest\.json$/ },
    { service: 'buffer', name: 'a version is recorded', topic: TOPIC.buffer },
    { service: 'trainer', name: 'a run is recorded', topic: TOPIC.training },
    { service: 'trainer', name: 'a checkpoint appears', object: /step-\d+\.safetensors/ },
    { service: 'trainer', name: 'an adapter’s lineage appears', object: /lineage\.json$/ },
    { service: 'trainer', name: 'an adapter appears', object: /adapter\.safetensors$/ },
    { service: 'trainer', name: 'an adapter is recorded', topic: TOPIC.adapters },
  ];
  const expected = Array.from({ length: FULL ? 3 : 1 }, () => moments).flat();
  let came: readonly string[] = [];
  const run = await play({
    disturb: async (scene, signal) => {
      came = await killAtMoments(scene, expected, signal);
    },
  });
  expect([...came].sort()).toEqual(expected.map(({ name }) => name).sort());
  expectSame(run);
}, 600_000);

it('R05: of members that were stopped, replaced and woken, nothing is accepted', async () => {
  const stopped = ['generator', 'executor'] as const;
  const run = await play({
    processes: { instances: [...SERVICES, 'generator-2', 'executor-2'] },
    disturb: async (scene) => {
      const { services } = scene;
      for (let turn = 0; turn < (FULL ? 10 : 1); turn++) {
        const before = scene.round();
        while (scene.round() === before) await pause(5);
        for (const name of stopped) services.signal(name, 'SIGSTOP');
        await pause(ZOMBIE_MS);
        for (const name of stopped) services.signal(name, 'SIGCONT');
      }
    },
  });
  expectSame(run);
}, 900_000);

it('R06: members that join and leave all the time cost nothing but time', async () => {
  const run = await play({
    disturb: async ({ services }, signal) => {
      const until = performance.now() + (FULL ? 60_000 : 8_000);
      for (let turn = 0; performance.now() < until && !signal.aborted; turn++) {
        const name = (['generator', 'executor', 'buffer', 'trainer'] as const)[turn % 4]!;
        const newcomer = `${name}-${2 + (Math.floor(turn / 4) % 2)}` as const;
        services.start(newcomer);
        await pause(1_000);
        await services.terminate(turn % 3 === 0 ? newcomer : name, 30_000);
        if (turn % 3 !== 0) {
          services.start(name);
          await services.terminate(newcomer, 30_000);
        }
      }
    },
  });
  expectSame(run);
}, 600_000);

it('R07: problems, experiences and outcomes that are written up to five times count once', async () => {
  const random = Random.of('R07');
  let copies = 0;
  /** Some of the last hundred records of each topic once more, as a client that copies a log at least once would leave them. */
  const repeat = async ({ log }: Scene, signal: AbortSignal): Promise<void> => {
    const repeated = new Set<string>();
    const recent = new Map<string, LogRecord[]>();
    const topics = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];
    for await (const records of log.follow({ topics, from: 'earliest', signal })) {
      const again: LogRecord[] = [];
      for (const record of records) {
        const name = `${record.topic} ${decodeEvent(record).meta.messageId}`;
        if (repeated.has(name)) continue;
        repeated.add(name);
        const last = recent.get(record.topic) ?? [];
        recent.set(record.topic, [...last, record].slice(-100));
        for (let copy = random.int(5); copy > 0; copy--) again.push(random.pick(recent.get(record.topic)!));
      }
      copies += again.length;
      if (again.length > 0)
        await log.append(again.map(({ topic, key, value, headers }) => ({ topic, key, value, headers })));
    }
  };
  const run = await play({ disturb: repeat });
  expect(copies).toBeGreaterThan(run.outcomes.length / 2);
  expect(run.complaints).toEqual([]);
  // The ledger says what is there more than once, and counts it once.
  expect({ ...run.ledger, repeated: undisturbed.ledger.repeated }).toEqual(undisturbed.ledger);
  expect(run.deadLetters).toBe(0);
  expect(run.bufferDigests).toEqual(undisturbed.bufferDigests);
  expect(run.adapterDigests).toEqual(undisturbed.adapterDigests);
  // What follows from them was made once: only the copies are in the log more than once, word for word.
  for (const kind of ['experiences', 'outcomes', 'admissions', 'rejections'] as const)
    expect([...new Set(run[kind])].sort()).toEqual([...undisturbed[kind]].sort());
  for (const kind of ['admissions', 'rejections'] as const) expect(repeatedIds(run[kind])).toEqual([]);
}, 900_000);

it('R27: a trainer killed while it trains and while it writes checkpoints ends at the same adapters', async () => {
  const moments = Array.from({ length: FULL ? 12 : 2 }, (_, index): readonly Moment[] => [
    { service: 'trainer', name: `step ${index}`, topic: TOPIC.training },
    { service: 'trainer', name: `checkpoint ${index}`, object: /step-\d+\.safetensors/ },
  ]).flat();
  let came: readonly string[] = [];
  const run = await play({
    disturb: async (scene, signal) => {
      came = await killAtMoments(scene, moments, signal);
    },
  });
  expect(came).toHaveLength(moments.length);
  expectSame(run);
}, 600_000);

it('R28: of two trainers and two buffers one works, the other stands by and ends with 0; each run is started once', async () => {
  let started: readonly string[] = [];
  const run = await play({
    processes: { instances: [...SERVICES, 'trainer-2', 'buffer-2'] },
    inspect: async (log) => {
      started = ofType(await allEventsOf(log, [TOPIC.training]), 'TrainingRunStarted').map(({ runId }) => runId);
    },
  });
  expect(run.exitCodes).toEqual([0, 0, 0, 0, 0, 0]);
  expect(new Set(started).size).toBe(started.length);
  expect(started).toHaveLength(ROUNDS);
  expectSame(run);
}, 300_000);

it('R31: clocks that are wrong by minutes or hours, and jump by a day, change no content', async () => {
  const run = await play({
    processes: { instances: [], nodeArguments: Object.fromEntries(SERVICES.map((name) => [name, SKEWED_CLOCK])) },
    disturb: async ({ services }) => {
      services.start('generator', { SKEW_MS: '600000' });
      services.start('generator-2', { SKEW_MS: '-600000' });
      services.start('executor', { SKEW_MS: '3600000' });
      services.start('executor-2', { SKEW_MS: '-3600000' });
      services.start('buffer', { JUMP_MS: '-86400000', JUMP_AFTER_MS: '4000' });
      services.start('trainer', { JUMP_MS: '86400000', JUMP_AFTER_MS: '4000' });
    },
  });
  expect(run.complaints).toEqual([]);
  expectSame(run);
}, 300_000);

it('R35: asked to end in the middle of work, every service ends with 0, and nothing is done twice', async () => {
  const codes: (readonly [ServiceName, number | null])[] = [];
  const run = await play({
    disturb: async ({ services }, signal) => {
      const random = Random.of('R35');
      for (let turn = 0; turn < (FULL ? 10 : 1) && !signal.aborted; turn++) {
        for (const name of SERVICES) {
          while (!services.isAtWork(name)) await pause(20);
          await pause(random.int(400));
          codes.push([name, await services.terminate(name, 60_000)]);
          services.start(name);
        }
      }
    },
  });
  expect(codes.filter(([, code]) => code !== 0)).toEqual([]);
  expect(codes.length).toBeGreaterThanOrEqual(SERVICES.length);
  expectSame(run);
}, 600_000);

it('R29: adapters are swapped under load: no problem fails, no group mixes two, and the promoted one writes the next', async () => {
  const log = await LmdbEventLog.open({ folder: join(reference, 'log') });
  try {
    expectSwaps(await swapUnderLoad(log, toyEnvironment(world, reference), 10));
  } finally {
    await log.close();
  }
}, 300_000);

describe('R39: the harness catches planted faults', () => {
  const PROBLEMS = 48;
  const STILL_MS = 15_000;

  interface Found {
    /** Problems without an end although everything was consumed. */
    readonly inFlight: number;
    readonly repeated: number;
    readonly ids: readonly string[];
  }

  const isQuiet = async (log: EventLog): Promise<boolean> => {
    for (const [group, topic] of [
      ['seam.generator', TOPIC.problems],
      ['seam.executor', TOPIC.experiences],
    ] as const) {
      const committed = new Map((await log.committedOffsets(group)).map((each) => [each.partition, each.nextOffset]));
      const marks = await log.watermarks(topic);
      if (marks.some(({ partition, high }) => (committed.get(partition) ?? 0) < high)) return false;
    }
    return true;
  };

  /** Generator and executor alone, disturbed, then left to finish. */
  async function flow(
    mutant: string | undefined,
    disturb: (services: ServiceProcesses, log: EventLog) => Promise<void>,
  ): Promise<Found> {
    const folder = await mkdtemp(join(tmpdir(), 'mutant-'));
    const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
    const planted = mutant === undefined ? {} : { MUTANT: mutant, NODE_OPTIONS: PLANTS };
    const services = new ServiceProcesses(
      { ...toyEnvironment(world, folder), ...planted },
      { instances: ['generator', 'executor'] },
    );
    try {
      await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
      await log.append(Array.from({ length: PROBLEMS }, (_, number) => encodeEvent(toyPublication('problem', number))));
      services.startAll();
      await disturb(services, log);
      // To the end of all topics, or, where a fault moved offsets back, until nothing comes any more.
      let [records, sinceMs] = [-1, performance.now()];
      while (!(await isQuiet(log)) && performance.now() - sinceMs < STILL_MS) {
        await pause(100);
        const now = (await totalRecords(log, TOPIC.experiences)) + (await totalRecords(log, TOPIC.outcomes));
        if (now !== records) [records, sinceMs] = [now, performance.now()];
      }
      // An append that is apart from its offsets comes after them.
      await pause(1_000);
      await services.end();
      const { experiences, outcomes, ledger } = await recordedRun(log);
      return {
        inFlight: ledger.inFlight,
        repeated: repeatedIds(experiences).length + repeatedIds(outcomes).length,
        ids: [...new Set([...experiences, ...outcomes].map((fact) => fact.split(' ')[0]!))].sort(),
      };
    } finally {
      await services.end();
      await log.close();
      await rm(folder, { recursive: true });
    }
  }

  const isAtWorkWithin = async (services: ServiceProcesses, name: InstanceName, ms: number): Promise<boolean> => {
    const untilMs = performance.now() + ms;
    while (!services.isAtWork(name) && performance.now() < untilMs) await pause(10);
    return services.isAtWork(name);
  };
  /** Ten kills at most: none after the fault has shown. */
  const killed = async (
    services: ServiceProcesses,
    hasShown: () => Promise<boolean> = async () => false,
  ): Promise<void> => {
    const random = Random.of('R39');
    for (let kill = 0; kill < 10 && !(await hasShown()); kill++) {
      const name = (['generator', 'executor'] as const)[kill % 2]!;
      if (!(await isAtWorkWithin(services, name, 60_000)))
        throw new Error(`${name} does not start: ${services.complaints().join(', ')}`);
      await pause(100 + random.int(400));
      await services.killAndRestart(name);
    }
  };
  /** Stopped in the middle of its work, replaced by another, woken. */
  const stopped = async (services: ServiceProcesses, log: EventLog): Promise<void> => {
    while ((await totalRecords(log, TOPIC.experiences)) === 0) {
      if (services.complaints().length > 0) throw new Error(services.complaints().join('\n'));
      await pause(5);
    }
    // By now the next batch is in flight.
    await pause(700);
    services.signal('generator', 'SIGSTOP');
    services.start('generator-2');
    // Stopped in a commit, it keeps the log's write lock and no other can join. So it runs for another moment, and is stopped again.
    for (let tries = 0; !(await isAtWorkWithin(services, 'generator-2', 15_000)); tries++) {
      if (tries === 5) throw new Error(`no other took the stopped one's place: ${services.complaints().join(', ')}`);
      services.signal('generator', 'SIGCONT');
      await pause(20);
      services.signal('generator', 'SIGSTOP');
    }
    await pause(ZOMBIE_MS);
    services.signal('generator', 'SIGCONT');
  };

  let sound: Found;
  beforeAll(async () => {
    sound = await flow(undefined, (services) => killed(services));
  }, 300_000);

  it('none is there: nothing is lost or repeated, with the same kills and with a member that is stopped', async () => {
    expect(sound).toMatchObject({ inFlight: 0, repeated: 0 });
    expect(await flow(undefined, stopped)).toEqual(sound);
  }, 300_000);

  it('offsets are committed before what follows from them: problems are lost', async () => {
    expect((await flow('commit-before-write', (services) => killed(services))).inFlight).toBeGreaterThan(0);
  }, 300_000);

  it('what follows is written apart from its offsets: it is there twice', async () => {
    const untilRepeated = async (services: ServiceProcesses, log: EventLog): Promise<void> => {
      await killed(services, async () => {
        const { experiences, outcomes } = await recordedRun(log);
        return repeatedIds(experiences).length + repeatedIds(outcomes).length > 0;
      });
    };
    expect((await flow('write-before-commit', untilRepeated)).repeated).toBeGreaterThan(0);
  }, 300_000);

  it('ids are new ones instead of derived ones: no reader can recognise them', async () => {
    // This needs no kill.
    expect((await flow('new-ids', async () => undefined)).ids).not.toEqual(sound.ids);
  }, 300_000);

  it('members that were replaced may commit: their in-flight records are there twice', async () => {
    expect((await flow('ignores-the-epoch', stopped)).repeated).toBeGreaterThan(0);
  }, 300_000);
});
