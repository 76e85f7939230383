/** What is in files of problems, and which questions are in two of them. Bad rows are reported, not refused: to look is how they are found. */
import {
  ANSWER_FORMS,
  type AnswerForm,
  answerForm,
  type DatasetForm,
  type DatasetProblem,
  type Duplicate,
  QuestionIndex,
} from '@seamstream/datasets';
import { compareText, onOneLine, plural } from '@seamstream/kernel';
import { checkFile, type DatasetFile, type FileCheck, type InputDoor, openDataset } from './dataset-file.js';
import { countDuplicates } from './duplicates.js';
import { type DatasetOptions, settingsFor } from './reading-settings.js';

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
  /** Within the file: rows whose question is in an earlier row. */
  readonly within: DuplicateReport;
  /** Rows whose question is in the other file; only pairs of files that share one. */
  readonly across: readonly (DuplicateReport & { readonly other: string })[];
}

export interface DuplicateReport {
  readonly exact: number;
  readonly near: number;
  /** Exact ones whose answers differ. */
  readonly conflictingAnswers: number;
  /** The first of them. */
  readonly examples: readonly Duplicate[];
}

const EXAMPLES = 100;

export interface Inspection {
  readonly reports: readonly FileReport[];
  readonly files: readonly DatasetFile[];
  /** Of each file of which nothing can be used: why. */
  readonly unusable: readonly string[];
}

export interface InspectRequest extends DatasetOptions {
  /** From where on two questions count as nearly the same, 0 … 1. */
  readonly similarity: number;
}

/**
 * Reads files as their first rows suggest, or as the request says.
 * @param inspected is called when a file is done
 * @throws INVALID_INPUT for what is no file of rows
 */
export async function inspectFiles(
  door: InputDoor,
  paths: readonly string[],
  request: InspectRequest,
  inspected: () => void,
): Promise<Inspection> {
  const index = new QuestionIndex({ threshold: request.similarity });
  const files: DatasetFile[] = [];
  const tallies: Tally[] = [];
  for (const [at, path] of paths.entries()) {
    const file = await openDataset(door, path);
    const settings = await settingsFor(file, request);
    const tally = new Tally(settings.form);
    const check = await checkFile(file, settings, (problem) => {
      if (problem.verifier === null) return;
      tally.add(problem);
      index.add(at, problem.row, problem.prompt, problem.reference);
    });
    tally.finish(check);
    files.push(file);
    tallies.push(tally);
    inspected();
  }
  const reports = files.map((file, at): FileReport => reportOf(at, file, tallies[at]!, files, index));
  return { reports, files, unusable: reports.flatMap((report, at) => unusability(report, files[at]!) ?? []) };
}

/** Counts the rows that pass through it. */
class Tally {
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
function reportOf(
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
function unusability(
  { file, dataset, rows, problems, otherSplit }: FileReport,
  { unit }: DatasetFile,
): string | undefined {
  if (problems + otherSplit > 0) return undefined;
  const came = rows === 0 ? `a file without a single ${unit}` : `${plural(rows, unit)} that cannot be used`;
  return `Cannot inspect ${onOneLine(file)} (as ${dataset}): expected problems, got ${came}. Name another file, or say what its rows look like (--dataset, --columns).`;
}

function duplicateReport(duplicates: readonly Duplicate[]): DuplicateReport {
  return { ...countDuplicates(duplicates), examples: duplicates.slice(0, EXAMPLES) };
}
