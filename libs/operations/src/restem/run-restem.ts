/** Trains a writer on its own attempts: publishes what it is to explore, waits for the services, trains, and begins again. */
import { type ReadingSettings, readProblems } from '@seamstream/datasets';
import type { Claim, EventLog, NewRecord } from '@seamstream/event-log';
import { encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import type { ExperimentTracker } from '@seamstream/experiment-tracking';
import {
  type Clock,
  canonicalJson,
  derivedId,
  isSeamError,
  messageOf,
  newId,
  plural,
  SeamError,
  sha256,
  shortId,
  sleep,
} from '@seamstream/kernel';
import { NewEvents } from '@seamstream/log-reader';
import { checkFile, type DatasetFile, type InputDoor, openDataset, renderFaults } from '../publish/dataset-file.js';
import { problemRecord } from '../publish/publication.js';
import type { KeptLog, ReadingOptions } from '../read-models/kept-log.js';
import { readRuns } from '../read-models/read-models.js';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import type { TrainerClient, TrainingOutcome, TrainingStepReport } from '../train/training-client.js';
import { oldPassages, spentBy, whenIdle } from './idle.decide.js';
import { evolveOpenWork, initialOpenWork, othersWaiting } from './open-work.decide.js';
import { ALGORITHM, type RestEmRunConfig } from './restem.config.js';
import {
  evolveSelfTrainings,
  explorationId,
  explorationMetadata,
  initialSelfTrainings,
  type NextStep,
  nextStep,
  type SelfTraining,
  whenHeard,
} from './self-training.decide.js';
import { reportOf } from './self-training-report.js';
import { SELF_TRAINING_TOPICS, SOURCE } from './self-training-source.js';
import { trackedRun } from './track-restem.js';

/** Those of them and what else says which problems wait. */
export const IDLE_TOPICS = [
  ...[TOPIC.deadLetters, TOPIC.outcomes, TOPIC.answers, TOPIC.experiences, TOPIC.problems, TOPIC.training],
] as const;

/** Between two looks at the log while services work. */
const LOOK_MS = 500;

interface RestEmWorld extends InputDoor {
  /** The person who starts it; recorded with all that is done for it. */
  readonly by: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  openLog(): Promise<EventLog>;
  openKeptLog(): Promise<KeptLog>;
  openTrainer(): Promise<TrainerClient>;
  readonly progress: ReadingOptions['progress'];
  /** Is called with the next step. */
  readonly onStep: (step: NextStep) => void;
  readonly onTraining: (report: TrainingStepReport) => void;
  /** Is called with the end of each iteration's training. */
  readonly onTrained: (index: number, outcome: TrainingOutcome) => void;
  /** Is shown the figures after each training, and at the end. */
  readonly tracker: ExperimentTracker;
  /** Is called with the reason where that failed. The figures follow from the log: nothing is lost. */
  readonly onUntracked: (reason: string) => void;
}

export interface RestEmEnding {
  readonly selfTrainingId: string;
  readonly reason: Extract<NextStep, { kind: 'none' }>['reason'];
  readonly state: SelfTraining;
  readonly runs: readonly RecordedRun[];
}

/**
 * Starts a self-training over a file's problems, or continues it: the same file and the same settings of learning are the same
 * self-training, and what the log says of it decides what is left to do.
 * @throws INVALID_INPUT listing bad rows; CONFLICT where another process took the self-training over; ABORTED
 */
export async function runRestEm(
  world: RestEmWorld,
  path: string,
  settingsFor: (file: DatasetFile) => Promise<ReadingSettings>,
  config: RestEmRunConfig,
): Promise<RestEmEnding> {
  const file = await openDataset(world, path);
  const settings = await settingsFor(file);
  const rows = await rowsIn(file, settings);
  const { passages, algorithm } = config;
  const selfTrainingId = derivedId(sha256(canonicalJson([file.digest, rows, passages, algorithm])), 'self-training');
  const log = await world.openLog();
  const claim = await log.claim(`self-training.${selfTrainingId}`);
  const isIdle = config.idle !== null;
  const run = new RestEmRun(world, { log, claim, file, settings, rows, selfTrainingId, isIdle });
  await run.begin(config);
  return run.toTheEnd();
}

/** Numbers of the file's rows. @throws INVALID_INPUT */
async function rowsIn(file: DatasetFile, settings: ReadingSettings): Promise<readonly number[]> {
  const rows: number[] = [];
  const checked = await checkFile(file, settings, ({ row }) => void rows.push(row));
  if (checked.badRows === 0 && rows.length > 0) return rows;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot explore ${file.name}: expected ${file.unit}s that are problems, got ${checked.badRows === 0 ? 'none' : `${plural(checked.badRows, `bad ${file.unit}`)}:\n${renderFaults(file, checked)}\n`}. Correct the file; a ${file.unit} looks like this: ${settings.form.example}`,
    { details: { file: file.name, badRows: checked.badRows } },
  );
}

interface Facts {
  readonly log: EventLog;
  readonly claim: Claim;
  readonly file: DatasetFile;
  readonly settings: ReadingSettings;
  readonly rows: readonly number[];
  readonly selfTrainingId: string;
  /** Whether it works only while no other problem waits. */
  readonly isIdle: boolean;
}

class RestEmRun {
  private readonly news: NewEvents;
  private readonly known = initialSelfTrainings();
  private readonly work = initialOpenWork();
  /** In idle time: whether this process has recorded that it works. */
  private isWorking = false;

  constructor(
    private readonly world: RestEmWorld,
    private readonly facts: Facts,
  ) {
    this.news = new NewEvents(facts.log, facts.isIdle ? IDLE_TOPICS : SELF_TRAINING_TOPICS);
  }

  /** Records the start, unless that very configuration is under way. */
  async begin(config: RestEmRunConfig): Promise<void> {
    await this.look();
    const { selfTrainingId } = this.facts;
    const known = this.known.byId.get(selfTrainingId);
    const configuration = canonicalJson(config);
    if (known?.stopped === null && canonicalJson(known.config) === configuration) return;
    const event = encodeEvent({
      ...{ type: 'SelfTrainingStarted', meta: this.metaNow(), selfTrainingId, configuration },
      startedBy: this.world.by,
    });
    await this.record([event]);
    await this.look();
  }

  async toTheEnd(): Promise<RestEmEnding> {
    try {
      return await this.stepByStep();
    } catch (error) {
      // Where the log is away or another process continues, the last fact that is recorded counts, as after a kill.
      if (this.isWorking) await this.recordStop().catch(() => undefined);
      throw error;
    }
  }

  private async recordStop(): Promise<void> {
    const state = await this.look();
    // A person's stop is on record by itself.
    if (state.stopped === null) await this.recordPause(state, 'stop');
  }

  private async stepByStep(): Promise<RestEmEnding> {
    const { selfTrainingId, rows } = this.facts;
    for (;;) {
      this.world.signal.throwIfAborted();
      const state = await this.look();
      const runs = await this.runs();
      const step = this.stepNow(state, runs, rows.length);
      if (this.facts.isIdle) await this.recordWork(state, step);
      this.world.onStep(step);
      switch (step.kind) {
        case 'explore':
          await this.explore(step);
          break;
        case 'wait':
        case 'listen':
        case 'rest':
          await sleep(LOOK_MS, this.world.signal);
          break;
        case 'train':
          await this.train(state, step.index, runs);
          await this.show();
          break;
        case 'none':
          await this.show();
          return { selfTrainingId, reason: step.reason, state, runs };
      }
    }
  }

  /** A tracker that fails keeps no writer from being trained. */
  private async show(): Promise<void> {
    const { tracker, onUntracked, signal } = this.world;
    try {
      await tracker.track(trackedRun(reportOf(await this.look(), await this.runs())));
    } catch (error) {
      signal.throwIfAborted();
      onUntracked(messageOf(error));
    }
  }

  private stepNow(state: SelfTraining, runs: readonly RecordedRun[], total: number): NextStep {
    const step = whenHeard(nextStep(state, runs, total), state, this.world.clock.now());
    return whenIdle(step, state, this.idleFacts(state));
  }

  private idleFacts(state: SelfTraining) {
    const { places } = this.known;
    const isOwn = (problemId: string): boolean => places.get(problemId)?.of === state.selfTrainingId;
    return {
      waiting: othersWaiting(this.work, isOwn),
      spent: spentBy(state, this.isWorking ? this.world.clock.now() : undefined),
    };
  }

  /** Records that it works, or why it does not, where that is not on record. */
  private async recordWork(state: SelfTraining, step: NextStep): Promise<void> {
    const doesWork = step.kind === 'explore' || step.kind === 'wait' || step.kind === 'train';
    if (doesWork ? this.isWorking : isOnRecord(state, step)) return;
    if (doesWork) {
      const { selfTrainingId } = state;
      this.isWorking = true;
      await this.record([encodeEvent({ type: 'SelfTrainingResumed', meta: this.metaNow(), selfTrainingId })]);
    } else await this.recordPause(state, pauseReason(step));
    await this.look();
  }

  private async recordPause(state: SelfTraining, reason: string): Promise<void> {
    const { selfTrainingId } = state;
    const { waiting, spent } = this.idleFacts(state);
    this.isWorking = false;
    const paused = { type: 'SelfTrainingPaused', meta: this.metaNow(), selfTrainingId, reason, waiting } as const;
    await this.record([encodeEvent({ ...paused, ...spent })]);
  }

  private metaNow() {
    return originMeta({
      ...{ messageId: newId(), correlationId: this.facts.selfTrainingId, source: SOURCE },
      ...{ occurredAt: this.world.clock.now(), sourceClass: 'user' },
    });
  }

  private get isStopped(): boolean {
    return this.known.byId.get(this.facts.selfTrainingId)?.stopped != null;
  }

  /** The self-training as the log records it now. */
  private async look(): Promise<SelfTraining> {
    for (const { event, record } of await this.news.read()) {
      evolveSelfTrainings(this.known, event);
      if (this.facts.isIdle) evolveOpenWork(this.work, { event, record });
    }
    return this.known.byId.get(this.facts.selfTrainingId)!;
  }

  private async runs(): Promise<readonly RecordedRun[]> {
    const { signal, progress } = this.world;
    return (await readRuns(await this.world.openKeptLog(), { signal, progress })).answer;
  }

  /** Publishes the missing problems of an iteration at once. */
  private async explore({ index, rows: missing }: Extract<NextStep, { kind: 'explore' }>): Promise<void> {
    const { file, settings, rows, selfTrainingId } = this.facts;
    const { clock, by } = this.world;
    const wanted = new Map(missing.map((at) => [rows[at]!, explorationId(selfTrainingId, index, at)]));
    const records = [];
    for await (const reading of readProblems(file.bytes, settings)) {
      const problemId = wanted.get(reading.row);
      if (problemId === undefined || reading.status !== 'problem') continue;
      const { problem } = reading;
      const metadata = { ...problem.metadata, ...explorationMetadata(selfTrainingId, index) };
      records.push(problemRecord({ ...problem, mode: 'explore', metadata }, problemId, 'explore', clock.now(), { by }));
    }
    if (records.length < wanted.size)
      throw new SeamError(
        'CONFLICT',
        `Cannot explore ${file.name}: expected the file that was checked, but it changed while it was read. Nothing of iteration ${index} was recorded; start again when no program writes to it.`,
      );
    // Reading a large file takes long enough for a problem to arrive.
    if (this.facts.isIdle && this.idleFacts(await this.look()).waiting > 0) return;
    await this.record(records);
  }

  /** @throws CONFLICT where another process took the self-training over */
  private async record(records: readonly NewRecord[]): Promise<void> {
    const { log, claim, selfTrainingId } = this.facts;
    try {
      await log.transact({ records, consumed: { claim, offsets: [] } });
    } catch (cause) {
      if (!isSeamError(cause, 'FENCED')) throw cause;
      throw new SeamError(
        'CONFLICT',
        `Cannot continue self-training ${shortId(selfTrainingId)}: expected to be its only process, but another one took it over and continues. There is nothing to do.`,
        { cause },
      );
    }
  }

  /**
   * Trains until the run ends, a person stops the self-training, or in idle time other problems wait or the time is over. A run that was
   * stopped so resumes from its last checkpoint.
   */
  private async train(state: SelfTraining, index: number, runs: readonly RecordedRun[]): Promise<void> {
    const { world } = this;
    const { config, selfTrainingId } = state;
    const { idle } = config;
    const trainer = await world.openTrainer();
    const stop = new AbortController();
    const ended = new AbortController();
    const watching = this.watch(stop, ended.signal, index).catch((error: unknown) => stop.abort(error));
    try {
      const outcome = await trainer.train(
        {
          algorithm: ALGORITHM,
          configuration: config.algorithm,
          iteration: { of: selfTrainingId, index },
          ...(idle === null
            ? {}
            : {
                retention: {
                  mostCost: idle.mostCost,
                  problems: oldPassages(this.known, runs, { selfTrainingId, index, count: idle.oldPassages }),
                },
              }),
          by: world.by,
        },
        { signal: AbortSignal.any([world.signal, stop.signal]), onStep: world.onTraining },
      );
      world.onTrained(index, outcome);
    } catch (error) {
      if (stop.signal.reason === LEAVE) return;
      // The process that this one took the self-training over from finishes its training first.
      if (!isSeamError(error, 'CONFLICT') || error.details.pid === undefined) throw error;
      await sleep(LOOK_MS, world.signal);
    } finally {
      ended.abort();
      await watching;
    }
  }

  private async watch(stop: AbortController, ended: AbortSignal, index: number): Promise<void> {
    while (!ended.aborted && !stop.signal.aborted) {
      const state = await this.look();
      const isInTheWay = whenIdle({ kind: 'train', index }, state, this.idleFacts(state)).kind !== 'train';
      if (this.isStopped || isInTheWay) stop.abort(LEAVE);
      await sleep(LOOK_MS, ended).catch(() => undefined);
    }
  }
}

/** Why a training is left for later. */
const LEAVE = new SeamError(
  'ABORTED',
  'Cannot finish the training now: it was left for later. It resumes from its checkpoint.',
);

function pauseReason(step: NextStep): string {
  if (step.kind === 'rest') return 'work';
  if (step.kind === 'listen') return 'feedback';
  return step.kind === 'none' && step.reason === 'budget' ? 'budget' : 'end';
}

/** A stop is on record by itself. */
function isOnRecord({ pause }: SelfTraining, step: NextStep): boolean {
  return pause?.reason === pauseReason(step) || (step.kind === 'none' && step.reason === 'stopped');
}
