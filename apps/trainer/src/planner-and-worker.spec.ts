/** Planner and workers as separate processes on one log: which does what, which takes over, and what it costs. */

import {
  type ConsumedOffset,
  InMemoryEventLog,
  type LogRecord,
  type ReadOptions,
  type Transaction,
} from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import { sleep } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import type { RunningService } from '@seamstream/service-kit';
import { eventsOf, newWorld, openLog, totalRecords, until, type World } from '@seamstream/testing';
import { FakeEngine } from '@seamstream/training-contract/testing';
import {
  isNamedByContent,
  plannedEvent,
  planOf,
  planRun,
  runConfigurationOf,
  runMeta,
  startedEvent,
  TrainingHistoryReader,
} from '@seamstream/training-runs';
import {
  closeServices,
  commitVersion,
  configOf,
  consumed,
  digests,
  endsOfOutcomes,
  playRounds,
  publish,
  serve,
  undisturbed,
} from './trainer-world.fake.js';

afterEach(closeServices);

/** An engine whose steps wait until they are let go. */
class GatedEngine extends FakeEngine {
  waiting = 0;
  private readonly gate = Promise.withResolvers<undefined>();

  constructor() {
    super(async () => {
      this.waiting++;
      await this.gate.promise;
      this.waiting--;
    });
  }

  open(): void {
    this.gate.resolve(undefined);
  }
}

/** Puts a run on the queue that learns from what the first window's run does, as another run of no window: with another seed. */
async function planAnother(world: World, name?: string): Promise<EventOf<'TrainingRunPlanned'>> {
  const [first] = await eventsOf(world, 'TrainingRunPlanned');
  const { configuration, ...facts } = planOf(first!);
  const { runId, ...plan } = planRun({ ...facts, configuration: { ...configuration, window: null } }, ['another']);
  const named = { ...plan, runId: name ?? runId };
  const event = plannedEvent(named, first!.queue, runMeta(named.runId, 'planned', first!.meta.occurredAt));
  const planned = { type: 'TrainingRunPlanned', ...event } as const;
  await (await openLog(world)).append([encodeEvent(planned)]);
  return planned;
}

