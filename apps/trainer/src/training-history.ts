/** What the log says about training so far: the runs, the windows that they learned from, and the adapters served. */
import type { EventLog } from '@seamstream/event-log';
import {
  type AdapterPromoted,
  type AdapterPublished,
  decodeEvent,
  type Evaluation,
  type SeamEvent,
  TOPIC,
  type TopicName,
} from '@seamstream/events';
import {
  countedPromotions,
  decisionOn,
  evolveServedAdapter,
  initialServedAdapter,
  isOfCompletedRun,
  type ServedAdapterState,
} from '@seamstream/release';
import type { AskedPerDomain } from './adapter-evaluation.port.js';
import { type RunConfiguration, runConfigurationOf } from './run-plan.js';
import { evolve, initialState, overtake, runIdOf, type TrainingRun } from './training-run.js';
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

/** Folds seam.training and seam.adapters to their ends. */
export async function readTrainingHistory(log: EventLog): Promise<TrainingHistory> {
  // Adapters second: an adapter's run was started before, whatever is appended meanwhile.
  const events = [...(await readEvents(log, TOPIC.training)), ...(await readEvents(log, TOPIC.adapters))];
  const runs = new Map<string, TrainingRun>();
  const windows = new Map<number, NonNullable<RunConfiguration['window']>>();
  let served = initialServedAdapter();
  const servedAdapters: (string | null)[] = [null];
  // In the log's order, which decides what is served.
  for (const event of events) {
    served = evolveServedAdapter(served, event);
    const now = served.served?.adapterDigest ?? null;
    if (now !== servedAdapters.at(-1)) servedAdapters.push(now);
  }
  let lastWindow: TrainingHistory['lastWindow'];
  // A run's end may stand in the other topic: beginnings first, then what follows from them.
  for (const event of events.sort((a, b) => rankOf(a) - rankOf(b))) {
    const runId = runIdOf(event);
    const decision = decisionOn(served, event);
    // Only the run itself says what it made: an adapter under its name that it did not complete with is somebody else's.
    const isBelieved =
      event.type === 'AdapterPublished'
        ? isOfCompletedRun(event, served.runs.get(event.runId))
        : event.type !== 'AdapterPromoted' || (decision !== undefined && decision.status !== 'refused');
    if (runId !== undefined && isBelieved) {
      const run = runs.get(runId) ?? initialState();
      runs.set(runId, decision?.status === 'overtaken' ? overtake(run) : evolve(run, event));
    }
    if (event.type === 'TrainingRunStarted') {
      const configuration = runConfigurationOf(event);
      if (configuration.window === null) continue;
      windows.set(configuration.window.index, configuration.window);
      if (configuration.window.index > (lastWindow?.configuration.window?.index ?? 0))
        lastWindow = { runId: event.runId, configuration };
    }
  }
  const comparisons = comparisonsOf(events, served);
  return { runs, lastWindow, windows, served, servedAdapters, ...adaptersOf(served), comparisons };
}

/** A comparison of every run counts once; one that came too late to be promoted was a look all the same. */
function comparisonsOf(events: readonly SeamEvent[], served: ServedAdapterState): Comparisons {
  const compared = new Map<string, { readonly evaluation: Evaluation; readonly isPromoted: boolean }>();
  for (const event of events) {
    if (event.type !== 'TrainingRunRejected' && event.type !== 'AdapterPromoted') continue;
    const { runId, evaluation } = event;
    const status = event.type === 'AdapterPromoted' ? decisionOn(served, event)?.status : 'counted';
    if (runId === null || typeof evaluation?.rescued !== 'number' || status === undefined) continue;
    if (status === 'refused' || compared.has(runId)) continue;
    compared.set(runId, { evaluation, isPromoted: event.type === 'AdapterPromoted' && status === 'counted' });
  }
  const all = [...compared.values()];
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

/** All events of a topic, per partition in order. Records that cannot be decoded are passed over: they state nothing. */
async function readEvents(log: EventLog, topic: TopicName): Promise<SeamEvent[]> {
  const events: SeamEvent[] = [];
  for (const { partition, low, high } of await log.watermarks(topic)) {
    for await (const records of log.read({ topic, partition, from: low, to: high })) {
      for (const record of records) {
        try {
          events.push(decodeEvent(record));
        } catch {
          // It states nothing; whoever consumes the topic sends it to the dead letters.
        }
      }
    }
  }
  return events;
}

const RANKS: Partial<Record<SeamEvent['type'], number>> = {
  TrainingRunStarted: 0,
  TrainingRunCheckpointed: 1,
  AdapterPublished: 2,
};

function rankOf(event: SeamEvent): number {
  return RANKS[event.type] ?? 3;
}
