/** The report of a demonstration in a world of attributes: `report.json`, its page, and its last words. Rates are fractions of 1. */
import type { Preset, Split } from '@seamstream/attribute-world';
import { points } from '@seamstream/kernel';
import type { Estimate } from '@seamstream/statistics';
import { escapeHtml, measuredBars, page, percent, table } from './page-pieces.js';
import type { RoundsReport } from './report.types.js';
import { ledgerTable, runFacts } from './run-parts.js';
import { cost, loopTime } from './verdict.js';

export interface AttributesRow {
  /** A control, `trained`, or a baseline. */
  readonly name: string;
  /** Whether it needs no model. */
  readonly isBaseline: boolean;
  readonly success: number;
  /** Wilson's, at 95 %. */
  readonly interval95: readonly [low: number, high: number];
  readonly perDomain: Readonly<Record<string, number>>;
  /** Of the problems: those that the executor fails alone and solves with this row's entry, and the reverse. */
  readonly rescued: number;
  readonly broken: number;
  /** Rescued less broken, paired, at 95 %. */
  readonly lift: Estimate | null;
}

/** One set of problems that decided nothing. */
export interface AttributesSet {
  readonly split: Split;
  readonly problems: number;
  readonly problemSetDigest: string;
  /** Of the trained generator's entries, those whose every quote is in their problem; null without any. */
  readonly faithful: number | null;
  readonly rows: readonly AttributesRow[];
}

export interface AttributesReport extends RoundsReport {
  readonly method: 'attributes' | 'familiar-attributes';
  readonly preset: Preset;
  readonly sets: readonly AttributesSet[];
  readonly rounds: readonly AttributesRound[];
  /** Judged attempts with an entry, from which the baselines learned. */
  readonly attempts: number;
  readonly served: string | null;
  /** Whether every claim holds. */
  readonly converged: boolean;
}

interface AttributesRound {
  readonly round: number;
  readonly attempts: number;
  readonly explored: number;
  /** Of the round's entries, those whose every quote is in their problem; null without any. */
  readonly faithful: number | null;
  readonly validation: number | null;
  readonly parentValidation: number | null;
  readonly status: 'promoted' | 'rejected' | 'failed';
  readonly reason: string | null;
}

/** Sets as people read them. */
export const SPLIT_WORDS = {
  train: 'problems to train on',
  development: 'problems to choose settings on',
  validation: 'validation problems',
  heldOut: 'held-out problems',
  newWords: 'new words',
} as const satisfies Readonly<Record<Split, string>>;

/**
 * What is claimed, written down before any reporting run (docs/adr/0086-a-world-that-no-table-can-solve.md, and 0098 for entries that
 * quote truly).
 */
const BARS = {
  heldOut: 0.9,
  newWords: 0.85,
  /** Share of faithful entries on either set. */
  faithful: 0.98,
  /** In a strange world: at most what the word table solves of new words, and how much more than the executor alone a control may solve. */
  wordTable: 0.5,
  controls: 0.1,
  /** In a familiar world: least lift, and most that entries break. */
  lift: 0.3,
  broken: 0.03,
} as const;
/** What a generator that learned nothing could do as well. */
export const CONTROLS = ['wrapperOnly', 'fixedHint', 'otherProblemsEntry'] as const;

type Facts = Pick<AttributesReport, 'preset' | 'sets'>;

/** A row by its name, where the set was measured. */
export function rowOf({ sets }: Pick<Facts, 'sets'>, split: Split, name: string): AttributesRow | undefined {
  return sets.find((set) => set.split === split)?.rows.find((row) => row.name === name);
}

/** The claims that do not hold, in words. */
export function shortcomings(facts: Facts): readonly string[] {
  const success = (split: Split, name: string): number => rowOf(facts, split, name)?.success ?? 0;
  const short: string[] = [];
  if (success('heldOut', 'trained') < BARS.heldOut) short.push(`held-out problems below ${percent(BARS.heldOut)}`);
  if (success('newWords', 'trained') < BARS.newWords) short.push(`new words below ${percent(BARS.newWords)}`);
  for (const { split, faithful } of facts.sets)
    if ((faithful ?? 0) < BARS.faithful)
      short.push(`entries faithful on ${SPLIT_WORDS[split]} below ${percent(BARS.faithful)}`);
  if (facts.preset === 'strange') {
    if (success('newWords', 'word table') > BARS.wordTable)
      short.push(`the word table solves more than ${percent(BARS.wordTable)} of new words`);
    const most = success('heldOut', 'noExperience') + BARS.controls;
    for (const name of CONTROLS) if (success('heldOut', name) > most) short.push(`${name} helps as well`);
    return short;
  }
  for (const { split } of facts.sets) {
    const trained = rowOf(facts, split, 'trained');
    if ((trained?.lift?.value ?? 0) < BARS.lift)
      short.push(`lift on ${SPLIT_WORDS[split]} below ${percent(BARS.lift)}`);
    if ((trained?.broken ?? 1) > BARS.broken)
      short.push(`more than ${percent(BARS.broken)} broken on ${SPLIT_WORDS[split]}`);
  }
  return short;
}

