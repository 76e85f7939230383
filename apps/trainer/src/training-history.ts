/** What the log says about training so far: the runs, the windows that they learned from, and the adapters served. */
import type { EventLog } from '@seamstream/event-log';
import {
  type AdapterPromoted,
  type AdapterPublished,
  type Evaluation,
  type SeamEvent,
  TOPIC,
} from '@seamstream/events';
import {
  countedPromotions,
  type Decision,
  decisionOn,
  evolveServedAdapter,
  initialServedAdapter,
  isOfCompletedRun,
  type ServedAdapterState,
} from '@seamstream/release';
import type { AskedPerDomain } from './adapter-evaluation.port.js';
import { NewEvents } from './new-events.js';
import { type RunConfiguration, type RunWindow, runConfigurationOf } from './run-plan.js';
import { evolve, initialState, overtake, type RunEvent, runIdOf, type TrainingRun } from './training-run.js';
import { addedUp } from './validation-row.js';

export interface TrainingHistory {
  readonly runs: ReadonlyMap<string, TrainingRun>;
  /** The run of the last window, if there was one. */
  readonly lastWindow: { readonly runId: string; readonly configuration: RunConfiguration } | undefined;
  /** Windows by their index. */
  readonly windows: ReadonlyMap<number, NonNullable<RunConfiguration['window']>>;
  readonly served: ServedAdapterState;
  /** Digests in the order in which they were served, the bare base model (null) first; the last is served now. */
  readonly servedAdapters: readonly (string | null)[];
  readonly published: ReadonlyMap<string, AdapterPublished>;
  /** By digest, those that counted. */
  readonly promoted: ReadonlyMap<string, AdapterPromoted>;
  readonly comparisons: Comparisons;
}

/** Candidates that were asked the same problems as their parents, of all runs so far. */
export interface Comparisons {
  readonly looks: number;
  /** Of these, those that were promoted. */
  readonly promoted: number;
  /** Validation problems that they asked, by the name of the set and by domain. */
  readonly asked: ReadonlyMap<string, AskedPerDomain>;
}

/** Reads seam.training and seam.adapters to their ends, once. */
export async function readTrainingHistory(log: EventLog): Promise<TrainingHistory> {
  return new TrainingHistoryReader(log).read();
}

/** The history as the log grows: each record is read and decoded once, so a look at it costs what is new. */
export class TrainingHistoryReader {
  private readonly reader: NewEvents;
  private served = initialServedAdapter();
  /** By run, in the order in which a run's events follow from each other. */
  private readonly eventsOf = new Map<string, readonly RunEvent[]>();
  private readonly runs = new Map<string, TrainingRun>();
  private readonly windows = new Map<number, RunWindow>();
  private readonly compared = new Map<string, Compared>();
  private lastWindow: TrainingHistory['lastWindow'];
  private reading: Promise<unknown> = Promise.resolve();
  /** What could not be read: the history has a gap from there on, and is told no more. */
  private fault: Error | undefined;

  constructor(log: EventLog) {
    // Runs first: where one transaction tells of a run and its adapter, the run's part may be read before it is there, never after.
    this.reader = new NewEvents(log, [TOPIC.adapters, TOPIC.training]);
  }

  /**
   * The history to the log's present end; calls follow one another.
   * @throws DATA_REFUSED, from then on each time, where a run's configuration is not one of this version
   */
  read(): Promise<TrainingHistory> {
    const reading = this.reading.then(() => this.readOn());
    this.reading = reading.catch(() => undefined);
    return reading;
  }

  private async readOn(): Promise<TrainingHistory> {
    if (this.fault !== undefined) throw this.fault;
    const news = await this.reader.read();
    const changed = new Set<string>();
    const decidedBefore = this.served.decisions;
    for (const event of news) {
      try {
        this.noteWindow(event);
      } catch (error) {
        this.fault = error as Error;
        throw error;
      }
      this.served = evolveServedAdapter(this.served, event);
      const runId = runIdOf(event);
      if (runId === undefined) continue;
      changed.add(runId);
      const own = [...(this.eventsOf.get(runId) ?? []), event as RunEvent];
      this.eventsOf.set(
        runId,
        own.sort((a, b) => rankOf(a) - rankOf(b)),
      );
    }
    // What is learned of a run later may change what came of earlier decisions.
    if (decidedBefore.some((each, index) => each !== this.served.decisions[index]))
      for (const { event } of this.served.decisions)
        if (event.type === 'AdapterPromoted' && event.runId !== null) changed.add(event.runId);
    for (const runId of changed) this.foldRun(runId);
    return {
      runs: new Map(this.runs),
      lastWindow: this.lastWindow,
      windows: new Map(this.windows),
      served: this.served,
      servedAdapters: servedInOrder(this.served),
      ...adaptersOf(this.served),
      comparisons: addedComparisons([...this.compared.values()]),
    };
  }

