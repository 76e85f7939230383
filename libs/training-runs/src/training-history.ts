/**
 * What the log says about training so far: the runs whose plans are believed, the windows that they learned from, and the adapters served.
 */
import type { EventLog } from '@seamstream/event-log';
import {
  type AdapterPromoted,
  type AdapterPublished,
  type Evaluation,
  type SeamEvent,
  TOPIC,
} from '@seamstream/events';
import { raceAbort } from '@seamstream/kernel';
import { NewEvents } from '@seamstream/log-reader';
import {
  countedPromotions,
  type Decision,
  decisionOn,
  evolveServedSlots,
  initialServedSlots,
  isOfCompletedRun,
  type ServedAdapterState,
  type ServedSlots,
  servedIn,
} from '@seamstream/release';
import type { AskedPerDomain } from './adapter-evaluation.port.js';
import { type Belief, BelievedPlans } from './believed-plans.js';
import { runFolder } from './checkpoints.js';

import type { RunConfiguration, RunPlan, RunWindow } from './run-plan.js';
import { evolve, initialState, overtake, type RunEvent, runIdOf, type TrainingRun } from './training-run.js';
import { addedUp } from './validation-row.js';

export interface TrainingHistory {
  readonly runs: ReadonlyMap<string, TrainingRun>;
  /** The run of the last window, if there was one. */
  readonly lastWindow: { readonly runId: string; readonly configuration: RunConfiguration } | undefined;
  /** Windows by their index. */
  readonly windows: ReadonlyMap<number, RunWindow>;
  /** The id of each window's run, by the window's index. */
  readonly runOfWindow: ReadonlyMap<number, string>;
  /** What every slot is served with. */
  readonly slots: ServedSlots;
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

/** What became of the last window's run so far; undefined before there is one. */
export function runOfLastWindow({
  lastWindow,
  runs,
}: TrainingHistory): Exclude<TrainingRun, { status: 'unknown' }> | undefined {
  const run = lastWindow === undefined ? undefined : runs.get(lastWindow.runId);
  return run === undefined || run.status === 'unknown' ? undefined : run;
}

/** Reads seam.training and seam.adapters to their ends, once. */
export async function readTrainingHistory(log: EventLog): Promise<TrainingHistory> {
  return new TrainingHistoryReader(log).read();
}

/**
 * The history as the log grows: each record is read and decoded once, so a look at it costs what is new. What it gives is kept up to date
 * in place where it grows with the log (runs, windows): a look without news copies nothing.
 */
export class TrainingHistoryReader {
  private readonly reader: NewEvents;
  private slots = initialServedSlots();
  /** By run, in the order in which a run's events follow from each other. */
  private readonly eventsOf = new Map<string, RunEvent[]>();
  private readonly runs = new Map<string, TrainingRun>();
  private readonly plans: BelievedPlans;
  private readonly compared = new Map<string, Compared>();
  private known: TrainingHistory | undefined;
  /** Runs that were read and are not folded yet, and what was decided when the last ones were: a look may fail between. */
  private readonly changed = new Set<string>();
  private decidedBefore = this.slots;
  private reading: Promise<unknown> = Promise.resolve();
  /** What could not be read: the history has a gap from there on, and is not returned any more. */
  private fault: Error | undefined;

  constructor(log: EventLog, belief: Partial<Belief> = {}) {
    // Runs first. One transaction may hold a run's end and its adapter: the end may then be read before the adapter, never after it.
    this.reader = new NewEvents(log, [TOPIC.adapters, TOPIC.training]);
    this.plans = new BelievedPlans(log, { onDoubt: () => undefined, unplanned: 'believed', ...belief });
  }

  /**
   * The history to the log's present end; calls follow one another.
   * @param signal ends the wait for it, not the reading, which others wait for too
   * @throws DATA_REFUSED, from then on each time, where a run's configuration is not one of this version; the signal's reason
   */
  read(signal?: AbortSignal): Promise<TrainingHistory> {
    const reading = this.reading.then(() => this.readOn());
    this.reading = reading.catch(() => undefined);
    return raceAbort(signal, reading, 'the history of training');
  }

  /** Why the log as it is would not bear out a plan that is not on record yet; undefined when it would. @throws as {@link read} */
  async doubtAbout(plan: RunPlan): Promise<string | undefined> {
    const { slots } = await this.read();
    return this.plans.doubtAbout(plan, (slot) => servedInOrder(servedIn(slots, slot)));
  }