export function holds(facts: Facts): boolean {
  return shortcomings(facts).length === 0;
}

/** What was learned, in one line. */
export function attributesHeadline(report: AttributesReport): string {
  const of = (split: Split, name: string): string => percent(rowOf(report, split, name)?.success ?? 0);
  const figures = `${of('heldOut', 'trained')} of held-out problems and ${of('newWords', 'trained')} of new words (alone ${of('newWords', 'noExperience')}, word table ${of('newWords', 'word table')})`;
  return report.converged
    ? `Learned what attributes call for: ${figures}.`
    : `NOT SHOWN: ${shortcomings(report).join(', ')}; ${figures}. ${report.ended}`;
}

/** The end of a run for a terminal. */
export function attributesSummary(report: AttributesReport): string {
  const lifts = report.sets.map(({ split, rows, faithful }) => {
    const { rescued, broken, lift } = rows.find(({ name }) => name === 'trained')!;
    return `${SPLIT_WORDS[split]}: rescued ${percent(rescued)}, broken ${percent(broken)}, lift ${liftOf(lift)}, faithful entries ${faithful === null ? 'none' : percent(faithful)}`;
  });
  return [attributesHeadline(report), ...lifts, `${report.attempts} attempts. ${loopTime(report)}`, cost(report)].join(
    '\n',
  );
}

const liftOf = (lift: Estimate | null): string =>
  lift === null ? 'not measured' : `${points(lift.value)} (${lift.interval95.map(points).join(' to ')})`;

function renderSet({ split, problems, rows, problemSetDigest, faithful }: AttributesSet): string {
  const domains = Object.keys(rows[0]?.perDomain ?? {});
  const named = ({ name, isBaseline }: AttributesRow): string => (isBaseline ? `${name} (no model)` : name);
  return `<h2>${split === 'newWords' ? 'New words: names that training never saw' : 'Held-out problems'}</h2>
${measuredBars(rows.map((row) => ({ name: named(row), rate: row.success, interval95: row.interval95, problems })))}
<div class="wide">${table(
    ['row', ...domains, 'rescued', 'broken', 'lift, points'],
    rows.map((row) => [
      named(row),
      ...domains.map((domain) => percent(row.perDomain[domain] ?? 0)),
      ...[percent(row.rescued), percent(row.broken), liftOf(row.lift)],
    ]),
  )}</div>
<p class="soft">Problem set ${escapeHtml(problemSetDigest.slice(0, 16))}. Entries that quote truly: ${faithful === null ? 'none to judge' : percent(faithful)}.</p>`;
}

export function renderAttributesPage(report: AttributesReport): string {
  const { sets, rounds, ledger, settings, executor } = report;
  const share = (value: number | null): string => (value === null ? '' : percent(value));
  return page(
    `Seamstream report, attributes, seed ${report.seed}`,
    `<h1>Seamstream: what attributes call for</h1>
<p class="verdict ${report.converged ? 'good' : 'short'}"><b>${escapeHtml(attributesHeadline(report))}</b></p>
${runFacts(report, `rounds of ${settings.roundSize} problems`, `, which draws the ${report.preset} world;`)}
${sets.map(renderSet).join('\n')}
<p class="soft">Rows without a model learned from the same ${report.attempts} attempts. The table of triples is given that attributes matter. The table of attributes is given for each step which attribute decides.</p>
<h2>Rounds</h2>
<div class="wide">${table(
      ['round', 'attempts', 'explored', 'faithful', 'validation', "parent's", 'outcome', 'why'],
      rounds.map((row) => [
        ...[row.round, row.attempts, percent(row.explored), share(row.faithful)],
        ...[share(row.validation), share(row.parentValidation), row.status, row.reason ?? ''],
      ]),
    )}</div>
<h2>Ledger</h2>
${ledgerTable(ledger)}
<p class="soft">Executor ${escapeHtml(executor.model)} ${escapeHtml(executor.digest.slice(0, 16))}, ${executor.unchanged ? 'unchanged' : 'CHANGED'}. ${escapeHtml(`${loopTime(report)} ${cost(report)}`)}</p>`,
  );
}