  private noteWindow(event: SeamEvent): void {
    if (event.type !== 'TrainingRunPlanned' && event.type !== 'TrainingRunStarted') return;
    if (this.lastWindow?.runId === event.runId) return;
    const configuration = runConfigurationOf(event);
    const { window } = configuration;
    if (window === null) return;
    this.windows.set(window.index, window);
    if (window.index > (this.lastWindow?.configuration.window?.index ?? 0))
      this.lastWindow = { runId: event.runId, configuration };
  }

  private foldRun(runId: string): void {
    let run: TrainingRun = initialState();
    this.compared.delete(runId);
    for (const event of this.eventsOf.get(runId) ?? []) {
      const decision = decisionOn(this.served, event);
      if (!this.isBelieved(event, decision?.status)) continue;
      run = decision?.status === 'overtaken' ? overtake(run) : evolve(run, event);
      const compared = comparisonIn(event, decision?.status);
      if (compared !== undefined && !this.compared.has(runId)) this.compared.set(runId, compared);
    }
    this.runs.set(runId, run);
  }

  /** Only the run itself says what it made: an adapter under its name that it did not complete with is somebody else's. */
  private isBelieved(event: RunEvent, status: Decision['status'] | undefined): boolean {
    if (event.type === 'AdapterPublished') return isOfCompletedRun(event, this.served.runs.get(event.runId));
    return event.type !== 'AdapterPromoted' || (status !== undefined && status !== 'refused');
  }
}

/** What was served, one after the other, the bare base model (null) first. */
function servedInOrder({ decisions }: ServedAdapterState): readonly (string | null)[] {
  const served: (string | null)[] = [null];
  for (const { event, status } of decisions) {
    if (status !== 'counted' || (event.type !== 'AdapterPromoted' && event.type !== 'AdapterRolledBack')) continue;
    const digest = event.type === 'AdapterPromoted' ? event.adapterDigest : event.to;
    if (digest !== served.at(-1)) served.push(digest);
  }
  return served;
}

/** A comparison of a run. */
interface Compared {
  readonly evaluation: Evaluation;
  readonly isPromoted: boolean;
}

/** What an event says of its run's comparison; one that came too late to be promoted was a look all the same. */
function comparisonIn(event: RunEvent, status: Decision['status'] | undefined): Compared | undefined {
  if (event.type !== 'TrainingRunRejected' && event.type !== 'AdapterPromoted') return undefined;
  const { evaluation } = event;
  if (typeof evaluation?.rescued !== 'number') return undefined;
  return { evaluation, isPromoted: event.type === 'AdapterPromoted' && status === 'counted' };
}

function addedComparisons(all: readonly Compared[]): Comparisons {
  const bySet = Map.groupBy(all, ({ evaluation }) => evaluation.problemSet);
  return {
    looks: all.length,
    promoted: all.filter(({ isPromoted }) => isPromoted).length,
    asked: new Map([...bySet].map(([name, these]) => [name, addedUp(these.map(({ evaluation }) => evaluation.asked))])),
  };
}

/** Of several records of one adapter the one counts that its run told; promotions by digest, those that counted. */
function adaptersOf(served: ServedAdapterState): Pick<TrainingHistory, 'published' | 'promoted'> {
  const { published: told, runs } = served;
  const published = new Map<string, AdapterPublished>();
  for (const event of told)
    if (!published.has(event.adapterDigest) || isOfCompletedRun(event, runs.get(event.runId)))
      published.set(event.adapterDigest, event);
  return { published, promoted: new Map(countedPromotions(served).map((event) => [event.adapterDigest, event])) };
}

const RANKS: Partial<Record<SeamEvent['type'], number>> = {
  TrainingRunPlanned: 0,
  TrainingRunStarted: 1,
  TrainingRunCheckpointed: 2,
  AdapterPublished: 3,
};

function rankOf(event: SeamEvent): number {
  return RANKS[event.type] ?? 4;
}