  private async readOn(): Promise<TrainingHistory> {
    if (this.fault !== undefined) throw this.fault;
    const news = await this.reader.read();
    const { changed } = this;
    for (const { event, record } of news) {
      if (!this.isNoted(event, record.timestampMs)) continue;
      this.slots = evolveServedSlots(this.slots, event);
      const runId = runIdOf(event);
      if (runId === undefined) continue;
      changed.add(runId);
      placeIn(this.eventsOf, runId, event as RunEvent);
    }
    const servedAdapters = (slot: string): readonly (string | null)[] => servedInOrder(servedIn(this.slots, slot));
    for (const runId of await this.plans.settle(servedAdapters, news.length + changed.size > 0)) changed.add(runId);
    if (this.known?.slots === this.slots && changed.size === 0) return this.known;
    // What is learned of a run later may change the result of earlier decisions.
    for (const [slot, { decisions }] of this.slots)
      if ((this.decidedBefore.get(slot)?.decisions ?? []).some((each, index) => each !== decisions[index]))
        for (const { event } of decisions)
          if (event.type === 'AdapterPromoted' && event.runId !== null) changed.add(event.runId);
    for (const runId of changed) if (this.plans.has(runId)) this.foldRun(runId);
    changed.clear();
    this.decidedBefore = this.slots;
    this.known = {
      runs: this.runs,
      lastWindow: this.plans.last,
      windows: this.plans.windows,
      runOfWindow: this.plans.runOfWindow,
      slots: this.slots,
      ...adaptersOf(this.slots),
      comparisons: addedComparisons([...this.compared.values()]),
    };
    return this.known;
  }

  private isNoted(event: SeamEvent, recordedAtMs: number): boolean {
    try {
      return this.plans.note(event, recordedAtMs);
    } catch (error) {
      this.fault = error as Error;
      throw error;
    }
  }

  private foldRun(runId: string): void {
    let run: TrainingRun = initialState();
    this.compared.delete(runId);
    for (const event of this.eventsOf.get(runId) ?? []) {
      const decision = this.decisionOn(event);
      if (!this.isBelieved(event, decision?.status)) continue;
      run = decision?.status === 'overtaken' ? overtake(run) : evolve(run, event);
      const compared = comparisonIn(event, decision?.status);
      if (compared !== undefined && !this.compared.has(runId)) this.compared.set(runId, compared);
    }
    this.runs.set(runId, run);
  }

  private decisionOn(event: RunEvent): Decision | undefined {
    return event.type === 'AdapterPromoted' ? decisionOn(servedIn(this.slots, event.slot), event) : undefined;
  }

  /** Only the run itself says what it made: an adapter under its name with another digest is another writer's. */
  private isBelieved(event: RunEvent, status: Decision['status'] | undefined): boolean {
    if (event.type === 'AdapterPublished')
      return isOfCompletedRun(event, servedIn(this.slots, event.slot).runs.get(event.runId));
    // Weights are taken from a run's own folder alone.
    if (event.type === 'TrainingRunCheckpointed') return event.checkpointKey.startsWith(runFolder(event.runId));
    return event.type !== 'AdapterPromoted' || (status !== undefined && status !== 'refused');
  }
}

/** Those of seam.training in the log's order, which one partition keeps; those of seam.adapters where they belong between them. */
function placeIn(eventsOf: Map<string, RunEvent[]>, runId: string, event: RunEvent): void {
  const own = eventsOf.get(runId) ?? [];
  eventsOf.set(runId, own);
  const before = own.findLastIndex((each) => rankOf(each) <= rankOf(event));
  own.splice(before + 1, 0, event);
}

/** Digests that a slot was served with, one after the other, the bare base model (null) first; the last is served now. */
export function servedAdaptersIn({ slots }: TrainingHistory, slot: string): readonly (string | null)[] {
  return servedInOrder(servedIn(slots, slot));
}

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

/** Of several records of one adapter the one counts that its run names; promotions by digest, those that counted. */
function adaptersOf(slots: ServedSlots): Pick<TrainingHistory, 'published' | 'promoted'> {
  const published = new Map<string, AdapterPublished>();
  const promoted = new Map<string, AdapterPromoted>();
  for (const chain of slots.values()) {
    for (const event of chain.published)
      if (!published.has(event.adapterDigest) || isOfCompletedRun(event, chain.runs.get(event.runId)))
        published.set(event.adapterDigest, event);
    for (const event of countedPromotions(chain)) promoted.set(event.adapterDigest, event);
  }
  return { published, promoted };
}

const RANKS: Partial<Record<SeamEvent['type'], number>> = {
  // In the log's order: of two plans of one run the first counts, whichever event states it.
  TrainingRunPlanned: 1,
  TrainingRunStarted: 1,
  TrainingRunCheckpointed: 1,
  AdapterPublished: 2,
  // What was promoted before it was taken back is promoted.
  TrainingRunCancelled: 4,
};

function rankOf(event: SeamEvent): number {
  return RANKS[event.type] ?? 3;
}
