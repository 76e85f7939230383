/** Reads what a run learns from, exactly as its plan names it; and finds what to name. */
import { partitionForKey, type RecordPosition, type Watermarks } from '@seamstream/event-log';
import { type EventOf, type OffsetRange, type SeamEvent, TOPIC } from '@seamstream/events';
import type { PlacedEvent } from '@seamstream/evidence';
import { compareText, SeamError, sha256 } from '@seamstream/kernel';
import type { LearningAlgorithm, LearningInput, LogInput, ResultEvent } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import { type BufferRow, decodeManifest, readVersion } from '@seamstream/success-buffer';
import type { EventSource } from './recorded-events.js';
import type { RunPlan, RunWindow } from './run-plan.js';

/** @throws OBJECT_CORRUPT when manifest or rows are not the recorded ones; OBJECT_NOT_FOUND */
export async function readLearningInput(
  source: EventSource,
  objects: ObjectStore,
  algorithm: Pick<LearningAlgorithm, 'reads'>,
  {
    inputs,
    manifests,
    runId,
    configuration,
  }: Pick<RunPlan, 'inputs' | 'manifests' | 'runId'> & { readonly configuration?: RunPlan['configuration'] },
): Promise<LearningInput> {
  if (algorithm.reads === 'log') {
    const { excluded, refused = [] } = configuration ?? {};
    return readLogInput(source, inputs, { excluded: new Set(excluded), refused });
  }
  if (manifests.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read the input of run ${runId}: expected the manifest of a buffer version, got none. Plan the run with one.`,
    );
  }
  const rows: BufferRow[] = [];
  for (const { key: manifestKey, digest } of manifests) {
    const bytes = await objects.get(manifestKey);
    if (sha256(bytes) !== digest) throw corrupt(manifestKey, digest, sha256(bytes));
    rows.push(...(await readVersion(decodeManifest(bytes), (key) => objects.get(key))));
  }
  // Of several shards: in the order in which one buffer would have them.
  return { reads: 'buffer', rows: rows.sort((a, b) => compareText(a.outcomeId, b.outcomeId)) };
}

/**
 * @param excluded groups that stand in the ranges and are not learned from
 * @param refused places of results that are not, whatever their group
 */
export async function readLogInput(
  source: EventSource,
  inputs: readonly OffsetRange[],
  { excluded, refused = [] }: { readonly excluded: ReadonlySet<string>; readonly refused?: readonly OffsetRange[] },
): Promise<LogInput> {
  const isRefused = ({ topic, partition, offset }: RecordPosition): boolean =>
    refused.some(
      (range) => range.topic === topic && range.partition === partition && range.from <= offset && offset < range.to,
    );
  const placed: (readonly PlacedEvent[])[] = [];
  for (const range of inputs) placed.push(await source.placed(range));
  const events = placed
    .flat()
    .filter(({ event, position }) => !('groupId' in event && excluded.has(event.groupId)) && !isRefused(position))
    .map(({ event }) => event);
  return {
    reads: 'log',
    experiences: events.filter(
      (event): event is EventOf<'ExperienceGenerated'> => event.type === 'ExperienceGenerated',
    ),
    results: events.filter(isResult),
  };
}

/** Records that are looked through at once for the experiences of a window. */
const LOOK_AHEAD = 1_000;

/**
 * Ranges of seam.experiences that hold the experiences of the given results. The problem's id is their key, so the
 * partition is known.
 * @param watermarks of seam.experiences
 * @param notBefore by partition: offsets before which none of them can stand
 */
export async function findExperiences(
  source: EventSource,
  results: readonly ResultEvent[],
  watermarks: readonly Watermarks[],
  notBefore: ReadonlyMap<number, number>,
): Promise<readonly OffsetRange[]> {
  const ranges: OffsetRange[] = [];
  const byPartition = Map.groupBy(results, ({ problem }) => partitionForKey(problem.problemId, watermarks.length));
  for (const { partition, low, high } of watermarks) {
    const own = byPartition.get(partition) ?? [];
    const problems = new Set(own.map(({ problem }) => problem.problemId));
    const missing = new Set(own.map(({ experienceId }) => experienceId));
    let from: number | undefined;
    let to = 0;
    for (let at = Math.max(low, notBefore.get(partition) ?? 0); at < high && missing.size > 0; at += LOOK_AHEAD) {
      const range = { topic: TOPIC.experiences, partition, from: at, to: Math.min(high, at + LOOK_AHEAD) };
      for (const { event, position } of await source.placed(range)) {
        const isSought = event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';
        if (!isSought || !problems.has(event.problem.problemId) || !missing.delete(event.experienceId)) continue;
        from ??= position.offset;
        to = position.offset + 1;
      }
    }
    if (from !== undefined) ranges.push({ topic: TOPIC.experiences, partition, from, to });
  }
  return ranges;
}

/** The results and experiences of windows. */
export function rangesOf(windows: readonly RunWindow[]): readonly OffsetRange[] {
  return windows.flatMap(({ outcomes, experiences }) => [...outcomes, ...experiences]);
}

/** One range per partition that covers all given ones, in the order of topic and partition. */
export function coveringRanges(ranges: readonly OffsetRange[]): readonly OffsetRange[] {
  const covering = new Map<string, OffsetRange>();
  for (const range of ranges) {
    const name = `${range.topic}/${range.partition}`;
    const known = covering.get(name) ?? range;
    covering.set(name, { ...range, from: Math.min(known.from, range.from), to: Math.max(known.to, range.to) });
  }
  return [...covering.values()].sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
}

export function isResult(event: SeamEvent): event is ResultEvent {
  return event.type === 'OutcomeRecorded' || event.type === 'ExecutionFailed';
}

function corrupt(key: string, expected: string, actual: string): SeamError {
  return new SeamError(
    'OBJECT_CORRUPT',
    `Cannot read ${key}: expected the content ${expected}, got ${actual}. Restore the object or rebuild the buffer from the log.`,
    { details: { key, expected, actual } },
  );
}
