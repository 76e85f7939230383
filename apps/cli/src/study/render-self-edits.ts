/** A study of self-edits for a terminal, and as one HTML page. Pure. */
import { EDIT_ARM_NAMES, EDIT_ARMS, type EditArmResult } from '@seamstream/evaluation';
import { onOneLine } from '@seamstream/kernel';
import type { SelfEditsReport } from '@seamstream/operations/evaluate';
import { escapeHtml, page, renderEditsStudy, table } from '@seamstream/standalone';
import { renderJudges } from '../evaluate/render-judges.js';
import type { Style } from '../terminal/style.js';
import { type Column, renderTable } from '../terminal/table.js';

type Figure = NonNullable<EditArmResult['f1']>;

const EXPLANATION =
  "Right answers and F1 are in percent: by exact match, unless a model judged; F1 is SQuAD's. Log-likelihood is the mean of a gold answer's token, in nats. Intervals are at 95 %, over passages; differences are paired.";

const MEASURES = ['right', 'F1', 'log-likelihood'] as const;

const DOMAIN_TITLE = 'domain (passages)';
const NAMES: readonly string[] = [DOMAIN_TITLE, 'arm', 'difference'];

const columns = (titles: readonly string[]): Column[] =>
  titles.map((title) => ({ title, align: NAMES.includes(title) ? 'left' : 'right' }));

/** 12.3 (10.1 … 14.5) */
function inFigures(figure: Figure | null, scale: number, digits: number): string {
  if (figure === null) return '';
  const [value, low, high] = [figure.value, ...figure.interval95].map((each) => (each * scale).toFixed(digits));
  return `${value} (${low} … ${high})`;
}

function measuresOf({
  accuracy,
  f1,
  logLikelihood,
}: Pick<EditArmResult, 'accuracy' | 'f1' | 'logLikelihood'>): string[] {
  return [inFigures(accuracy, 100, 1), inFigures(f1, 100, 1), inFigures(logLikelihood, 1, 3)];
}

const ARM_TITLES = ['arm', ...MEASURES, 'refused', 'unaugmented', 's'];

type Figures = Pick<SelfEditsReport, 'arms' | 'differences'>;

function armRows({ arms }: Figures): string[][] {
  return EDIT_ARMS.flatMap((arm) => {
    const own = arms[arm];
    if (own === undefined) return [];
    const shares = [own.refused, own.unaugmented].map((share) => `${(share * 100).toFixed(0)} %`);
    return [[EDIT_ARM_NAMES[arm], ...measuresOf(own), ...shares, own.seconds.toFixed(2)]];
  });
}

const DIFFERENCE_TITLES = ['difference', ...MEASURES];

function differenceRows({ differences }: Figures): string[][] {
  return differences.map((each) => [
    `${EDIT_ARM_NAMES[each.one]} less ${EDIT_ARM_NAMES[each.other]}`,
    ...measuresOf(each),
  ]);
}

/** Titles and rows of arms and differences by domain, where there are several. */
function domainTables({ domains }: SelfEditsReport): readonly (readonly [readonly string[], string[][]])[] {
  if (domains.length < 2) return [];
  const rowsOf = (of: (figures: Figures) => string[][]): string[][] =>
    domains.flatMap((each) => of(each).map((row) => [`${onOneLine(each.domain)} (${each.passages})`, ...row]));
  return [
    [[DOMAIN_TITLE, ...ARM_TITLES], rowsOf(armRows)],
    [[DOMAIN_TITLE, ...DIFFERENCE_TITLES], rowsOf(differenceRows)],
  ];
}

function sentence({ passages, questions, seeds, executor }: SelfEditsReport): string {
  return `${questions} questions about ${passages} passages, ${seeds} ${seeds === 1 ? 'training' : 'trainings'} of each arm; ${executor.model}.`;
}

const judgesOf = ({ arms }: SelfEditsReport): string => renderJudges(Object.values(arms));

export function renderSelfEdits(report: SelfEditsReport, style: Style): string {
  return [
    renderTable(columns(ARM_TITLES), armRows(report), style),
    '\n',
    renderTable(columns(DIFFERENCE_TITLES), differenceRows(report), style),
    ...domainTables(report).flatMap(([titles, rows]) => ['\n', renderTable(columns(titles), rows, style)]),
    `\n${EXPLANATION}\n${judgesOf(report)}${sentence(report)}\n`,
  ].join('');
}

export function renderSelfEditsPage(report: SelfEditsReport): string {
  return page(
    'Study of self-edits',
    `<h1>Study of self-edits</h1>
<p class="soft">${escapeHtml(sentence(report))}</p>
${renderEditsStudy(report, 'studied')}
<h2>Arms</h2>
<div class="wide" tabindex="0">${table(ARM_TITLES, armRows(report))}</div>
<h2>Differences</h2>
<div class="wide" tabindex="0">${table(DIFFERENCE_TITLES, differenceRows(report))}</div>
${domainParts(report)}<p class="soft">${escapeHtml(`${EXPLANATION} ${judgesOf(report)}`)}</p>`,
  );
}

function domainParts(report: SelfEditsReport): string {
  const tables = domainTables(report).map(
    ([titles, rows]) => `<div class="wide" tabindex="0">${table(titles, rows)}</div>\n`,
  );
  return tables.length === 0 ? '' : `<h2>By domain</h2>\n${tables.join('')}`;
}
