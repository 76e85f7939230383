/** Reads what a run learns from, exactly as its plan names it; and finds what to name. */
import { type EventLog, partitionForKey, type RecordPosition } from '@seamstream/event-log';
import {
  type BufferCommitted,
  decodeEvent,
  type EventOf,
  type OffsetRange,
  type SeamEvent,
  TOPIC,
} from '@seamstream/events';
import type { PlacedEvent } from '@seamstream/evidence';
import { compareText, SeamError, sha256 } from '@seamstream/kernel';
import type { LearningAlgorithm, LearningInput, LogInput, ResultEvent } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import { type BufferRow, decodeManifest, readVersion, shardNameOf, wholeBuffer } from '@seamstream/success-buffer';
import type { RunPlan, RunWindow } from './run-plan.js';

/** Key of all BufferCommitted records (schemas/topics.json). */
const COMMITS_KEY = 'commits';

/** @throws OBJECT_CORRUPT when manifest or rows are not the recorded ones; OBJECT_NOT_FOUND */
export async function readLearningInput(
  log: EventLog,
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
    return readLogInput(log, inputs, { excluded: new Set(excluded), refused });
  }
  if (manifests.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Reading the input of run ${runId}: expected the manifest of a buffer version, came none. Plan the run with one.`,
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
  log: EventLog,
  inputs: readonly OffsetRange[],
  { excluded, refused = [] }: { readonly excluded: ReadonlySet<string>; readonly refused?: readonly OffsetRange[] },
): Promise<LogInput> {
  const isRefused = ({ topic, partition, offset }: RecordPosition): boolean =>
    refused.some(
      (range) => range.topic === topic && range.partition === partition && range.from <= offset && offset < range.to,
    );
  const events = (await readPlaced(log, inputs))
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

/**
 * Ranges of seam.experiences that hold the experiences of the given results. The problem's id is their key, so the
 * partition is known; only records whose key is wanted are decoded.
 * @param notBefore by partition: offsets before which none of them can stand
 */
export async function findExperiences(
  log: EventLog,
  results: readonly ResultEvent[],
  notBefore: ReadonlyMap<number, number>,
): Promise<readonly OffsetRange[]> {
  const ranges: OffsetRange[] = [];
  const watermarks = await log.watermarks(TOPIC.experiences);
  const byPartition = Map.groupBy(results, ({ problem }) => partitionForKey(problem.problemId, watermarks.length));
  for (const { partition, low, high } of watermarks) {
    const own = byPartition.get(partition) ?? [];
    const keys = new Set(own.map(({ problem }) => problem.problemId));
    const missing = new Set(own.map(({ experienceId }) => experienceId));
    let from: number | undefined;
    let to = 0;
    const start = Math.max(low, notBefore.get(partition) ?? 0);
    if (missing.size === 0 || start >= high) continue;
    for await (const records of log.read({ topic: TOPIC.experiences, partition, from: start, to: high })) {
      for (const record of records) {
        if (record.key === null || !keys.has(record.key)) continue;
        let event: SeamEvent;
        try {
          event = decodeEvent(record);
        } catch {
          continue; // it never became an outcome
        }
        if (
          (event.type !== 'ExperienceGenerated' && event.type !== 'ExperienceWithheld') ||
          !missing.delete(event.experienceId)
        )
          continue;
        from ??= record.offset;
        to = record.offset + 1;
      }
      if (missing.size === 0) break;
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

/**
 * Of every shard of the buffer the first committed version that was folded from everything in the given ranges, by shard;
 * waits for them. Which they are does not depend on which shard was quicker.
 * @throws ABORTED when the signal aborts before
 */
export async function awaitBufferVersions(
  log: EventLog,
  ranges: readonly OffsetRange[],
  { signal, onWaiting }: { readonly signal: AbortSignal; readonly onWaiting: (seconds: number) => void },
): Promise<readonly BufferCommitted[]> {
  const startedMs = performance.now();
  const reminder = setInterval(() => onWaiting(Math.round((performance.now() - startedMs) / 1000)), REMIND_EVERY_MS);
  try {
    return await firstCovering(log, ranges, signal);
  } finally {
    clearInterval(reminder);
  }
}

const REMIND_EVERY_MS = 15_000;

async function firstCovering(
  log: EventLog,
  ranges: readonly OffsetRange[],
  signal: AbortSignal,
): Promise<readonly BufferCommitted[]> {
  const found = new Map<string, BufferCommitted>();
  for await (const records of log.follow({ topics: [TOPIC.buffer], from: 'earliest', signal })) {
    for (const record of records) {
      if (record.key !== COMMITS_KEY) continue;
      let event: SeamEvent;
      try {
        event = decodeEvent(record);
      } catch {
        continue; // states nothing
      }
      if (event.type !== 'BufferCommitted' || found.has(shardNameOf(event)) || !covers(event.inputs, ranges)) continue;
      found.set(shardNameOf(event), event);
      const whole = wholeBuffer(found.values());
      if (whole.length > 0) return whole;
    }
  }
  throw new SeamError('ABORTED', 'Waiting for a version of the buffer: told to stop. The run is planned again later.');
}

function covers(inputs: readonly OffsetRange[], ranges: readonly OffsetRange[]): boolean {
  const ends = new Map(inputs.map(({ partition, to }) => [partition, to]));
  return ranges.every(({ partition, to }) => (ends.get(partition) ?? 0) >= to);
}

/** The events in the given ranges, in their order. */
export async function readRanges(log: EventLog, ranges: readonly OffsetRange[]): Promise<SeamEvent[]> {
  return (await readPlaced(log, ranges)).map(({ event }) => event);
}

/** The same with their places. */
export async function readPlaced(log: EventLog, ranges: readonly OffsetRange[]): Promise<PlacedEvent[]> {
  const events: PlacedEvent[] = [];
  for (const { topic, partition, from, to } of ranges) {
    if (from >= to) continue;
    for await (const records of log.read({ topic, partition, from, to })) {
      for (const record of records) {
        try {
          events.push({
            event: decodeEvent(record),
            position: { topic, partition, offset: record.offset },
            value: record.value,
          });
        } catch {
          // Nobody could use it; its consumer sent it to the dead letters.
        }
      }
    }
  }
  return events;
}

export function isResult(event: SeamEvent): event is ResultEvent {
  return event.type === 'OutcomeRecorded' || event.type === 'ExecutionFailed';
}

function corrupt(key: string, expected: string, actual: string): SeamError {
  return new SeamError(
    'OBJECT_CORRUPT',
    `Reading ${key}: expected the content ${expected}, came ${actual}. Restore the object or rebuild the buffer from the log.`,
    {
      details: { key, expected, actual },
    },
  );
}
