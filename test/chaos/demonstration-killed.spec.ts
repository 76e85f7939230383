/**
 * The demonstration with the shipped models and recipe: imitation, comparison, promotions, new problems. Once as `npm
 * start` runs it; once with each service in a separate process, killed in the midst of its work. Shortened here;
 * `npm run chaos:demonstration` does the whole of it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventLog } from '@seamstream/event-log';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { TOPIC, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import { embeddedEnvironment, writeWorldFiles } from '@seamstream/standalone';
import { totalRecords } from '@seamstream/testing';
import { allEventsOf, ofType, type RecordedRun, recordedRun, repeatedIds } from '../support/recorded-run.js';
import { SERVICES, type ServiceName, ServiceProcesses } from '../support/service-processes.js';

const START = fileURLToPath(new URL('../../apps/standalone/bin/start.js', import.meta.url));
const KILLS = 20;
/** How a demonstration ends whose rounds were over before every domain reached its target, as the shortened one's are. */
const NOT_CONVERGED = 3;

interface Plan {
  readonly seed: number;
  readonly roundSize: number;
  /** At most; the demonstration ends a phase when it has converged. */
  readonly baseRounds: number;
  readonly shiftedRounds: number;
  /** What is otherwise than in the demonstration. */
  readonly environment: Environment;
}

const WHOLE: Plan = { seed: 2, roundSize: 64, baseRounds: 24, shiftedRounds: 12, environment: {} };
const SHORTENED: Plan = {
  seed: 2,
  roundSize: 32,
  baseRounds: 4,
  shiftedRounds: 1,
  // So that few rounds see both algorithms, and few steps more than one checkpoint.
  environment: { SEAM_TRAINER_CURRICULUM_IMITATE_BELOW: '0.2', SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '3' },
};
const PLAN = process.env.SEAM_TEST_WHOLE_DEMONSTRATION === undefined ? SHORTENED : WHOLE;

interface Kills {
  readonly kills: number;
  /** Kills of the trainer after which a run stood unfinished in the log. */
  readonly runsInterrupted: number;
}

interface Result extends RecordedRun {
  readonly algorithms: readonly string[];
  readonly phases: readonly string[];
  /** Time from the first problem of a round to the end of its training run, per round. */
  readonly roundMs: readonly number[];
  /** How many records a service writes to its topic in a round, on average. */
  readonly recordsOfRound: Readonly<Record<Exclude<ServiceName, 'trainer'>, number>>;
}

/** Where a service's work of a round becomes due: records of this topic. */
const CAUSE = {
  generator: TOPIC.problems,
  executor: TOPIC.experiences,
  buffer: TOPIC.outcomes,
  trainer: TOPIC.training,
} as const satisfies Record<ServiceName, string>;

/** Where a service's work of a round is seen: records of this topic. */
const EFFECT = {
  generator: TOPIC.experiences,
  executor: TOPIC.outcomes,
  buffer: TOPIC.buffer,
} as const satisfies Partial<Record<ServiceName, string>>;

/** Longest wait before the kill, as a share of an undisturbed round: about the share of the round that the work takes. */
const LONGEST_WAIT = { generator: 0.4, executor: 0.3, buffer: 0.3, trainer: 0.2 } as const satisfies Record<
  ServiceName,
  number
>;

/** Largest share of a round's records that a service has written when it is killed; rounds differ, and it shall be at work. */
const MOST_WRITTEN = 0.6;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The demonstration's process on a data folder; resolves when it has ended. */
class Demonstration {
  private readonly child: ChildProcess;
  private stderr = '';

