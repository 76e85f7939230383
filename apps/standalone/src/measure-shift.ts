/** What a shift of the stream did to adapters: those served before it and after its rounds, on what is new and on what was there before. */
import type { ArmResult } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import type { ServedAdapter } from '@seamstream/release';
import type { Served } from '@seamstream/rollout';
import { endedRuns, type LoopProgress, servedAt } from './round-progress.js';

/** An adapter by its digest, and where it lies in the object store. */
export type Stored = Pick<ServedAdapter, 'adapterDigest' | 'key'>;

/** What was served when a round's run had ended; null is the base model. */
export interface ServedAfter {
  readonly round: number;
  readonly served: Stored | null;
}

/**
 * What was served before the shift, and after each of its rounds that has ended, in their order.
 * @returns null for a run without one
 */
export function servedInShift(
  progress: LoopProgress,
): { readonly before: ServedAfter; readonly after: readonly ServedAfter[] } | null {
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  const baseRounds = rounds.filter(({ phase }) => phase === 'base').length;
  if (baseRounds === rounds.length) return null;
  const runs = endedRuns(progress);
  const servedAfter = (round: number, count: number): ServedAfter => ({
    round,
    served: servedAt(progress, runs.slice(0, count).at(-1)?.endedAtMs ?? 0),
  });
  const ended = rounds.slice(baseRounds, runs.length);
  return {
    before: servedAfter(rounds[baseRounds - 1]?.round ?? 0, baseRounds),
    after: ended.map(({ round }, index) => servedAfter(round, baseRounds + index + 1)),
  };
}

/** What was served after each round that has ended, in their order. */
export function servedAfterRounds(progress: LoopProgress): readonly ServedAfter[] {
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  return endedRuns(progress)
    .slice(0, rounds.length)
    .map((run, at) => ({ round: rounds[at]!.round, served: servedAt(progress, run.endedAtMs ?? 0) }));
}

export interface ShiftPoint extends ServedAfter {
  readonly onNew: ArmResult;
  readonly onOld: ArmResult;
}

export interface ShiftMeasuring {
  /** One adapter alone; `what` is for the line that reports its progress. */
  readonly resultOf: (adapter: Served | null, problems: readonly Problem[], what: string) => Promise<ArmResult>;
  readonly load: (stored: Stored | null) => Promise<Served | null>;
  readonly problems: { readonly new: readonly Problem[]; readonly old: readonly Problem[] };
  /** What is served last, and what was measured of it already. */
  readonly last: { readonly served: Stored | null; readonly onOld: ArmResult };
}

/** Each adapter once: what stays served over several rounds has one result. */
export async function measureShift(
  points: readonly ServedAfter[],
  { resultOf, load, problems, last }: ShiftMeasuring,
): Promise<readonly ShiftPoint[]> {
  const digestOf = (stored: Stored | null): string | null => stored?.adapterDigest ?? null;
  const onOld = new Map([[digestOf(last.served), last.onOld]]);
  const onNew = new Map<string | null, ArmResult>();
  const measured: ShiftPoint[] = [];
  for (const { round, served } of points) {
    const digest = digestOf(served);
    const adapter = onNew.has(digest) ? null : await load(served);
    const what = (problems: string): string => `${problems}, the adapter after round ${round}`;
    if (!onNew.has(digest)) onNew.set(digest, await resultOf(adapter, problems.new, what('new problems')));
    if (!onOld.has(digest)) onOld.set(digest, await resultOf(adapter, problems.old, what('old problems')));
    measured.push({ round, served, onNew: onNew.get(digest)!, onOld: onOld.get(digest)! });
  }
  return measured;
}
