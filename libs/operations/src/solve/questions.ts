/** The questions of a file, or the one of the command line, all checked before any is asked. */
import { type DatasetForm, type DatasetQuestion, type RowFault, readQuestions } from '@seamstream/datasets';
import { count, derivedId, plural, SeamError } from '@seamstream/kernel';
import type { Question } from '@seamstream/rollout';
import {
  type DatasetOptions,
  type InputDoor,
  openDataset,
  problemIdOf,
  readingSettings,
  renderFaults,
} from '../publish/index.js';

export interface QuestionOptions extends DatasetOptions {
  readonly prompt?: string;
  readonly reference?: string;
  readonly limit?: number;
}

/** @throws INVALID_INPUT for neither or both of file and prompt, and listing the rows that cannot be used */
export async function chosenQuestions(
  files: InputDoor,
  path: string | undefined,
  options: QuestionOptions,
): Promise<readonly Question[]> {
  if ((path === undefined) === (options.prompt === undefined)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot solve: expected a file of questions or --prompt, got ${path === undefined ? 'neither' : 'both'}. Name one: seam solve questions.jsonl, or seam solve --prompt "What is 2 + 3?".`,
    );
  }
  return path === undefined ? questionOf(options) : questionsOf(files, path, options);
}

/** The one of the command line, read as a row that says the same. */
async function questionOf(options: QuestionOptions): Promise<readonly Question[]> {
  const { prompt, reference, domain, verifier } = options;
  const row = {
    prompt,
    ...(reference === undefined ? {} : { reference }),
    ...(domain === undefined ? {} : { domain }),
  };
  const bytes = Buffer.from(JSON.stringify(row));
  const read = readQuestions(
    { byteLength: bytes.length, slice: (from, to) => Promise.resolve(new Uint8Array(bytes.subarray(from, to)).buffer) },
    { ...readingSettings(options), form: undefined },
  );
  for await (const reading of read) {
    if (reading.status === 'question') return [asQuestion(reading.question, derivedId(prompt!, 'question'))];
    const faults = reading.status === 'faulty' ? reading.faults : [];
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot solve --prompt: ${faults.map(({ field, expected, came }) => `${field}: expected ${expected}, got ${came}`).join('; ')}${verifier === undefined ? '' : ` (--verifier ${verifier})`}. Correct it.`,
    );
  }
  return [];
}

async function questionsOf(files: InputDoor, path: string, options: QuestionOptions): Promise<readonly Question[]> {
  if (options.reference !== undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot solve ${path}: expected --reference with --prompt, got a file. State references in its rows.`,
    );
  }
  const file = await openDataset(files, path);
  const settings = readingSettings(options);
  const isNamed = options.dataset !== undefined || options.columns !== undefined;
  const form: DatasetForm | undefined = isNamed ? settings.form : undefined;
  const questions: Question[] = [];
  const rowOfId = new Map<string, number>();
  const faults: RowFault[] = [];
  let [rows, badRows] = [0, 0];
  for await (const reading of readQuestions(file.bytes, { ...settings, form })) {
    rows++;
    if (reading.status === 'faulty') {
      badRows++;
      faults.push(...reading.faults.slice(0, Math.max(0, 20 - faults.length)));
    } else if (reading.status === 'question') {
      const { row, question } = reading;
      const problemId = question.problemId ?? problemIdOf(file.digest, row, 0);
      const earlier = rowOfId.get(problemId);
      if (earlier === undefined) questions.push(asQuestion(question, problemId));
      else {
        badRows++;
        const expected = `a unique id (${file.unit} ${earlier} has this one)`;
        faults.push({ row, field: 'problemId', expected, came: JSON.stringify(problemId) });
      }
      rowOfId.set(problemId, row);
    }
    if (questions.length + badRows >= (options.limit ?? Number.POSITIVE_INFINITY)) break;
  }
  if (badRows > 0 || questions.length === 0) {
    const got = badRows > 0 ? `${count(badRows)} of ${plural(rows, file.unit)} that cannot be used` : 'none';
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot solve ${file.name}: expected questions, got ${got}. Correct them: a ${file.unit} is {"prompt":"What is 2 + 3?"}, or a problem in any form that "seam publish" reads.\n${renderFaults(file, { badRows, faults })}`.trimEnd(),
      { details: { file: file.name, badRows, faults } },
    );
  }
  return questions;
}

function asQuestion({ domain, prompt, judgedBy }: DatasetQuestion, problemId: string): Question {
  return { problemId, domain, prompt, judgedBy };
}