  constructor(folder: string, more: readonly string[] = []) {
    const { seed, roundSize, baseRounds, shiftedRounds, environment } = PLAN;
    this.child = spawn(
      process.execPath,
      // biome-ignore format: one option per pair reads best
      [START, '--exit', '--method', 'experiences', '--seed', String(seed), '--data-dir', folder,
       '--round-size', String(roundSize), '--max-rounds', String(baseRounds), '--max-shifted-rounds', String(shiftedRounds), '--held-out', '8', ...more],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, ...environment } },
    );
    this.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr = (this.stderr + chunk).slice(-4000);
    });
  }

  async ended(): Promise<void> {
    const [code] = (await once(this.child, 'exit')) as [number | null];
    if (code !== 0 && code !== NOT_CONVERGED) throw new Error(`the demonstration ended with ${code}\n${this.stderr}`);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

async function resultOf(folder: string): Promise<Result> {
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  try {
    const events = await allEventsOf(log);
    const startOf = new Map<string, number>();
    const phaseOf = new Map<string, string>();
    for (const { problem, meta } of ofType(events, 'ProblemPublished')) {
      const { round, phase } = problem.metadata as { round: string; phase: string };
      startOf.set(round, Math.min(startOf.get(round) ?? Infinity, meta.occurredAt));
      phaseOf.set(round, phase);
    }
    const rounds = [...startOf.keys()].sort((a, b) => Number(a) - Number(b));
    const runs = ofType(events, 'TrainingRunStarted').sort((a, b) => a.meta.occurredAt - b.meta.occurredAt);
    const ends = ofType(events, 'AdapterPromoted', 'TrainingRunRejected', 'TrainingRunFailed')
      .map(({ meta }) => meta.occurredAt)
      .sort((a, b) => a - b);
    return {
      ...(await recordedRun(log)),
      algorithms: runs.map(({ algorithm }) => algorithm),
      phases: rounds.map((round) => phaseOf.get(round)!),
      roundMs: rounds.map((round, index) => ends[index]! - startOf.get(round)!),
      recordsOfRound: {
        generator: (await totalRecords(log, EFFECT.generator)) / rounds.length,
        executor: (await totalRecords(log, EFFECT.executor)) / rounds.length,
        buffer: (await totalRecords(log, EFFECT.buffer)) / rounds.length,
      },
    };
  } finally {
    await log.close();
  }
}

/** Whether a run has begun and not ended. */
async function isTraining(log: EventLog): Promise<boolean> {
  const events = await allEventsOf(log, [TOPIC.training, TOPIC.adapters]);
  const ended = new Set(
    ofType(events, 'AdapterPromoted', 'TrainingRunRejected', 'TrainingRunFailed').map(({ runId }) => runId),
  );
  return ofType(events, 'TrainingRunStarted').some(({ runId }) => !ended.has(runId));
}

/** Records of each training run in the order in which the runs began: one run a round. */
async function recordsOfRuns(log: EventLog): Promise<readonly number[]> {
  const events = await allEventsOf(log, [TOPIC.training]);
  const started = ofType(events, 'TrainingRunStarted').sort((a, b) => a.meta.occurredAt - b.meta.occurredAt);
  return started.map(({ runId }) => events.filter((event) => 'runId' in event && event.runId === runId).length);
}

/**
 * Kills, spread evenly over the rounds, each a random while after the service's work of that round has become due. The undisturbed rounds
 * say how long, but the machine may have been slower then. So a kill comes at the latest when the service has written a random share of
 * its records, or the round's run has begun, and the trainer's at the run's second record.
 */
async function killAcross(
  services: ServiceProcesses,
  log: EventLog,
  { roundMs, recordsOfRound }: Pick<Result, 'roundMs' | 'recordsOfRound'>,
  signal: AbortSignal,
): Promise<Kills> {
  const random = Random.of('kills of the demonstration');
  let kills = 0;
  let runsInterrupted = 0;
  const isOver = (): boolean => signal.aborted;
  const until = async (isReached: () => Promise<boolean>): Promise<void> => {
    while (!isOver() && !(await isReached())) {
      if (services.complaints().length > 0) throw new Error(services.complaints().join('\n'));
      await pause(20);
    }
  };
  let round = 0;
  const before = new Map<string, number>();
  while (kills < KILLS && !isOver()) {
    const next = Math.floor((kills * roundMs.length) / KILLS);
    if (next >= round) {
      await until(async () => (await totalRecords(log, TOPIC.problems)) >= (next + 1) * PLAN.roundSize);
      for (const topic of [...Object.values(CAUSE), ...Object.values(EFFECT)])
        before.set(topic, await totalRecords(log, topic));
      before.set(TOPIC.problems, -1);
      round = next + 1;
    }
    const name = SERVICES[kills % SERVICES.length]!;
    const share = random.float();
    const hasWritten = async (topic: string, records: number): Promise<boolean> =>
      (await totalRecords(log, topic)) > before.get(topic)! + records;
    const isLate = async (): Promise<boolean> => {
      const run = (await recordsOfRuns(log))[next] ?? 0;
      if (name === 'trainer') return run > 1;
      return run > 0 || (await hasWritten(EFFECT[name], share * MOST_WRITTEN * recordsOfRound[name]));
    };
    await until(async () => (await hasWritten(CAUSE[name], 0)) || (await isLate()));
    const giveUp = performance.now() + share * LONGEST_WAIT[name] * roundMs[next]!;
    await until(async () => performance.now() >= giveUp || (await isLate()));
    if (isOver()) break;
    await services.killAndRestart(name);
    kills++;
    if (name === 'trainer' && (await isTraining(log))) runsInterrupted++;
  }
  return { kills, runsInterrupted };
}

async function playKilled(folder: string, undisturbed: Result): Promise<Result & Kills> {
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  const { seed, roundSize } = PLAN;
  const settings = { dataFolder: folder, seed, roundSize, algorithm: 'curriculum' };
  const services = new ServiceProcesses(embeddedEnvironment(settings, PLAN.environment));
  const ending = new AbortController();
  let driver: Demonstration | undefined;
  let exitCodes: readonly (number | null)[] | undefined;
  try {
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    await writeWorldFiles(folder);
    services.startAll();
    driver = new Demonstration(folder, ['--services', 'none']);
    const over = driver.ended();
    const disturbance = killAcross(services, log, undisturbed, ending.signal);
    // A kill that cannot be made ends the test at once.
    await Promise.race([over, disturbance.then(() => over)]);
    ending.abort();
    const kills = await disturbance;
    exitCodes = await services.end();
    expect(services.complaints()).toEqual([]);
    expect(exitCodes).toEqual([0, 0, 0, 0]);
    return { ...(await resultOf(folder)), ...kills };
  } finally {
    ending.abort();
    driver?.kill();
    if (exitCodes === undefined) await services.end();
    await log.close();
  }
}

describe('the demonstration, its services killed', () => {
  let folder: string;
  let undisturbed: Result;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'demonstration-killed-'));
    const demonstration = new Demonstration(join(folder, 'undisturbed'));
    try {
      await demonstration.ended();
    } finally {
      demonstration.kill();
    }
    undisturbed = await resultOf(join(folder, 'undisturbed'));
  }, 600_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('left alone, it imitates and compares, promotes, and meets the new problems', () => {
    const { algorithms, phases, ends } = undisturbed;
    expect(new Set(algorithms)).toEqual(new Set(['sft', 'grpo']));
    expect(algorithms.length).toBeGreaterThanOrEqual(4);
    expect(phases).toContain('shifted');
    expect(ends.filter((end) => end.startsWith('AdapterPromoted')).length).toBeGreaterThanOrEqual(2);
  });

  it('R01: killed twenty times, all of them, it leaves the same buffers, the same adapters and no effect twice', async () => {
    const killed = await playKilled(join(folder, 'killed'), undisturbed);
    const { phases, buffers, adapters, ends, ledger } = killed;
    expect(killed.kills).toBe(KILLS);
    expect(killed.runsInterrupted).toBeGreaterThan(0);
    expect(phases).toEqual(undisturbed.phases);
    expect(buffers).toEqual(undisturbed.buffers);
    expect(adapters).toEqual(undisturbed.adapters);
    expect(ends).toEqual(undisturbed.ends);
    expect(killed.deadLetters).toBe(0);
    expect(ledger).toEqual(undisturbed.ledger);
    expect(ledger).toMatchObject({
      published: phases.length * PLAN.roundSize,
      inFlight: 0,
      orphaned: 0,
      balanced: true,
    });
    for (const kind of ['experiences', 'outcomes', 'admissions'] as const) {
      expect(repeatedIds(killed[kind])).toEqual([]);
      expect([...killed[kind]].sort()).toEqual([...undisturbed[kind]].sort());
    }
  }, 1_200_000);
});
