import { didYouMean, isSeamError, SeamError } from '@seamstream/kernel';
import { MOST_PROMPT_CHARACTERS, passageOf } from '@seamstream/tasks';
import { ANSWER_JUDGES, checkVerifiable, knownVerifiers } from '@seamstream/verifiers';
import type {
  DatasetForm,
  DatasetProblem,
  RowFault,
  StatedProblem,
  StatedVerifier,
  UngradedProblem,
} from './dataset.types.js';
import type { FileBytes } from './file-bytes.js';
import { faultsOf, shown } from './row-fault.js';
import { rowsOf } from './rows.js';
import { UNGRADED_ROW } from './seam.form.js';
import { type Split, type SplitRule, splitOf } from './split.js';

/** How a file is read. */
export interface ReadingSettings {
  readonly form: DatasetForm;
  /** Replaces the domain of every row. */
  readonly domain?: string | undefined;
  /** Replaces the verifier of every row. */
  readonly verifier?: StatedVerifier | undefined;
  /** Whether rows without reference and verifier are problems whose answers wait for feedback; otherwise they are faulty. */
  readonly ungraded?: boolean | undefined;
  /** Rows of other parts are passed over, after they were checked. */
  readonly split?: (SplitRule & { readonly part: Split }) | undefined;
}

/** What a row of a file came out as. */
export type RowReading =
  | { readonly status: 'problem'; readonly row: number; readonly problem: DatasetProblem }
  | { readonly status: 'ungraded'; readonly row: number; readonly problem: UngradedProblem }
  | { readonly status: 'otherSplit'; readonly row: number }
  | { readonly status: 'faulty'; readonly row: number; readonly faults: readonly RowFault[] };

/**
 * Most bytes of a problem's texts together, of Parquet too: a problem travels inside its experiences and outcomes, which
 * together with it must stay below the log's limit for a record (1 MB).
 */
const MAX_PROBLEM_BYTES = 1 << 18;

/** So many rows one after another that are no problems are another kind of file, and so many complaints help no reader. */
const MAX_FAULTY_ROWS = 10_000;

/**
 * Reads a file row by row and checks each: its fields, its verifier, and that the verifier can judge by its reference. Nothing
 * is kept, so the size of the file does not matter.
 * @throws INVALID_INPUT after 10 000 rows one after another that state no problem; as the reader of the file's form
 */
export async function* readProblems(file: FileBytes, settings: ReadingSettings): AsyncGenerator<RowReading> {
  const { form, split } = settings;
  let faulty = 0;
  for await (const row of rowsOf(file, form.columns)) {
    const reading: RowReading =
      'fault' in row ? { status: 'faulty', row: row.row, faults: [row.fault] } : readRow(row.row, row.value, settings);
    faulty = reading.status === 'faulty' ? faulty + 1 : 0;
    if (faulty > MAX_FAULTY_ROWS) throw notOfThisForm(file, form, reading.row);
    const isProblem = reading.status === 'problem' || reading.status === 'ungraded';
    yield isProblem && split !== undefined && splitOf(reading.problem.prompt, split) !== split.part
      ? { status: 'otherSplit', row: reading.row }
      : reading;
  }
}

