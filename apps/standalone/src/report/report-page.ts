/**
 * The report as one HTML file that needs no network: drawings are inline SVG, styles are inline CSS. Text that came from
 * outside is escaped.
 */
import { bars, escapeHtml, page, percent, table } from './page-pieces.js';
import type { Report, RoundRow } from './report.types.js';

const WIDTH = 860;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 16, top: 16, bottom: 36 };
const SERIES = [
  { name: 'validation (greedy)', color: 'var(--validation)', value: (row: RoundRow) => row.validation },
  { name: 'explored (sampled)', color: 'var(--explored)', value: (row: RoundRow) => row.explored },
  { name: 'control (no experience)', color: 'var(--control)', value: (row: RoundRow) => row.control },
] as const;

function learningCurve(report: Report): string {
  const last = Math.max(2, ...report.rounds.map((row) => row.round));
  const x = (round: number): number => MARGIN.left + ((round - 1) / (last - 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (rate: number): number => MARGIN.top + (1 - rate) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const grid = [0, 0.25, 0.5, 0.75, 1]
    .map(
      (rate) =>
        `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(rate)}" y2="${y(rate)}" class="grid"/><text x="${MARGIN.left - 8}" y="${y(rate) + 4}" text-anchor="end">${rate * 100} %</text>`,
    )
    .join('');
  const step = Math.max(1, Math.ceil(last / 12));
  const ticks = report.rounds
    .filter((row) => (row.round - 1) % step === 0)
    .map((row) => `<text x="${x(row.round)}" y="${HEIGHT - 12}" text-anchor="middle">${row.round}</text>`)
    .join('');
  const firstShifted = report.rounds.find((row) => row.phase === 'shifted');
  const shift = firstShifted
    ? `<line x1="${x(firstShifted.round)}" x2="${x(firstShifted.round)}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" class="shift"/><text x="${x(firstShifted.round) + 6}" y="${HEIGHT - MARGIN.bottom - 8}">new problems appear</text>`
    : '';
  const lines = SERIES.map(({ color, value }) => {
    const points = report.rounds.flatMap((row) => {
      const rate = value(row);
      return rate === null ? [] : [`${x(row.round).toFixed(1)},${y(rate).toFixed(1)}`];
    });
    return `<polyline points="${points.join(' ')}" style="stroke:${color}"/>`;
  }).join('');
  const marks = report.rounds
    .filter((row) => row.validation !== null)
    .map(
      (row) =>
        `<circle cx="${x(row.round)}" cy="${y(row.validation ?? 0)}" r="3.2" class="${row.promoted ? 'promoted' : 'rejected'}"><title>round ${row.round}: ${escapeHtml(row.algorithm)} ${row.promoted ? 'promoted' : 'rejected'}</title></circle>`,
    )
    .join('');
  const legend = SERIES.map(
    ({ name, color }) => `<span class="key"><i style="background:${color}"></i>${name}</span>`,
  ).join('');
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Success rate per round">${grid}${ticks}${shift}${lines}${marks}</svg><p class="legend">${legend}<span class="key"><b class="dot"></b>promoted</span><span class="key"><b class="dot hollow"></b>rejected</span></p>`;
}

/** The whole page for a report. */
export function renderReportPage(report: Report): string {
  const { heldOut, ledger, shift } = report;
  const facts: (readonly [string, string])[] = [
    [percent(heldOut.final), `held-out success (${heldOut.problems} problems)`],
    [percent(heldOut.noExperience), 'without an experience'],
    [`${report.loopSeconds.toFixed(0)} s`, `loop, ${report.rollouts} rollouts`],
    [percent(report.entriesValid), 'entries valid'],
    [ledger.balanced ? 'balanced' : 'NOT balanced', `ledger of ${ledger.published} problems`],
  ];
  return page(
    `Seamstream report, seed ${report.seed}`,
    `<h1>Seamstream</h1>
<p class="soft">Seed ${report.seed}. ${escapeHtml(report.ended)}</p>
<div class="facts">${facts.map(([value, name]) => `<div><b>${escapeHtml(value)}</b>${escapeHtml(name)}</div>`).join('')}</div>
<h2>Success rate per round</h2>
${learningCurve(report)}
<h2>Held-out problems against the controls</h2>
${bars([
  ['executor alone', heldOut.noExperience],
  ['empty wrapper', heldOut.wrapperOnly],
  ['one fixed hint', heldOut.fixedHint],
  ["another problem's entry", heldOut.otherProblemsEntry],
  ['untrained generator', heldOut.untrained],
  ['trained generator', heldOut.final],
])}
<p class="soft">95 % interval of the trained generator: ${percent(heldOut.interval95[0])} to ${percent(heldOut.interval95[1])}. Rescued ${percent(report.rescued)}, broken ${percent(report.broken)}: lift ${percent(report.rescued - report.broken)} (95 %: ${percent(report.liftInterval95[0])} to ${percent(report.liftInterval95[1])}).</p>
<h2>Held-out success per domain</h2>
${bars(Object.entries(heldOut.perDomain))}
${
  shift
    ? `<h2>After new problems appeared in the stream</h2>${bars([
        ['new problems, before', shift.beforeTraining],
        ['new problems, after', shift.final],
        ['old domains, before', shift.oldDomainsBefore],
        ['old domains, after', shift.oldDomainsFinal],
      ])}`
    : ''
}
<h2>Success buffer</h2>
<p class="soft">${report.buffer.rows} pairs, digest ${escapeHtml(report.buffer.digest?.slice(0, 16) ?? 'none')}. Rejected: ${escapeHtml(
      Object.entries(report.buffer.rejected)
        .map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`)
        .join(', ') || 'none',
    )}.</p>
${table(['stratum', 'pairs'], Object.entries(report.buffer.strata))}
<h2>Adapters</h2>
${table(
  ['round', 'digest', 'trained by', 'parent', 'validation', 'held-out'],
  report.adapters.map((row) => [
    row.round,
    row.digest.slice(0, 12),
    row.algorithm,
    row.parent?.slice(0, 12) ?? 'base',
    row.validation === null ? '' : percent(row.validation),
    row.heldOut === null ? '' : percent(row.heldOut),
  ]),
)}
<p class="soft">sft imitates the entries that were kept. grpo compares the entries of a group; as the demonstration is set, tapered: better ones by their likelihood, worse ones by a ratio of at most 1 (TOPR, with the group's mean as its baseline).</p>
<h2>Ledger</h2>
${table(['published', 'solved', 'failed', 'dead-lettered', 'expired', 'in flight'], [[ledger.published, ledger.solved, ledger.failed, ledger.deadLettered, ledger.expired, ledger.inFlight]])}
<p class="soft">Executor ${escapeHtml(report.executor.model)} ${escapeHtml(report.executor.digest.slice(0, 16))}, ${report.executor.unchanged ? 'unchanged' : 'CHANGED'}. Groups without variance: ${report.deadGroups}.</p>`,
  );
}
