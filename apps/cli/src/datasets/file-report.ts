/** What is in a file of problems, and how it is said. Pure. */
import {
  ANSWER_FORMS,
  type AnswerForm,
  answerForm,
  type DatasetForm,
  type DatasetProblem,
  type Duplicate,
  type QuestionIndex,
} from '@seamstream/datasets';
import { compareText, count, onOneLine, plural } from '@seamstream/kernel';
import {
  countDuplicates,
  type DatasetFile,
  type FileCheck,
  renderDuplicates,
  renderFaults,
} from '@seamstream/operations/publish';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';

type Counts = Readonly<Record<string, number>>;

export interface FileReport {
  readonly file: string;
  readonly digest: string;
  /** The form that it was read as. */
  readonly dataset: string;
  readonly rows: number;
  readonly problems: number;
  readonly badRows: number;
  readonly faults: FileCheck['faults'];
  /** Rows in other parts than --split asked for. */
  readonly otherSplit: number;
  readonly domains: Counts;
  readonly verifiers: Counts;
  readonly answers: Readonly<Partial<Record<AnswerForm, number>>>;
  readonly promptCharacters: { readonly longest: number; readonly mean: number };
  /** Within the file: rows whose question stands in an earlier row. */
  readonly within: DuplicateReport;
  /** Rows whose question stands in the other file; only pairs of files that share one. */
  readonly across: readonly (DuplicateReport & { readonly other: string })[];
}

interface DuplicateReport {
  readonly exact: number;
  readonly near: number;
  /** Exact ones whose answers differ. */
  readonly conflictingAnswers: number;
  /** The first of them. */
  readonly examples: readonly Duplicate[];
}

const EXAMPLES = 100;

/** Counts what comes by. */
export class Tally {
  private readonly domains = new Map<string, number>();
  private readonly verifiers = new Map<string, number>();
  private readonly answers = new Map<AnswerForm, number>();
  private longest = 0;
  private characters = 0;
  private check: FileCheck = { rows: 0, badRows: 0, faults: [], otherSplit: 0, problems: 0 };

  constructor(private readonly form: DatasetForm) {}

  add({ domain, verifier, reference, prompt }: DatasetProblem): void {
    increase(this.domains, domain);
    increase(this.verifiers, `${verifier.kind}@${verifier.version}`);
    increase(this.answers, answerForm(reference));
    this.longest = Math.max(this.longest, prompt.length);
    this.characters += prompt.length;
  }

  finish(check: FileCheck): void {
    this.check = check;
  }

  facts(): Omit<FileReport, 'file' | 'digest' | 'within' | 'across'> {
    const { problems } = this.check;
    return {
      dataset: this.form.name,
      ...this.check,
      domains: sorted(this.domains),
      verifiers: sorted(this.verifiers),
      answers: Object.fromEntries(
        ANSWER_FORMS.flatMap((form) => {
          const found = this.answers.get(form);
          return found === undefined ? [] : [[form, found]];
        }),
      ),
      promptCharacters: {
        longest: this.longest,
        mean: problems === 0 ? 0 : Math.round(this.characters / problems),
      },
    };
  }
}

function increase<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sorted(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].sort(([a], [b]) => compareText(a, b)));
}

/** The report of file number `at`. */
export function reportOf(
  at: number,
  { name, digest }: DatasetFile,
  tally: Tally,
  files: readonly DatasetFile[],
  index: QuestionIndex,
): FileReport {
  return {
    file: name,
    digest,
    ...tally.facts(),
    within: duplicateReport(index.within(at)),
    across: files.flatMap((other, number) => {
      if (number === at) return [];
      const duplicates = index.across(at, [number]);
      return duplicates.length === 0 ? [] : [{ other: other.name, ...duplicateReport(duplicates) }];
    }),
  };
}

/** Why nothing of a file can be used; undefined where something can. */
export function unusability(
  { file, dataset, rows, problems, otherSplit }: FileReport,
  { unit }: DatasetFile,
): string | undefined {
  if (problems + otherSplit > 0) return undefined;
  const came = rows === 0 ? `a file without a single ${unit}` : `${plural(rows, unit)} that cannot be used`;
  return `Inspecting ${onOneLine(file)} (as ${dataset}): expected problems, came ${came}. Name another file, or say what its rows look like (--dataset, --columns).`;
}

function duplicateReport(duplicates: readonly Duplicate[]): DuplicateReport {
  return { ...countDuplicates(duplicates), examples: duplicates.slice(0, EXAMPLES) };
}

export function renderInspection(reports: readonly FileReport[], files: readonly DatasetFile[], style: Style): string {
  return reports.map((report, at) => renderFile(report, at, files, style)).join('\n');
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
