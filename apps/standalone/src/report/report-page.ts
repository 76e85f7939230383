/**
 * The report as one HTML file that needs no network: drawings are inline SVG, styles are inline CSS. Text that came from
 * outside is escaped.
 */
import type { Report, RoundRow } from './report.types.js';

const WIDTH = 860;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 16, top: 16, bottom: 36 };
const SERIES = [
  { name: 'validation (greedy)', color: 'var(--validation)', value: (row: RoundRow) => row.validation },
  { name: 'explored (sampled)', color: 'var(--explored)', value: (row: RoundRow) => row.explored },
  { name: 'control (no experience)', color: 'var(--control)', value: (row: RoundRow) => row.control },
] as const;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;

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

function bars(rows: readonly (readonly [string, number])[]): string {
  return `<table class="bars">${rows
    .map(
      ([name, rate]) =>
        `<tr><th>${escapeHtml(name)}</th><td><div style="width:${(rate * 100).toFixed(1)}%"></div></td><td class="number">${percent(rate)}</td></tr>`,
    )
    .join('')}</table>`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return `<table class="plain"><tr>${head.map((cell) => `<th>${escapeHtml(cell)}</th>`).join('')}</tr>${rows
    .map(
      (row) =>
        `<tr>${row.map((cell) => `<td${typeof cell === 'number' ? ' class="number"' : ''}>${escapeHtml(String(cell))}</td>`).join('')}</tr>`,
    )
    .join('')}</table>`;
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#6a737d;--line:#d8dee4;--validation:#1f6feb;--explored:#bf8700;--control:#8c959f;--good:#1a7f37}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#8b949e;--line:#30363d;--validation:#58a6ff;--explored:#d29922;--control:#8b949e;--good:#3fb950}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:900px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:.4rem 0}.soft{color:var(--soft)}
svg{width:100%;height:auto}svg text{font-size:11px;fill:var(--soft)}.grid{stroke:var(--line)}.shift{stroke:var(--soft);stroke-dasharray:4 4}
polyline{fill:none;stroke-width:2}circle.promoted{fill:var(--validation)}circle.rejected{fill:var(--paper);stroke:var(--validation)}
.legend{display:flex;flex-wrap:wrap;gap:1.2rem;font-size:.85rem;color:var(--soft)}.key{display:flex;align-items:center;gap:.4rem}.key i{width:18px;height:3px}
.dot{width:8px;height:8px;border-radius:50%;background:var(--validation)}.dot.hollow{background:none;border:1px solid var(--validation)}
table{border-collapse:collapse;width:100%}th{font-weight:500;text-align:left}.number{text-align:right;font-variant-numeric:tabular-nums}
.bars th{width:16rem;padding:.2rem 0}.bars div{height:12px;background:var(--validation);border-radius:2px;min-width:2px}.bars .number{width:5rem}
.plain th,.plain td{border-bottom:1px solid var(--line);padding:.25rem .6rem .25rem 0;font-size:.9rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.8rem;margin:1rem 0}.facts div{border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem}.facts b{display:block;font-size:1.4rem}`;

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
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Seamstream report, seed ${report.seed}</title><style>${STYLE}</style></head>
<body>
<h1>Seamstream</h1>
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
<h2>Ledger</h2>
${table(['published', 'solved', 'failed', 'dead-lettered', 'expired', 'in flight'], [[ledger.published, ledger.solved, ledger.failed, ledger.deadLettered, ledger.expired, ledger.inFlight]])}
<p class="soft">Executor ${escapeHtml(report.executor.model)} ${escapeHtml(report.executor.digest.slice(0, 16))}, ${report.executor.unchanged ? 'unchanged' : 'CHANGED'}. Groups without variance: ${report.deadGroups}.</p>
</body></html>
`;
}
