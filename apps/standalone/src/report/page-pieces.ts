/** What pages of figures are made of: text escaped, tables, bars, and one style for all. No page needs the network. */
import { points } from '@seamstream/kernel';
import type { Estimate } from '@seamstream/statistics';

/** Text that may come from outside, as HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A fraction as a percentage with one decimal, without the sign: for a table that names it in its head. */
export const inHundredths = (rate: number): string => (rate * 100).toFixed(1);

/** A fraction as a percentage with one decimal. */
export const percent = (rate: number): string => `${inHundredths(rate)} %`;

/** A difference of fractions in percentage points, with its interval in brackets: for a table that names both in its head. */
export const inBrackets = ({ value, interval95 }: Pick<Estimate, 'value' | 'interval95'>): string =>
  `${points(value)} (${interval95.map(points).join(' to ')})`;

/** A difference of fractions in percentage points, with its interval. */
export function inPoints({ value, interval95: [low, high] }: Estimate): string {
  return `${points(value)} points (95 %: ${points(low)} to ${points(high)})`;
}

/** A bar per row, of a share of 1. */
export function bars(rows: readonly (readonly [string, number])[]): string {
  return `<table class="bars">${rows
    .map(
      ([name, rate]) =>
        `<tr><th>${escapeHtml(name)}</th><td><div style="width:${(rate * 100).toFixed(1)}%"></div></td><td class="number">${percent(rate)}</td></tr>`,
    )
    .join('')}</table>`;
}

/** A share of 1 with its interval, and on how many problems it rests. */
export interface MeasuredBar {
  readonly name: string;
  readonly rate: number;
  readonly interval95: readonly [low: number, high: number];
  readonly problems: number;
}

/** A bar per row with its interval drawn on it, and the figures next to it. @param target a share that is marked in every row */
export function measuredBars(rows: readonly MeasuredBar[], target?: number): string {
  const left = (share: number): string => `${(share * 100).toFixed(1)}%`;
  const mark = target === undefined ? '' : `<i class="target" style="left:${left(target)}"></i>`;
  return `<table class="bars">${rows
    .map(({ name, rate, interval95: [low, high], problems }) => {
      const interval = `<i class="interval" style="left:${left(low)};width:${left(high - low)}"></i>`;
      const figures = `${percent(rate)} <span class="soft">${percent(low)} to ${percent(high)}, ${problems} problems</span>`;
      return `<tr><th>${escapeHtml(name)}</th><td><div class="track"><div style="width:${left(rate)}"></div>${interval}${mark}</div></td><td class="figures">${figures}</td></tr>`;
    })
    .join('')}</table>`;
}

/** A table; numbers stand right, and so do the heads of columns that hold one. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const side = (isNumber: boolean): string => (isNumber ? ' class="number"' : '');
  const isOfNumbers = (column: number): boolean => rows.some((row) => typeof row[column] === 'number');
  return `<table class="plain"><tr>${head.map((cell, column) => `<th${side(isOfNumbers(column))}>${escapeHtml(cell)}</th>`).join('')}</tr>${rows
    .map(
      (row) =>
        `<tr>${row.map((cell) => `<td${side(typeof cell === 'number')}>${escapeHtml(String(cell))}</td>`).join('')}</tr>`,
    )
    .join('')}</table>`;
}

// Widths of cells are lengths or plain shares: a browser takes min() and calc() with a share for auto, and a bar's column then shrinks to a few pixels.
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#6a737d;--line:#d8dee4;--validation:#1f6feb;--explored:#bf8700;--control:#8c959f;--good:#1a7f37}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#8b949e;--line:#30363d;--validation:#58a6ff;--explored:#d29922;--control:#8b949e;--good:#3fb950}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:900px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:.4rem 0}.soft{color:var(--soft)}
svg{width:100%;height:auto}svg text{font-size:11px;fill:var(--soft)}.grid{stroke:var(--line)}.shift{stroke:var(--soft);stroke-dasharray:4 4}.level{stroke:var(--soft);stroke-dasharray:2 4}
polyline{fill:none;stroke-width:2}circle.promoted{fill:var(--validation)}circle.rejected{fill:var(--paper);stroke:var(--validation)}
.legend{display:flex;flex-wrap:wrap;gap:1.2rem;font-size:.85rem;color:var(--soft)}.key{display:flex;align-items:center;gap:.4rem}.key i{width:18px;height:3px}.key .level-key{height:0;border-top:1px dashed var(--soft)}
.dot{width:8px;height:8px;border-radius:50%;background:var(--validation)}.dot.hollow{background:none;border:1px solid var(--validation)}
table{border-collapse:collapse;width:100%}th{font-weight:500;text-align:left}.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
.bars{table-layout:fixed}.bars th{width:13rem;overflow-wrap:anywhere;padding:.2rem .6rem .2rem 0}.bars td>div:not(.track),.track>div{height:12px;background:var(--validation);border-radius:2px;min-width:2px}.bars .number{width:5rem}
.plain th,.plain td{border-bottom:1px solid var(--line);padding:.25rem .6rem .25rem 0;font-size:.9rem}.wide{overflow-x:auto}.wide th,.wide td:not(:last-child){white-space:nowrap}.wide td:last-child{min-width:12rem}
.verdict{font-size:1.1rem;border-left:4px solid var(--good);padding:.3rem .8rem;margin:.8rem 0}.verdict.short{border-color:var(--explored)}
.track{position:relative}.track .interval{position:absolute;top:5px;height:2px;background:var(--ink);opacity:.65}.track .target{position:absolute;top:-2px;height:16px;border-left:1px dashed var(--soft)}.bars .figures{width:19rem;padding-left:.6rem;font-variant-numeric:tabular-nums;font-size:.85rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:8px;padding:.5rem .8rem;font-size:.85rem}.example{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:.8rem}
@media (min-width:75rem){.wide{margin:0 -9rem}}
@media (max-width:40rem){.bars th{width:34%}.bars .figures{width:7.5rem}.bars .figures .soft{display:block}}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.8rem;margin:1rem 0}.facts div{border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem}.facts b{display:block;font-size:1.4rem}`;

/** A whole page. @param body HTML; @param title text */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>
${body}
</main></body></html>
`;
}
