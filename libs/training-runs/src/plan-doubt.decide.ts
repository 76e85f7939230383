/**
 * Checks what a recorded plan claims against the rest of the log. Any client that may write to seam.training can append a plan. It is
 * carried out, and the next window follows it, only when its content leads to its id and everything that it names is in the log.
 */
import { partitionName } from '@seamstream/event-log';
import {
  GENERATOR_SLOT,
  type OffsetRange,
  TOPIC,
  type TrainingRunPlanned,
  type TrainingRunStarted,
} from '@seamstream/events';
import { canonicalJson, derivedId } from '@seamstream/kernel';
import { onlineLevel } from '@seamstream/statistics';
import { coveringRanges, rangesOf } from './learning-input.js';
import { isNamedByContent, type RunPlan, type RunWindow } from './run-plan.js';

/** What the log says of the things that a plan names. */
export interface PlanGrounds {
  /** By topic/partition: the offset after the last record. */
  readonly ends: ReadonlyMap<string, number>;
  /** Those of plans that are believed, by index. */
  readonly windows: ReadonlyMap<number, RunWindow>;
  /** Whether the log has let go of the beginning of its plans: what they named is then not known in full. */
  readonly isTrimmed: boolean;
  /** Digests that a slot was served with, null for the bare base model. */
  readonly servedAdapters: (slot: string) => readonly (string | null)[];
  /** `key digest` of the buffer's versions. */
  readonly versions: ReadonlySet<string>;
}

/** Name of a buffer's version among {@link PlanGrounds.versions}. */
export function versionName({ key, digest }: { readonly key: string; readonly digest: string }): string {
  return `${key} ${digest}`;
}

/** Why a record states no plan, regardless of the rest of the log; undefined when it may. */
export function recordDoubt(
  event: TrainingRunPlanned | TrainingRunStarted,
  role: 'planned' | 'started',
): string | undefined {
  if (event.meta.messageId !== derivedId(event.runId, role)) return 'its own id does not follow from its run';
  return isNamedByContent(event) ? undefined : 'its content does not lead to its id';
}

/**
 * Why the log does not bear a plan out; undefined when it does.
 * @param isPlanned whether a planner of this release wrote it; what older releases began states less
 */
export function planDoubt(plan: RunPlan, isPlanned: boolean, grounds: PlanGrounds): string | undefined {
  const { window } = plan.configuration;
  return (
    rangesDoubt([...plan.inputs, ...(window?.outcomes ?? []), ...(window?.experiences ?? [])], plan.slot, grounds) ??
    feedbackDoubt(plan, grounds) ??
    (window === null ? undefined : windowDoubt(window, grounds)) ??
    (isPlanned ? (inputsDoubt(plan, grounds) ?? parentDoubt(plan, grounds) ?? levelDoubt(plan)) : undefined)
  );
}

const NOT_OF_GENERATORS: ReadonlySet<string> = new Set([TOPIC.problems, TOPIC.teams, TOPIC.feedback]);

/**
 * What generators are served with is learned from attempts. Other artefacts may be learned from problems that their run tries itself, and
 * from preferences.
 */
function rangesDoubt(ranges: readonly OffsetRange[], slot: string, { ends }: PlanGrounds): string | undefined {
  for (const range of ranges) {
    const { topic, partition } = range;
    const end = ends.get(partitionName(topic, partition));
    if (end === undefined || (slot === GENERATOR_SLOT && NOT_OF_GENERATORS.has(topic)))
      return `it learns from ${topic}/${partition}, which holds neither results nor experiences`;
    if (!isThere(range, end)) return `it learns from ${nameOf(range)}, and the log ends at ${end}`;
  }
  return undefined;
}

function feedbackDoubt({ configuration: { feedback } }: RunPlan, { ends }: PlanGrounds): string | undefined {
  const heard = new Set<number>();
  for (const range of feedback?.ranges ?? []) {
    const { topic, partition } = range;
    const end = topic === TOPIC.feedback ? ends.get(partitionName(topic, partition)) : undefined;
    if (end === undefined) return `it hears ${topic}/${partition}, which holds no feedback`;
    if (!isThere(range, end)) return `it hears ${nameOf(range)}, and the log ends at ${end}`;
    if (heard.has(partition)) return `it hears ${topic}/${partition} twice`;
    heard.add(partition);
  }
  return undefined;
}

