/**
 * Questions to be answered, whether or not anybody knows their answers. A row that states a problem, in any form, is one with a reference;
 * a row that has a question and no answer is one without.
 */
import { z } from 'zod';
import type { DatasetForm, DatasetProblem, RowFault } from './dataset.types.js';
import { text } from './fields.js';
import type { FileBytes } from './file-bytes.js';
import { type ReadingSettings, readRow } from './read-problems.js';
import { recognisedForm } from './registry.js';
import { faultsOf } from './row-fault.js';
import { rowsOf } from './rows.js';
import { DOMAIN_NAME, SEAM_FORM } from './seam.form.js';
import { splitOf } from './split.js';

export interface DatasetQuestion {
  /** 1-based, as of a problem. */
  readonly row: number;
  readonly problemId: string | undefined;
  readonly domain: string;
  readonly prompt: string;
  /** Null where the row does not say what is right. */
  readonly judgedBy: Pick<DatasetProblem, 'verifier' | 'reference'> | null;
}

type QuestionReading =
  | { readonly status: 'question'; readonly row: number; readonly question: DatasetQuestion }
  | { readonly status: 'otherSplit'; readonly row: number }
  | { readonly status: 'faulty'; readonly row: number; readonly faults: readonly RowFault[] };

/** Columns that hold a question, the first that a row has. */
const QUESTION_COLUMNS = ['prompt', 'question', 'problem'] as const;

/** What speaks of an answer: a row with one of these states a problem, and a fault in it is to be named. */
const ANSWER_FIELDS: ReadonlySet<string> = new Set(['reference', 'verifier', 'answer', 'solution', 'reward_model']);

const QUESTION = 'a question: prompt, question or problem';

const SHAPE = z
  .looseObject(
    {
      prompt: text().optional(),
      question: text().optional(),
      problem: text().optional(),
      domain: z
        .string({ error: 'a text' })
        .regex(DOMAIN_NAME, { error: '1 to 64 letters, digits, ".", "_" or "-"' })
        .optional(),
      problemId: text().optional(),
    },
    { error: 'one JSON object' },
  )
  .refine((row) => QUESTION_COLUMNS.some((name) => row[name] !== undefined), { error: QUESTION });

/** How questions are read; without a form each row is what it looks like. */
export type QuestionSettings = Omit<ReadingSettings, 'form'> & { readonly form: DatasetForm | undefined };

/** Reads a file row by row and checks each. @throws as the reader of the file's form */
export async function* readQuestions(file: FileBytes, settings: QuestionSettings): AsyncGenerator<QuestionReading> {
  const { split } = settings;
  for await (const row of rowsOf(file, settings.form?.columns)) {
    const reading: QuestionReading =
      'fault' in row
        ? { status: 'faulty', row: row.row, faults: [row.fault] }
        : readQuestion(row.row, row.value, settings);
    yield reading.status === 'question' && split !== undefined && splitOf(reading.question.prompt, split) !== split.part
      ? { status: 'otherSplit', row: reading.row }
      : reading;
  }
}

function readQuestion(row: number, value: unknown, settings: QuestionSettings): QuestionReading {
  const form = settings.form ?? recognisedForm(value) ?? (speaksOfAnAnswer(value) ? SEAM_FORM : undefined);
  if (form !== undefined) {
    const reading = readRow(row, value, { ...settings, form, ungraded: false });
    if (reading.status !== 'problem') return reading as Exclude<typeof reading, { status: 'ungraded' }>;
    const { problemId, domain, prompt, verifier, reference } = reading.problem;
    return {
      status: 'question',
      row,
      question: { row, problemId, domain, prompt, judgedBy: { verifier, reference } },
    };
  }
  const parsed = SHAPE.safeParse(value);
  if (!parsed.success) return { status: 'faulty', row, faults: faultsOf(row, value, parsed.error) };
  const { prompt, question, problem, domain = 'default', problemId } = parsed.data;
  return {
    status: 'question',
    row,
    question: {
      row,
      problemId,
      domain: settings.domain ?? domain,
      prompt: (prompt ?? question ?? problem)!,
      judgedBy: null,
    },
  };
}

function speaksOfAnAnswer(row: unknown): boolean {
  return typeof row === 'object' && row !== null && Object.keys(row).some((name) => ANSWER_FIELDS.has(name));
}
