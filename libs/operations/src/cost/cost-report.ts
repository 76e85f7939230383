/** What executors have cost, and each extra solved problem: one answer for the command and for the page of costs. */
import type { EventLog } from '@seamstream/event-log';
import { type SeamEvent, TOPIC, tenantOf, tenantsAttempt } from '@seamstream/events';
import { presentRanges, type ReadRange, readEvents } from '@seamstream/log-reader';
import type { Lift } from '@seamstream/read-models';
import { readDeclaredLimits } from '../quotas/index.js';
import type { EstimateMemory, ReadingOptions } from '../read-models/index.js';
import { BelievedWork } from './believed-work.js';
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
  /** Answers, outcomes and entries that nothing in the log bears out. They are in no sum. */
  readonly unfounded: number;
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

/**
 * What is published and written says which attempts there are. Answers come before outcomes: the time of an answer is when it was asked.
 */
const WORK: readonly string[] = [TOPIC.problems, TOPIC.experiences, TOPIC.answers, TOPIC.outcomes];
const WORK_AND_TRAINING = [...WORK, TOPIC.training];

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
  const topics = extra === undefined ? WORK : WORK_AND_TRAINING;
  // The ends of effects are taken before those of their causes.
  const present = await presentRanges(log, topics);
  const ranges = present.toSorted((a, b) => topics.indexOf(a.topic) - topics.indexOf(b.topic));
  const founded = new FoundedWork(ranges.every(({ topic, from }) => !CAUSES.has(topic) || from === 0));
  for await (const event of eventsIn(log, ranges, options)) {
    // What trains is no tenant's: it is paid for all.
    if (tenant !== undefined && (tenantOf(event.meta) !== tenant || isOfTraining(event))) continue;
    if (!founded.counts(event)) continue;
    if (event.type === 'ProblemPublished') extra?.publish(event);
    if (event.meta.occurredAt < sinceMs) continue;
    if (isExecuted(event)) spent.add(event);
    extra?.add(event);
  }
  const { unfounded } = founded;
  if (extra === undefined) return { ...spent.cost(), unfounded };
  return { ...spent.cost(), unfounded, extra: extra.cost({ lift: await lift(), tenant, estimates }) };
}

const CAUSES: ReadonlySet<string> = new Set([TOPIC.problems, TOPIC.experiences]);

/** What is counted: each attempt once, and nothing that the log does not bear out. */
class FoundedWork {
  unfounded = 0;
  private readonly work: BelievedWork;
  /** An answer that feedback settled is an outcome as well. It was asked once. */
  private readonly asked = new SeenIds();

  constructor(isWhole: boolean) {
    this.work = new BelievedWork(isWhole);
  }

  counts(event: SeamEvent): boolean {
    const { work } = this;
    if (event.type === 'ProblemPublished') work.publish(event);
    if (event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld')
      return this.noted(work.follows(event)) && work.write(event);
    if (!isExecuted(event)) return true;
    const attempt = tenantsAttempt(event);
    if (this.asked.has(attempt) || !this.noted(work.bearsOut(event))) return false;
    this.asked.add(attempt);
    return true;
  }

  private noted(isFounded: boolean): boolean {
    if (!isFounded) this.unfounded++;
    return isFounded;
  }
}

async function* eventsIn(
  log: EventLog,
  ranges: readonly ReadRange[],
  { signal, progress }: ReadingOptions,
): AsyncGenerator<SeamEvent> {
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
