/** What executors have cost, and each extra solved problem: one answer for the command and for the page of costs. */
import type { EventLog } from '@seamstream/event-log';
import { type SeamEvent, TOPIC, tenantOf, tenantsAttempt } from '@seamstream/events';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import type { Lift } from '@seamstream/read-models';
import { readDeclaredLimits } from '../quotas/index.js';
import type { EstimateMemory, ReadingOptions } from '../read-models/index.js';
import { EXTRA_GROUPS, type ExtraCost, ExtraSums } from './extra-solved.js';
import { SeenIds } from './seen-ids.js';
import { type CostGroup, type Executed, type SpentCost, SpentSums } from './spent-cost.js';

export interface CostWanted {
  readonly by: CostGroup;
  /** What was paid earlier is left out, in milliseconds since the Unix epoch. The lift is of all problems. */
  readonly sinceMs: number;
  /** What this tenant paid alone; undefined: all. */
  readonly tenant?: string | undefined;
}

export interface CostReport extends SpentCost {
  /** Where treated problems and controls can be compared by the same. */
  readonly extra?: ExtraCost;
}

export interface CostSource {
  readonly log: EventLog;
  /** Settled problems of the log, as counts. */
  readonly lift: () => Promise<Lift>;
  /** Of earlier reports; this one is added. */
  readonly estimates?: EstimateMemory;
}

/** Answers before outcomes: the time of an answer is when it was asked. */
const ATTEMPTS = [TOPIC.answers, TOPIC.outcomes];
/** The mode of a problem is known before its results. */
const ALL_WORK = [TOPIC.problems, TOPIC.experiences, ...ATTEMPTS, TOPIC.training];

/** Reads the log once, topic by topic. */
export async function costReport(
  { log, lift, estimates }: CostSource,
  { by, sinceMs, tenant }: CostWanted,
  options: ReadingOptions,
): Promise<CostReport> {
  const declared = await readDeclaredLimits(log, options.signal);
  const spent = new SpentSums(by, declared);
  const group = EXTRA_GROUPS.find((each) => each === by);
  const extra = group === undefined ? undefined : new ExtraSums(group, declared);
  // An answer that feedback settled is an outcome as well. It was asked once.
  const asked = new SeenIds();
  for await (const event of eventsIn(log, extra === undefined ? ATTEMPTS : ALL_WORK, options)) {
    // What trains is no tenant's: it is paid for all.
    if (tenant !== undefined && (tenantOf(event.meta) !== tenant || isOfTraining(event))) continue;
    if (event.type === 'ProblemPublished') extra?.publish(event);
    if (isExecuted(event) && !asked.add(tenantsAttempt(event))) continue;
    if (event.meta.occurredAt < sinceMs) continue;
    if (isExecuted(event)) spent.add(event);
    extra?.add(event);
  }
  if (extra === undefined) return spent.cost();
  return { ...spent.cost(), extra: extra.cost({ lift: await lift(), tenant, estimates }) };
}

async function* eventsIn(
  log: EventLog,
  topics: readonly string[],
  { signal, progress }: ReadingOptions,
): AsyncGenerator<SeamEvent> {
  const ranges = (await Promise.all(topics.map((topic) => storedRanges(log, topic)))).flat();
  const bar = progress(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  try {
    for await (const { events, records } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      for (const { event } of events) yield event;
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
}

const isExecuted = (event: SeamEvent): event is Executed =>
  event.type === 'AnswerRecorded' || event.type === 'OutcomeRecorded';

const isOfTraining = ({ type }: SeamEvent): boolean =>
  type === 'LibraryReplyRecorded' || type === 'TrainingRunCompleted';
