/** The report of the library demonstration: `report.json`, its page, and its last words. Rates are fractions of 1; intervals are at 95 %. */
import { LIBRARY_CONTROLS, LIBRARY_ROW, type LibraryRow, type LibraryStudy } from '@seamstream/evaluation';
import type { LibraryItem } from '@seamstream/experience-library';
import { points } from '@seamstream/kernel';
import { escapeHtml, measuredBars, page, percent, table } from './page-pieces.js';
import type { RoundsReport } from './report.types.js';
import { ledgerTable, runFacts } from './run-parts.js';
import { cost, loopTime } from './verdict.js';

export interface LibraryReport extends RoundsReport {
  readonly method: 'library';
  readonly study: LibraryStudy;
  /** Items of the library that is served, and its digest; null: none is. */
  readonly items: number;
  readonly served: string | null;
  readonly texts: readonly LibraryItem[];
  readonly weights: FrozenWeights;
  readonly rounds: readonly LibraryRoundRow[];
  /** Whether every claim holds: success, size, controls, and weights that did not change. */
  readonly converged: boolean;
}

/** The generator's weights: their digest now, and those that the log's entries name. */
interface FrozenWeights {
  readonly digest: string;
  readonly recorded: readonly string[];
}

export interface LibraryRoundRow {
  readonly round: number;
  readonly explored: number;
  readonly items: number | null;
  readonly added: number | null;
  readonly modified: number | null;
  readonly deleted: number | null;
  /** Texts that were tested. */
  readonly tested: number | null;
  readonly validation: number | null;
  readonly parentValidation: number | null;
  readonly status: 'promoted' | 'rejected' | 'failed';
  readonly reason: string | null;
}

type Facts = Pick<LibraryReport, 'study' | 'items' | 'served' | 'weights'>;

/** What the demonstration is to show. */
const LEAST_SUCCESS = 0.85;
const MOST_ITEMS = 100;
/** By how much more than no experience a library without content may solve. */
const CONTROL_MARGIN = 0.1;

const rowOf = ({ rows }: LibraryStudy, name: string): LibraryRow | undefined =>
  rows.find(([each]) => each === name)?.[1];

/** The claims that do not hold, in words. */
function shortcomings({ study, items, served, weights }: Facts): readonly string[] {
  const success = (name: string): number => rowOf(study, name)?.success ?? 0;
  const most = success('no experience') + CONTROL_MARGIN;
  return [
    ...(served === null ? ['no library was promoted'] : []),
    ...(success(LIBRARY_ROW) < LEAST_SUCCESS ? [`less than ${percent(LEAST_SUCCESS)} solved`] : []),
    ...(items > MOST_ITEMS ? [`more than ${MOST_ITEMS} items`] : []),
    ...LIBRARY_CONTROLS.filter((name) => success(name) > most).map((name) => `${name} helps as well`),
    ...(weights.recorded.every((digest) => digest === weights.digest) ? [] : ['the weights changed']),
  ];
}

export function holds(facts: Facts): boolean {
  return shortcomings(facts).length === 0;
}

/** What was learned, in one line. */
export function libraryHeadline(report: LibraryReport): string {
  const success = (name: string): string => percent(rowOf(report.study, name)?.success ?? 0);
  const figures = `${success(LIBRARY_ROW)} of ${report.study.problems} held-out problems solved with ${report.items} items (no experience ${success('no experience')}, shuffled ${success('shuffled library')}, filler ${success('filler')})`;
  return report.converged
    ? `Learned without a gradient: ${figures}.`
    : `NOT SHOWN: ${shortcomings(report).join(', ')}; ${figures}. ${report.ended}`;
}

/** The end of a run for a terminal. */
export function librarySummary(report: LibraryReport): string {
  const { weights } = report;
  return [
    libraryHeadline(report),
    `Weights ${weights.digest.slice(0, 16)} before and after, in each of the log's entries. ${loopTime(report)}`,
    cost(report),
  ].join('\n');
}

/** The rows of a study, as a part of a page. */
function renderLibraryStudy({ rows, problems }: LibraryStudy): string {
  return `${measuredBars(rows.map(([name, { success, interval95 }]) => ({ name, rate: success, interval95, problems })))}
${table(
  ['row', 'library ahead by', '95 %', 'tokens of an entry', 'of a response'],
  rows.map(([name, { libraryAhead, entryTokens, responseTokens }]) => [
    name,
    libraryAhead === null ? '' : `${points(libraryAhead.value)} points`,
    libraryAhead === null ? '' : libraryAhead.interval95.map(points).join(' to '),
    ...[entryTokens, responseTokens].map((tokens) => (tokens === null ? '' : Number(tokens.toFixed(1)))),
  ]),
)}`;
}

export function renderLibraryPage(report: LibraryReport): string {
  const { study, rounds, texts, ledger, settings, executor, weights } = report;
  const share = (value: number | null): string => (value === null ? '' : percent(value));
  return page(
    `Seamstream report, library, seed ${report.seed}`,
    `<h1>Seamstream: a library of experiences</h1>
<p class="verdict ${report.converged ? 'good' : 'short'}"><b>${escapeHtml(libraryHeadline(report))}</b></p>
${runFacts(report, `rounds of ${settings.roundSize} problems`)}
<h2>Success on ${report.measuredOn.isHeldOut ? 'held-out' : 'validation'} problems</h2>
${renderLibraryStudy(study)}
<p class="soft">No weight changes: the entries of the log name ${weights.recorded.length === 1 ? 'one base model' : `${weights.recorded.length} base models`}, ${escapeHtml(weights.recorded.map((digest) => digest.slice(0, 16)).join(', '))}. Shuffled: the same items with their advice exchanged. Filler: as many tokens that say nothing.</p>
<h2>Rounds</h2>
<div class="wide" tabindex="0">${table(
      [
        'round',
        'explored',
        'tested texts',
        'items',
        'added',
        'modified',
        'deleted',
        'validation',
        "parent's",
        'outcome',
        'why',
      ],
      rounds.map((row) => [
        ...[row.round, percent(row.explored), row.tested ?? '', row.items ?? ''],
        ...[row.added ?? 0, row.modified ?? 0, row.deleted ?? 0],
        ...[share(row.validation), share(row.parentValidation), row.status, row.reason ?? ''],
      ]),
    )}</div>
<h2>The library</h2>
${table(
  ['id', 'domain', 'field', 'text', 'groups'],
  texts.map(({ id, domain, field, text, provenance }) => [
    id,
    domain ?? '',
    field ?? '',
    text,
    provenance.groups.length,
  ]),
)}
<h2>Ledger</h2>
${ledgerTable(ledger)}
<p class="soft">Executor ${escapeHtml(executor.model)} ${escapeHtml(executor.digest.slice(0, 16))}, ${executor.unchanged ? 'unchanged' : 'CHANGED'}. ${escapeHtml(`${loopTime(report)} ${cost(report)}`)}</p>`,
  );
}