function notOfThisForm({ name = 'a file' }: FileBytes, form: DatasetForm, row: number): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot read ${name} as ${form.name}: expected problems, got ${MAX_FAULTY_ROWS} rows without one up to row ${row}. Name its form, or leave them out.`,
    { details: { file: name, row } },
  );
}

/** The problem that a row states, or what is wrong with it. */
export function readRow(row: number, value: unknown, settings: ReadingSettings): RowReading {
  if (settings.ungraded === true && lacksJudge(value)) return readUngraded(row, value, settings);
  const parsed = settings.form.shape.safeParse(value);
  if (!parsed.success) return { status: 'faulty', row, faults: faultsOf(row, value, parsed.error) };
  const stated = { ...parsed.data, verifier: verifierOf(parsed.data, settings.verifier) };
  const faulty = (field: string, expected: string, came: string): RowReading => ({
    status: 'faulty',
    row,
    faults: [{ row, field, expected, came }],
  });
  const { kind, options = {} } = stated.verifier;
  const verifier = { kind, version: stated.verifier.version ?? newestVersion(kind), options };
  try {
    checkVerifiable(verifier, stated.reference);
  } catch (error) {
    if (isSeamError(error, 'UNKNOWN_VERIFIER')) {
      const came = stated.verifier.version === undefined ? kind : `${kind}@${verifier.version}`;
      const kinds = knownVerifiers.map((name) => name.slice(0, name.indexOf('@')));
      const hint = kinds.includes(kind) ? '' : didYouMean(kind, kinds);
      return faulty('verifier', `a verifier that exists: ${knownVerifiers.join(', ')}`, `${shown(came)}${hint}`);
    }
    if (!isSeamError(error, 'INVALID_INPUT')) throw error;
    return faulty('reference', `what its verifier can judge by (${error.message})`, shown(stated.reference));
  }
  const excess = excessOf(stated);
  if (excess !== undefined) return faulty(excess.field, excess.expected, excess.came);
  return {
    status: 'problem',
    row,
    problem: { ...stated, row, domain: settings.domain ?? stated.domain, verifier, metadata: stated.metadata ?? {} },
  };
}

/** What speaks of an answer or of who judges it: a row with one of these states a graded problem, and a fault in it is to be named. */
const JUDGING_FIELDS = [
  'reference',
  'verifier',
  'answerVerifier',
  'answer',
  'solution',
  'reward_model',
  'qas',
  'output',
] as const;

function lacksJudge(row: unknown): row is object {
  if (typeof row !== 'object' || row === null || JUDGING_FIELDS.some((name) => Object.hasOwn(row, name))) return false;
  // Of a passage each question may have a judge, and of a task on grids each test input.
  const questions: unknown = 'questions' in row ? row.questions : 'test' in row ? row.test : [];
  return Array.isArray(questions) && questions.every(lacksJudge);
}

function readUngraded(row: number, value: object, { domain, form }: ReadingSettings): RowReading {
  const shape = Object.hasOwn(value, 'prompt') ? UNGRADED_ROW : (form.ungraded ?? UNGRADED_ROW);
  const parsed = shape.safeParse(value);
  if (!parsed.success) return { status: 'faulty', row, faults: faultsOf(row, value, parsed.error) };
  const stated = { ...parsed.data, reference: null, verifier: null };
  const excess = excessOf(stated);
  if (excess !== undefined) return { status: 'faulty', row, faults: [{ row, ...excess }] };
  const problem = { ...stated, row, domain: domain ?? stated.domain, metadata: stated.metadata ?? {} };
  return { status: 'ungraded', row, problem };
}

type Texts = Pick<StatedProblem | UngradedProblem, 'prompt' | 'reference' | 'metadata' | 'task' | 'verifier'>;

/** What of a problem is too long to be solved or recorded; undefined where nothing is. */
function excessOf(stated: Texts): Omit<RowFault, 'row'> | undefined {
  const { length } = stated.prompt;
  if (length > MOST_PROMPT_CHARACTERS)
    // A generator would not tokenize it, and would give the problem up long after it was published.
    return {
      field: 'prompt',
      expected: `a text of at most ${MOST_PROMPT_CHARACTERS} characters`,
      came: `${length} characters`,
    };
  const bytes = sizeOf(stated);
  return bytes > MAX_PROBLEM_BYTES
    ? { field: 'row', expected: `a problem of at most ${MAX_PROBLEM_BYTES} bytes`, came: `${bytes} bytes` }
    : undefined;
}

function sizeOf({ prompt, reference, task, metadata = {}, verifier }: Texts): number {
  return [
    prompt,
    reference ?? '',
    task === undefined ? '' : JSON.stringify(task),
    // Both are recorded, so equal names in them count twice.
    ...[...Object.entries(metadata), ...Object.entries(verifier?.options ?? {})].flat(),
  ].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/**
 * The verifier of the settings, with the row's own options where both name one kind; a model that judges is given the question. Of a passage
 * the settings may name who judges each answer.
 */
function verifierOf(
  { verifier: own, prompt, task }: StatedProblem,
  wanted: StatedVerifier | undefined,
): StatedVerifier {
  const chosen = wanted === undefined || own.kind !== 'passage' ? (wanted ?? own) : ofEachAnswer(wanted);
  const options = { ...(chosen.kind === own.kind ? own.options : {}), ...chosen.options };
  return {
    ...chosen,
    version: chosen.version ?? (chosen.kind === own.kind ? own.version : undefined),
    options: { ...askedBy(chosen.kind, options, { prompt, task }), ...options },
  };
}

/** `judge` of a passage is `passage` with its answers judged so. */
function ofEachAnswer({ kind, ...wanted }: StatedVerifier): StatedVerifier {
  return (ANSWER_JUDGES as readonly string[]).includes(kind)
    ? { kind: 'passage', options: { ...wanted.options, answers: kind } }
    : { kind, ...wanted };
}

/** What was asked, for a model that judges; the options of a row may say it otherwise. */
function askedBy(
  kind: string,
  { answers }: NonNullable<StatedVerifier['options']>,
  { prompt, task }: Pick<StatedProblem, 'prompt' | 'task'>,
): NonNullable<StatedVerifier['options']> {
  if (kind === 'judge') return { question: prompt };
  const passage = kind === 'passage' && answers === 'judge' && task !== undefined ? passageOf(task) : undefined;
  return passage === undefined ? {} : { questions: JSON.stringify(passage.questions.map(({ question }) => question)) };
}

/** Version of a verifier that is meant where none is named. */
function newestVersion(kind: string): string {
  const newest = knownVerifiers.findLast((name) => name.startsWith(`${kind}@`));
  return newest?.slice(kind.length + 1) ?? '1';
}