describe('planner and worker', () => {
  it('as separate processes make the adapters that one process makes', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'] } });
    await serve(world, { config: { roles: ['worker'] } });
    expect(await playRounds(world, 3)).toEqual(await undisturbed(3));
  });

  it('the planner records a plan while nothing trains, and commits what it has counted', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'] } });
    await publish(world, 0, 6);
    await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length === 1);
    const log = await openLog(world);
    await until(async () => {
      const counted = (await log.committedOffsets('seam.trainer')).reduce((sum, { nextOffset }) => sum + nextOffset, 0);
      return counted === (await totalRecords(log, TOPIC.outcomes));
    });
    expect(await eventsOf(world, 'TrainingRunStarted')).toHaveLength(0);
  });

  it('the planner counts the runs of its queue until they have ended, which is what workers are scaled by', async () => {
    const world = newWorld();
    const engine = new GatedEngine();
    const planner = await serve(world, { config: { roles: ['planner'] } });
    const other = await serve(world, { config: { roles: ['planner'], queue: 'other' } });
    const waiting = async (of: RunningService): Promise<number> =>
      Number(/^seam_training_runs_waiting (\d+)$/m.exec(await of.metrics.registry.metrics())?.[1]);
    expect(await waiting(planner)).toBe(0);
    await other.close();
    await publish(world, 0, 6);
    await until(async () => (await waiting(planner)) === 1);
    await planAnother(world);
    expect([await waiting(planner), await waiting(other)]).toEqual([2, 0]);
    const ages = /^seam_training_oldest_run_seconds (\S+)$/m;
    const { meta } = (await eventsOf(world, 'TrainingRunPlanned'))[0]!;
    const age = Number(ages.exec(await planner.metrics.registry.metrics())?.[1]);
    expect(Math.abs(age - (Date.now() - meta.occurredAt) / 1000)).toBeLessThan(60);
    expect(ages.exec(await other.metrics.registry.metrics())?.[1]).toBe('0');
    await serve(world, { engine, config: { roles: ['worker'] } });
    await until(() => engine.waiting === 1);
    // A run in progress needs its worker.
    expect(await waiting(planner)).toBe(2);
    engine.open();
    await until(async () => (await waiting(planner)) === 0);
  });

  it('a window waits until the run before it has ended, and begins with what that made', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'] } });
    await publish(world, 0, 12);
    await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length === 1);
    await sleep(100);
    expect(await eventsOf(world, 'TrainingRunPlanned')).toHaveLength(1);
    await serve(world, { config: { roles: ['worker'] } });
    await consumed(world);
    const [promoted] = await eventsOf(world, 'AdapterPromoted');
    const indexOf = (plan: EventOf<'TrainingRunPlanned'>): number => runConfigurationOf(plan).window!.index;
    const plans = (await eventsOf(world, 'TrainingRunPlanned')).sort((a, b) => indexOf(a) - indexOf(b));
    expect(plans.map(({ parentAdapter }) => parentAdapter)).toEqual([null, promoted!.adapterDigest]);
  });

  it('two workers train two runs at once', async () => {
    const world = newWorld();
    const engines = [new GatedEngine(), new GatedEngine()];
    await serve(world, { config: { roles: ['planner'] } });
    for (const engine of engines) await serve(world, { engine, config: { roles: ['worker'] } });
    await publish(world, 0, 6);
    await until(async () => (await eventsOf(world, 'TrainingRunStarted')).length === 1);
    await planAnother(world);
    await until(() => engines.every(({ waiting }) => waiting === 1));
    for (const engine of engines) engine.open();
    await consumed(world);
    expect(engines.map(({ begun }) => begun.length)).toEqual([1, 1]);
    const ended = [...(await eventsOf(world, 'AdapterPromoted')), ...(await eventsOf(world, 'TrainingRunRejected'))];
    expect(new Set(ended.map(({ runId }) => runId)).size).toBe(2);
  });

  it('several workers that see a run at once carry it out once', async () => {
    const world = newWorld();
    const engines = Array.from({ length: 4 }, () => new FakeEngine());
    for (const engine of engines) await serve(world, { engine, config: { roles: ['worker'] } });
    await serve(world, { config: { roles: ['planner'] } });
    await publish(world, 0, 6);
    await consumed(world);
    expect(await eventsOf(world, 'AdapterPublished')).toHaveLength(1);
    expect(await eventsOf(world, 'TrainingRunCompleted')).toHaveLength(1);
    expect(await digests(world)).toEqual(await undisturbed(1));
  });

  it('a run whose worker died is taken by another when its lease has run out, from its last checkpoint', async () => {
    const world = newWorld();
    const dying = new GatedEngine();
    const config = { roles: ['worker'], leaseMs: 300 };
    await serve(world, { config: { roles: ['planner'] } });
    // Dead to the others: its lease is renewed no more, and it leaves none of its objects behind it.
    const objects = new InMemoryObjectStore(world.objects);
    await serve(world, { engine: dying, config });
    await publish(world, 0, 6);
    await until(() => dying.waiting === 1);
    const [key] = [...world.objects.keys()].filter((name) => name.endsWith('lease.json'));
    const lease = await objects.get(key!);
    const heir = new FakeEngine();
    await serve(world, { engine: heir, config });
    await sleep(500);
    // As long as it is renewed, no other worker takes the run.
    expect(heir.begun).toHaveLength(0);
    const frozen = setInterval(() => void objects.put(key!, lease), 1);
    try {
      await until(() => heir.begun.length === 1);
    } finally {
      clearInterval(frozen);
    }
    await consumed(world);
    expect(await digests(world)).toEqual(await undisturbed(1));
    // What comes back records nothing: another holds its run.
    dying.open();
    await sleep(50);
    expect(await eventsOf(world, 'TrainingRunCompleted')).toHaveLength(1);
    expect(await eventsOf(world, 'AdapterPublished')).toHaveLength(1);
  });

  it('a worker for one run carries one out and ends, and ends at once where none waits', async () => {
    const world = newWorld();
    const config = { roles: ['worker'], takes: 'one-run' };
    const idle = await serve(world, { config });
    await expect(idle.ended).resolves.toBeUndefined();
    await serve(world, { config: { roles: ['planner'] } });
    await publish(world, 0, 6);
    await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length === 1);
    await planAnother(world);
    for (const carriedOut of [1, 2, 2]) {
      await (await serve(world, { config })).ended;
      const runs = (await eventsOf(world, 'TrainingRunCompleted')).map(({ runId }) => runId);
      expect([runs.length, new Set(runs).size]).toEqual([carriedOut, carriedOut]);
    }
  });

  it('a process that plans does not end with a run', () => {
    expect(() => configOf({ takes: 'one-run' })).toThrow('SEAM_TRAINER_ROLES');
  });

  it('takes only runs of its queue', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'], queue: 'gpu' } });
    const other = new FakeEngine();
    await serve(world, { engine: other, config: { roles: ['worker'] } });
    await publish(world, 0, 6);
    await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length === 1);
    await sleep(50);
    expect(other.begun).toHaveLength(0);
    await serve(world, { config: { roles: ['worker'], queue: 'gpu' } });
    await consumed(world);
    expect(other.begun).toHaveLength(0);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
  });

  it('leaves a run under a malformed name and carries out the others', async () => {
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'] } });
    await publish(world, 0, 6);
    await until(async () => (await eventsOf(world, 'TrainingRunPlanned')).length === 1);
    await planAnother(world, '../no name');
    await serve(world, { config: { roles: ['worker'] } });
    await until(async () => (await eventsOf(world, 'AdapterPromoted')).length === 1);
    expect((await eventsOf(world, 'TrainingRunStarted')).map(({ runId }) => runId)).not.toContain('../no name');
  });

  it('plans the window of the record that it commits, whichever partition completes one while another waits', async () => {
    const world = newWorld();
    const sft = { minRows: 4, batchSize: 4, duration: { unit: 'steps', steps: 4 } };
    const log = new WitnessLog({ storage: world.storage });
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    await serve(world, { log, config: { roles: ['planner'], algorithm: 'sft', algorithms: { sft } } });
    await publish(world, 0, 5);
    await until(async () => {
      const offsets = await log.committedOffsets('seam.trainer');
      return offsets.reduce((sum, { nextOffset }) => sum + nextOffset, 0) === 20;
    });
    // Each of these completes the window, in any partition; all wait for the buffer.
    for (let index = 5; index < 12; index++) {
      await publish(world, index, index + 1);
      await sleep(50);
    }
    await commitVersion(world, 1, await endsOfOutcomes(world));
    await until(() => log.plans.length === 1);
    const [{ planned, consumed: committedWith }] = log.plans as [(typeof log.plans)[0]];
    const { outcomes } = runConfigurationOf(planned).window!;
    expect(outcomes.find(({ partition }) => partition === committedWith.partition)?.to).toBe(committedWith.nextOffset);
  });

  it('returns no history with a gap: a run that this version cannot read ends planner and worker each time', async () => {
    const world = newWorld();
    await serve(world);
    await playRounds(world, 1);
    const log = await openLog(world);
    const reader = new TrainingHistoryReader(log);
    await reader.read();
    const [started] = await eventsOf(world, 'TrainingRunStarted');
    const tomorrow = { ...planOf(started!), configuration: { mood: 'good' } as never };
    const { runId, ...facts } = planRun(tomorrow, []);
    const event = startedEvent({ ...facts, runId }, runMeta(runId, 'started', 1));
    expect(isNamedByContent(event)).toBe(true);
    await log.append([encodeEvent({ type: 'TrainingRunStarted', ...event })]);
    for (let look = 0; look < 2; look++) await expect(reader.read()).rejects.toMatchObject({ code: 'DATA_REFUSED' });
  });

  it('ends a window that a trainer of an older release began, and plans the next from it', async () => {
    const old = newWorld();
    await serve(old);
    await playRounds(old, 1);
    const [started] = await eventsOf(old, 'TrainingRunStarted');
    // The log as that release left it: no plan, a run that has begun, and the offsets of its window not committed.
    const world = newWorld();
    await publish(world, 0, 6);
    await (await openLog(world)).append([encodeEvent(started!)]);
    await serve(world);
    await publish(world, 6, 12);
    await consumed(world);
    expect((await eventsOf(world, 'TrainingRunPlanned')).map(({ parentAdapter }) => parentAdapter)).toEqual([
      (await eventsOf(old, 'AdapterPromoted'))[0]!.adapterDigest,
    ]);
  });

  it('reads each record once: what a plan costs does not grow with the plans before it', async () => {
    const world = newWorld();
    const log = new CountingLog({ storage: world.storage });
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    await serve(world, {
      log,
      config: {
        roles: ['planner'],
        // Windows without variance make the algorithm look back as far as it may.
        algorithms: { grpo: { batchSize: 4, dynamicSampling: { liveGroups: 50, maxRounds: 4 } } },
      },
    });
    await serve(world, { config: { roles: ['worker'] } });
    const read: number[] = [];
    for (let round = 0; round < 12; round++) {
      await publish(world, round * 6, round * 6 + 6, { alike: true });
      await consumed(world);
      read.push(log.yielded);
      log.yielded = 0;
    }
    // 24 results and 24 experiences of a window, and the handful of events of a run.
    expect(Math.max(...read)).toBeLessThanOrEqual(56);
  });
});

/** Remembers each plan with the offset that was committed with it. */
class WitnessLog extends InMemoryEventLog {
  readonly plans: { readonly planned: EventOf<'TrainingRunPlanned'>; readonly consumed: ConsumedOffset }[] = [];

  override async transact(transaction: Transaction): ReturnType<InMemoryEventLog['transact']> {
    const positions = await super.transact(transaction);
    for (const record of transaction.records) {
      const event = decodeEvent({ ...record, ...positions[0]! });
      if (event.type === 'TrainingRunPlanned')
        this.plans.push({ planned: event, consumed: transaction.consumed!.offsets[0]! });
    }
    return positions;
  }
}

/** Counts the records that are read from it. */
class CountingLog extends InMemoryEventLog {
  yielded = 0;

  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    for await (const records of super.read(options)) {
      this.yielded += records.length;
      yield records;
    }
  }
}
