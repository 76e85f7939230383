/** What a shift to late attributes brought and cost: the generator round by round, and baselines that have seen as much. */
import { type Attempt, type Baseline, learnBaseline } from '@seamstream/attribute-world';
import { type ArmResult, armResult, measureEntries, pairs } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { pairedDifference } from '@seamstream/statistics';
import { MeasureHeldOutHandler } from './measure-held-out.handler.js';
import { type MeasureRunInput, storedArtefact } from './measure-run.js';
import { measureShift, type ShiftPoint, servedInShift } from './measure-shift.js';
import type { RecordedAttempt } from './recorded-attempts.js';
import { type AttributesShift, recoveredAfter, type Share } from './report/late-part.js';

/** The last goes by the attributes that entries quote, as the generator does: it says how much a table knows of late ones. */
const SHIFT_BASELINES: readonly Baseline[] = ['word table', 'retrieved case', 'table of quoted attributes'];

export interface LateInput {
  readonly input: MeasureRunInput;
  readonly recorded: readonly RecordedAttempt[];
  readonly problems: { readonly new: readonly Problem[]; readonly old: readonly Problem[] };
  /** The last adapter's result on the old problems. */
  readonly onOld: ArmResult;
}

/** @returns null for a run that ended before its shift */
export async function measureLate({ input, recorded, problems, onOld }: LateInput): Promise<AttributesShift | null> {
  const { host, progress, say } = input;
  const shift = servedInShift(progress);
  if (shift === null) return null;
  const handler = new MeasureHeldOutHandler(host, say);
  const points = await measureShift([shift.before, ...shift.after], {
    ...{ problems, last: { served: progress.adapters.served, onOld } },
    resultOf: (adapter, asked, what) => handler.resultOf(adapter, asked, what),
    load: (stored) => storedArtefact(host, stored),
  });
  const early = withEntries(recorded.filter(({ phase }) => phase === 'base'));
  const all = withEntries(recorded);
  const asked = (name: Baseline, attempts: readonly Attempt[]): Promise<Share> =>
    baselineOn(problems.new, { ...{ name, attempts, what: 'late problems' }, input });
  const baselines: AttributesShift['baselines'][number][] = [];
  for (const name of SHIFT_BASELINES)
    baselines.push({ name, before: await asked(name, early), after: await asked(name, all) });
  const curve = points.map((point) => ({
    ...{ round: point.round, adapter: point.served?.adapterDigest ?? null },
    ...{ late: shareOf(point.onNew), old: shareOf(point.onOld) },
  }));
  return {
    ...{ problems: problems.new.length, oldProblems: problems.old.length, curve, baselines },
    ...{ recoveredAfter: recoveredAfter(curve), ...differences(points) },
  };
}

/** How often a baseline that has seen these attempts helps. @param what is measured, for who waits */
export async function baselineOn(
  problems: readonly Problem[],
  {
    name,
    attempts,
    what,
    input: { host, say },
  }: {
    readonly name: Baseline;
    readonly attempts: readonly Attempt[];
    readonly what: string;
    readonly input: Pick<MeasureRunInput, 'host' | 'say'>;
  },
): Promise<Share> {
  const advice = problems.map(learnBaseline(name, attempts));
  const { environment } = host;
  const onProgress = (row: string, done: number, total: number): void =>
    say(`measuring ${what}: ${row} ${done}/${total}`);
  return shareOf(armResult(problems, await measureEntries(name, problems, advice, { environment, onProgress })));
}

/** Judged attempts with an entry. */
export function withEntries(recorded: readonly RecordedAttempt[]): readonly Attempt[] {
  return recorded.flatMap(({ problem, entry, success }) => (entry === null ? [] : [{ problem, entry, success }]));
}

function differences(points: readonly ShiftPoint[]): Pick<AttributesShift, 'gained' | 'kept'> {
  const [first, last] = [points[0]!, points.at(-1)!];
  return {
    gained: pairedDifference(pairs(last.onNew.solved, first.onNew.solved)),
    kept: pairedDifference(pairs(last.onOld.solved, first.onOld.solved)),
  };
}

export function shareOf({ success, interval95 }: ArmResult): Share {
  return { success, interval95 };
}
