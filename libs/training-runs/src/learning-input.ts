/** Reads what a run learns from, exactly as its plan names it; and finds what to name. */
import { type LogRecord, partitionForKey, partitionName, type Watermarks } from '@seamstream/event-log';
import { type EventOf, isWhole, type OffsetRange, TOPIC } from '@seamstream/events';
import { type ProblemContents, placesIn } from '@seamstream/evidence';
import { isAttemptResult } from '@seamstream/experience-groups';
import { compareText, SeamError, sha256 } from '@seamstream/kernel';
import type { LearningInput, LogInput, ProblemsInput, ResultEvent } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import { type BufferRow, decodeManifest, readVersion } from '@seamstream/success-buffer';
import type { Recipe } from './learning-method.js';
import { preferencesIn, readPreferencesInput } from './preference-set.js';
import type { EventSource } from './recorded-events.js';
import { readFeedback } from './recorded-feedback.js';
import type { RunPlan, RunWindow } from './run-plan.js';

/** @throws OBJECT_CORRUPT when manifest or rows are not the recorded ones; OBJECT_NOT_FOUND */
export async function readLearningInput(
  source: EventSource,
  objects: ObjectStore,
  { reads }: Pick<Recipe, 'reads'>,
  {
    inputs,
    manifests,
    runId,
    configuration,
  }: Pick<RunPlan, 'inputs' | 'manifests' | 'runId'> & { readonly configuration?: RunPlan['configuration'] },
): Promise<LearningInput> {
  if (reads === 'problems') return readProblemsInput(source, inputs);
  if (reads === 'preferences') return readPreferencesInput(source, inputs, preferencesIn(configuration?.algorithm));
  if (reads === 'log') {
    const { excluded, refused = [], feedback } = configuration ?? {};
    const input = await readLogInput(source, inputs, { excluded: new Set(excluded), refused });
    if (feedback === undefined) return input;
    const problems = new Set(input.results.map(({ problem }) => problem.problemId));
    return { ...input, feedback: await readFeedback(source, feedback, problems) };
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

/** Each problem once, however often it was published: the first counts. */
export async function readProblemsInput(source: EventSource, inputs: readonly OffsetRange[]): Promise<ProblemsInput> {
  const problems = new Map<string, EventOf<'ProblemPublished'>>();
  for (const range of inputs)
    for (const { event } of await source.placed(range))
      if (event.type === 'ProblemPublished' && !problems.has(event.problem.problemId))
        problems.set(event.problem.problemId, event);
  const inOrder = [...problems.values()].sort((a, b) => compareText(a.problem.problemId, b.problem.problemId));
  return { reads: 'problems', problems: inOrder };
}

/**
 * @param excluded groups whose records are in the ranges but are not learned from
 * @param refused places of results that are not learned from, in any group
 */
export async function readLogInput(
  source: EventSource,
  inputs: readonly OffsetRange[],
  { excluded, refused = [] }: { readonly excluded: ReadonlySet<string>; readonly refused?: readonly OffsetRange[] },
  signal?: AbortSignal,
): Promise<LogInput> {
  const isRefused = placesIn(refused);
  const experiences: EventOf<'ExperienceGenerated'>[] = [];
  const results: ResultEvent[] = [];
  for (const range of inputs)
    for (const { event, position } of await source.placed(range, signal)) {
      if (('groupId' in event && excluded.has(event.groupId)) || isRefused(position)) continue;
      if (event.type === 'ExperienceGenerated') experiences.push(event);
      else if (isAttemptResult(event)) results.push(event);
    }
  return { reads: 'log', experiences, results };
}

/**
 * The same input with whole problems. An experience whose content is not in the log is left out and named: its problem cannot be
 * known, and one such record from an attacker must not keep the others from being learned from.
 */
export async function withContents(
  input: LearningInput,
  contents: ProblemContents,
): Promise<{ readonly input: LearningInput; readonly missing: readonly string[] }> {
  if (input.reads !== 'log') return { input, missing: [] };
  const filled = await contents.fill(
    input.experiences.map((each) => ({ ...each, type: 'ExperienceGenerated' as const })),
  );
  const missing = filled.filter(({ problem }) => !isWhole(problem)).map(({ experienceId }) => experienceId);
  return { input: { ...input, experiences: filled.filter(({ problem }) => isWhole(problem)) }, missing };
}

/** Records that are looked through at once for the experiences of a window. */
const LOOK_AHEAD = 1_000;

/**
 * Ranges of seam.experiences that hold the experiences of the given results. The problem's id is their key, so the
 * partition is known, and what is about other problems is passed over unopened.
 * @param watermarks of seam.experiences
 * @param notBefore by partition: offsets before which none of them can stand
 */
export async function findExperiences(
  source: EventSource,
  results: readonly ResultEvent[],
  watermarks: readonly Watermarks[],
  notBefore: ReadonlyMap<number, number>,
  signal?: AbortSignal,
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
      const isOfThem = ({ key }: LogRecord): boolean => key !== null && problems.has(key);
      for (const { event, position } of await source.sought(range, isOfThem, signal)) {
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
    const name = partitionName(range.topic, range.partition);
    const known = covering.get(name) ?? range;
    covering.set(name, { ...range, from: Math.min(known.from, range.from), to: Math.max(known.to, range.to) });
  }
  return [...covering.values()].sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
}

function corrupt(key: string, expected: string, actual: string): SeamError {
  return new SeamError(
    'OBJECT_CORRUPT',
    `Cannot read ${key}: expected the content ${expected}, got ${actual}. Restore the object or rebuild the buffer from the log.`,
    { details: { key, expected, actual } },
  );
}
