/** A study of retention for a terminal, and as one HTML page of the pieces that other reports are made of. Pure. */
import type { RetentionReport } from '@seamstream/operations/evaluate';
import { escapeHtml, page, table } from '@seamstream/standalone';
import type { Style } from '../terminal/style.js';
import { type Column, renderTable } from '../terminal/table.js';
import {
  ARM_MEANING,
  matrixRows,
  placeRows,
  placeTitles,
  RETENTION_EXPLANATION,
  RETENTION_TITLES,
  retentionRows,
  retentionSentence,
} from './retention-facts.js';

/** The first and the last column are words, the others figures. */
function columns(titles: readonly string[]): Column[] {
  return titles.map((title, at) => ({ title, align: at === 0 || title === '' ? 'left' : 'right' }));
}

export function renderRetention(report: RetentionReport, style: Style): string {
  const titles = columns(placeTitles(report));
  return [
    renderTable(columns(RETENTION_TITLES), retentionRows(report), style),
    `${RETENTION_EXPLANATION}\n`,
    ...report.arms.map((arm) => `\n${style.bold(arm.arm)}\n${renderTable(titles, placeRows(arm), style)}`),
    `\n${retentionSentence(report)}\n`,
  ].join('');
}

export function renderRetentionPage(report: RetentionReport): string {
  const paragraph = (text: string): string => `<p class="soft">${escapeHtml(text)}</p>`;
  return page(
    'Study of retention',
    `<h1>Study of retention</h1>
${paragraph(retentionSentence(report))}
<h2>Arms</h2>
${table(RETENTION_TITLES, retentionRows(report))}
${paragraph(RETENTION_EXPLANATION)}
${report.arms
  .map(
    (arm) => `<h2>${escapeHtml(arm.arm)}</h2>${paragraph(ARM_MEANING[arm.arm])}
${table(placeTitles(report), placeRows(arm))}
<h3>After each edit</h3>
${table(placeTitles(report), matrixRows(arm))}`,
  )
  .join('\n')}`,
  );
}
