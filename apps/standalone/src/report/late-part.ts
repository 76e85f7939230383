/** The part of a report about late attributes: what was known of them when they came, how soon they were learned, and what that cost. */
import type { Estimate } from '@seamstream/statistics';
import { escapeHtml, inPoints, percent, table } from './page-pieces.js';

export interface Share {
  readonly success: number;
  /** Wilson's, at 95 %. */
  readonly interval95: readonly [low: number, high: number];
}

/** The adapter that was served when a round had ended, on late problems and on old ones; null is the base model. */
export interface ShiftRound {
  readonly round: number;
  readonly adapter: string | null;
  readonly late: Share;
  readonly old: Share;
}

export interface AttributesShift {
  /** Held-out problems: late ones, and those that were asked before. */
  readonly problems: number;
  readonly oldProblems: number;
  /** The last round before the shift, and every round of it. */
  readonly curve: readonly ShiftRound[];
  /** On late problems, learned from the attempts before the shift, and from all. */
  readonly baselines: readonly { readonly name: string; readonly before: Share; readonly after: Share }[];
  /** Rounds of the shift until late problems reached their bar; null: they did not. */
  readonly recoveredAfter: number | null;
  /** The last adapter less the one before the shift, paired: on late problems, and on old ones. */
  readonly gained: Estimate | null;
  readonly kept: Estimate | null;
}

/** What is claimed, written down before any run with a shift (docs/adr/0139-some-attributes-come-late.md). */
const BARS = {
  /** In a strange world, on late problems before the shift: at most. */
  newBefore: 0.35,
  wordTableBefore: 0.2,
  /** Late problems at the end: at least. */
  learned: 0.85,
  /** Low end of the interval of what was kept. */
  kept: -0.05,
} as const;

/** Rounds of the shift until the served adapter solved as many late problems as is claimed. @param curve the first is from before the shift */
export function recoveredAfter(curve: readonly Pick<ShiftRound, 'late'>[]): number | null {
  const at = curve.findIndex(({ late }, index) => index > 0 && late.success >= BARS.learned);
  return at === -1 ? null : at;
}

/** The claims about the shift that do not hold, in words. */
export function shiftShortcomings(shift: AttributesShift, isStrange: boolean): readonly string[] {
  const { curve, baselines, kept } = shift;
  const short: string[] = [];
  const wordTable = baselines.find(({ name }) => name === 'word table');
  if (isStrange && curve[0]!.late.success > BARS.newBefore)
    short.push(`more than ${percent(BARS.newBefore)} of late problems solved before they came`);
  if (isStrange && (wordTable?.before.success ?? 1) > BARS.wordTableBefore)
    short.push(`the word table solves more than ${percent(BARS.wordTableBefore)} of late problems before they came`);
  if (curve.at(-1)!.late.success < BARS.learned) short.push(`late problems below ${percent(BARS.learned)}`);
  if ((kept?.interval95[0] ?? -1) < BARS.kept)
    short.push(`more than ${percent(-BARS.kept)} of old problems may have been lost`);
  return short;
}

const difference = (estimate: Estimate | null): string => (estimate === null ? 'not measured' : inPoints(estimate));

/** For a terminal. */
export function shiftLines({ curve, baselines, recoveredAfter: rounds, kept }: AttributesShift): readonly string[] {
  const [before, after] = [curve[0]!, curve.at(-1)!];
  const shown = baselines.map(
    ({ name, before: early, after: all }) => `${name} ${percent(early.success)} to ${percent(all.success)}`,
  );
  const inRounds = (count: number): string => `${count} ${count === 1 ? 'round' : 'rounds'}`;
  const recovery = rounds === null ? 'not recovered' : `recovered after ${inRounds(rounds)}`;
  return [
    `Late attributes: ${percent(before.late.success)} of late problems before they came, ${percent(after.late.success)} after ${inRounds(curve.length - 1)} with them, ${recovery}; ${shown.join(', ')}.`,
    `Old held-out problems meanwhile: ${percent(before.old.success)} to ${percent(after.old.success)}, ${difference(kept)}.`,
  ];
}

export function shownShare({ success, interval95 }: Share): string {
  return `${percent(success)} (${interval95.map(percent).join(' to ')})`;
}

export function renderShift(shift: AttributesShift): string {
  const { curve, baselines, problems, oldProblems, recoveredAfter: rounds, gained, kept } = shift;
  const recovery =
    rounds === null
      ? `Late problems did not reach ${percent(BARS.learned)}.`
      : `Rounds with late problems until ${percent(BARS.learned)} of them were solved: ${rounds}.`;
  return `<h2>After late attributes appeared in the stream</h2>
<p>${escapeHtml(recovery)} Late problems, end less before: ${difference(gained)}. Old problems: ${difference(kept)}.</p>
<div class="wide" tabindex="0">${table(
    ['served after round', 'late problems', 'old held-out problems', 'adapter'],
    curve.map(({ round, late, old, adapter }, index) => [
      ...[index === 0 ? `${round}, before the shift` : String(round), shownShare(late), shownShare(old)],
      adapter?.slice(0, 12) ?? 'none',
    ]),
  )}</div>
<div class="wide" tabindex="0">${table(
    ['late problems, no model', 'from attempts before the shift', 'from all attempts'],
    baselines.map(({ name, before, after }) => [name, shownShare(before), shownShare(after)]),
  )}</div>
<p class="soft">${problems} late held-out problems, each about an attribute that no problem had before the shift, and ${oldProblems} old ones. Differences are paired, with their 95 % intervals.</p>`;
}