/** @param end the offset after the last record */
function isThere({ from, to }: OffsetRange, end: number): boolean {
  return 0 <= from && from <= to && to <= end;
}

function nameOf({ topic, partition, from, to }: OffsetRange): string {
  return `${topic}/${partition} ${from} to ${to}`;
}

/** Windows are counted 1, 2, 3, …; each begins where the one before it ended, or before that for groups that were open. */
function windowDoubt({ index, outcomes }: RunWindow, { windows, isTrimmed }: PlanGrounds): string | undefined {
  if (windows.has(index)) return `window ${index} has a plan already`;
  const before = windows.get(index - 1);
  if (before === undefined && !(index === 1 || (isTrimmed && windows.size === 0)))
    return `there is no window ${index - 1} before its window ${index}`;
  if (outcomes.some(({ topic }) => topic !== TOPIC.outcomes)) return 'its window is not one of results';
  if (new Set(outcomes.map(({ partition }) => partition)).size !== outcomes.length)
    return 'its window names a partition twice';
  const ended = new Map((before?.outcomes ?? []).map(({ partition, to }) => [partition, to]));
  const own = new Map(outcomes.map((range) => [range.partition, range]));
  for (const [partition, to] of ended) {
    const range = own.get(partition);
    if (range === undefined || range.to < to || range.from > to)
      return `its window does not continue where window ${index - 1} ended in partition ${partition}`;
  }
  const isNew = outcomes.some(({ partition, from, to }) => to > (ended.get(partition) ?? from));
  return isNew ? undefined : `its window holds no result that window ${index - 1} did not hold`;
}

/** A run learns from its window and those right before it, or from versions of the buffer. */
function inputsDoubt(
  { inputs, manifests, configuration: { window } }: RunPlan,
  { windows, versions, isTrimmed }: PlanGrounds,
): string | undefined {
  const unknown = manifests.find((manifest) => !versions.has(versionName(manifest)));
  if (unknown !== undefined) return `it reads ${unknown.key}, and no version of the buffer is that`;
  if (window === null || manifests.length > 0 || isTrimmed) return undefined;
  const wanted = canonicalJson(inputs);
  const begins = new Map(inputs.map(({ topic, partition, from }) => [partitionName(topic, partition), from]));
  let covered: readonly OffsetRange[] = coveringRanges(rangesOf([window]));
  for (let index = window.index - 1; canonicalJson(covered) !== wanted; index--) {
    const earlier = windows.get(index);
    // Ranges grow with every window: what reaches back further than the inputs never becomes them.
    const isBeyond = covered.some(
      ({ topic, partition, from }) => from < (begins.get(partitionName(topic, partition)) ?? Infinity),
    );
    if (earlier === undefined || isBeyond) return 'it learns from something else than its window and those before it';
    covered = coveringRanges([...covered, ...rangesOf([earlier])]);
  }
  return undefined;
}

function parentDoubt({ slot, parentAdapter, configuration }: RunPlan, grounds: PlanGrounds): string | undefined {
  const named = configuration.servedAdapters;
  const served = new Set(grounds.servedAdapters(slot));
  const unserved = [parentAdapter, ...named].find((digest) => !served.has(digest));
  if (unserved !== undefined) return `it builds on adapter ${unserved}, which was never served`;
  return (named.at(-1) ?? null) === parentAdapter
    ? undefined
    : 'its parent is not the last of the adapters that it says were served';
}

/** Of a power, which two releases of an engine may round differently. */
const ROUNDING = 1e-9;

/** A level follows from the comparison's place in the row. A higher one would let an adapter be promoted by chance. */
function levelDoubt({ configuration: { promotion } }: RunPlan): string | undefined {
  if (promotion.rule !== 'better') return undefined;
  const { look, promoted, risk, level } = promotion;
  const isSound = look >= 1 && promoted >= 0 && promoted < look && risk > 0 && risk < 1;
  return isSound && Math.abs(level / onlineLevel(look, promoted, risk) - 1) < ROUNDING
    ? undefined
    : `level ${level} does not follow from comparison ${look} at risk ${risk}`;
}
