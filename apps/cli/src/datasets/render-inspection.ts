/** What is in files of problems as text. Pure. */
import type { Duplicate } from '@seamstream/datasets';
import { count, onOneLine, plural } from '@seamstream/kernel';
import {
  type DatasetFile,
  type DuplicateReport,
  type FileReport,
  type Inspection,
  renderDuplicates,
  renderFaults,
} from '@seamstream/operations/publish';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';

export function renderInspection({ reports, files }: Inspection, style: Style): string {
  const isApart = files.length > 1 && reports.every(({ across }) => across.length === 0);
  const told = isApart ? ['No question is in two of these files.\n'] : [];
  return [...reports.map((report, at) => renderFile(report, at, files, style)), ...told].join('\n');
}

function renderFile(report: FileReport, at: number, files: readonly DatasetFile[], style: Style): string {
  const { rows, problems, badRows, otherSplit, faults, promptCharacters, within, across } = report;
  const file = files[at]!;
  const other = otherSplit === 0 ? '' : `, ${count(otherSplit)} in other parts`;
  const bad = badRows === 0 ? '' : `, ${count(badRows)} that cannot be used`;
  const facts: [string, string][] = [
    ['read as', report.dataset],
    ['problems', `${count(problems)} of ${plural(rows, file.unit)}${other}${bad}`],
    ['domains', countsText(report.domains)],
    ['verifiers', countsText(report.verifiers)],
    ['answers', countsText(report.answers)],
    ['prompts', `${count(promptCharacters.mean)} characters on average, ${count(promptCharacters.longest)} at most`],
    ['repeated', duplicatesText(within)],
    ...across.map((each): [string, string] => [`also in ${onOneLine(each.other)}`, duplicatesText(each)]),
  ];
  const listed = (duplicates: readonly Duplicate[]): string =>
    duplicates.length === 0 ? '' : renderDuplicates(duplicates.slice(0, SHOWN), rotated(files, at));
  const listings = [within, ...across].map(({ examples }) => listed(examples.map((each) => renumbered(each, at))));
  const faultLines = badRows === 0 ? '' : `${renderFaults(file, { ...report, faults: faults.slice(0, SHOWN) })}\n`;
  return `${style.bold(onOneLine(report.file))}\n${renderFacts(facts, style)}${faultLines}${listings.join('')}`;
}

/** Examples shown of each kind; --json has more. */
const SHOWN = 5;

/** The files as `renderDuplicates` wants them: the one that is spoken of first. */
function rotated(files: readonly DatasetFile[], at: number): DatasetFile[] {
  return [files[at]!, ...files.filter((_, number) => number !== at)];
}

function renumbered(duplicate: Duplicate, at: number): Duplicate {
  const { otherFile } = duplicate;
  return { ...duplicate, otherFile: otherFile === at ? 0 : otherFile < at ? otherFile + 1 : otherFile };
}

function countsText(counts: Readonly<Partial<Record<string, number>>>): string {
  const parts = Object.entries(counts).map(([name, number]) => `${onOneLine(name)} ${count(number ?? 0)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function duplicatesText({ exact, near, conflictingAnswers }: DuplicateReport): string {
  if (exact + near === 0) return 'none';
  const conflicts = conflictingAnswers === 0 ? '' : ` (${count(conflictingAnswers)} with another answer)`;
  return `${plural(exact, 'question')} the same${conflicts}, ${count(near)} nearly the same`;
}
