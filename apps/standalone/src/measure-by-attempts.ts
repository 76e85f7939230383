/** How soon the loop gets there, and how soon a table does that counts by the attributes which entries quote: after the same attempts. */
import type { Attempt } from '@seamstream/attribute-world';
import type { Problem } from '@seamstream/events';
import { MeasureHeldOutHandler } from './measure-held-out.handler.js';
import { baselineOn, shareOf, withEntries } from './measure-late.js';
import { type MeasureRunInput, storedArtefact } from './measure-run.js';
import { type ServedAfter, type Stored, servedAfterRounds } from './measure-shift.js';
import type { RecordedAttempt } from './recorded-attempts.js';
import { ATTEMPTS_SETS, type AttemptsPoint, type AttemptsSet, type ByAttempts } from './report/attempts-part.js';
import type { Share } from './report/late-part.js';

/** Rounds that are shown, and problems of each set that they are measured on: enough for a curve, few enough to be quick. */
const POINTS = 4;
const PROBLEMS = 128;

/** What is asked of both, on one set. */
export interface AttemptsMeasuring {
  readonly loopOn: (served: Stored | null, set: AttemptsSet) => Promise<Share>;
  readonly tableOn: (attempts: readonly Attempt[], set: AttemptsSet) => Promise<Share>;
}

export async function measureByAttempts(
  input: MeasureRunInput,
  recorded: readonly RecordedAttempt[],
  sets: Readonly<Record<AttemptsSet, readonly Problem[]>>,
): Promise<ByAttempts> {
  const { host, progress, say } = input;
  const asked = { heldOut: sets.heldOut.slice(0, PROBLEMS), newWords: sets.newWords.slice(0, PROBLEMS) };
  const handler = new MeasureHeldOutHandler(host, say);
  const points = await attemptsPoints(someOf(servedAfterRounds(progress)), recorded, {
    loopOn: async (served, set) =>
      shareOf(await handler.resultOf(await storedArtefact(host, served), asked[set], 'the loop attempt by attempt')),
    tableOn: (attempts, set) =>
      baselineOn(asked[set], {
        ...{ name: 'table of quoted attributes', attempts, what: 'attempt by attempt' },
        input,
      }),
  });
  return { problems: { heldOut: asked.heldOut.length, newWords: asked.newWords.length }, points };
}

/** As many as are shown, at equal distances; the last one is among them. */
export function someOf<T>(rounds: readonly T[]): readonly T[] {
  const places = Array.from({ length: POINTS }, (_, at) => Math.ceil(((at + 1) * rounds.length) / POINTS) - 1);
  return rounds.filter((_, at) => places.includes(at));
}

/** Each adapter is asked once: what stays served over several rounds has one result. */
export async function attemptsPoints(
  rounds: readonly ServedAfter[],
  recorded: readonly RecordedAttempt[],
  { loopOn, tableOn }: AttemptsMeasuring,
): Promise<readonly AttemptsPoint[]> {
  const measured = new Map<string | null, Record<AttemptsSet, Share>>();
  const points: AttemptsPoint[] = [];
  for (const { round, served } of rounds) {
    const digest = served?.adapterDigest ?? null;
    const loop = measured.get(digest) ?? (await onBoth((set) => loopOn(served, set)));
    measured.set(digest, loop);
    const attempts = withEntries(recorded.filter((attempt) => attempt.round <= round));
    const table = await onBoth((set) => tableOn(attempts, set));
    points.push({ round, attempts: attempts.length, loop, table });
  }
  return points;
}

async function onBoth(measure: (set: AttemptsSet) => Promise<Share>): Promise<Record<AttemptsSet, Share>> {
  const [first, second] = ATTEMPTS_SETS;
  // One after the other: both ask the same models.
  const heldOut = await measure(first);
  return { heldOut, newWords: await measure(second) };
}
