import { z } from 'zod';
import { lastBoxedAnswer } from './boxed-answer.js';
import type { DatasetForm } from './dataset.types.js';
import { asMetadata, scalarText, text } from './fields.js';

const PROBLEM = 'a text that is not empty, in problem or question';
const ANSWER = 'a whole number from 0 to 999 (leading zeros allowed) in answer, or in the last \\boxed{…} of solution';
const INTEGER = /^0*(\d{1,3})(?:\.0+)?$/;

/** "2024-I-4" (Maxwell-Jia/AIME_2024). */
const EXAM_ID = /^(?<year>\d{4})-(?<part>I{1,2})-(?<number>\d{1,2})$/;
/** ".../2024_AIME_I_Problems/Problem_4" (AI-MO/aimo-validation-aime). */
const EXAM_URL = /(?<year>\d{4})_AIME_(?<part>I{1,2})_Problems\/Problem_(?<number>\d{1,2})/;

/**
 * The American Invitational Mathematics Examination: every answer is an integer from 000 to 999. Published forms, whose
 * columns differ in letter case and name: AI-MO/aimo-validation-aime and HuggingFaceH4/aime_2024 (`id`, `problem`,
 * `solution`, `answer` a text, `url`, `year`), Maxwell-Jia/AIME_2024 (`ID` "2024-I-4", `Problem`, `Solution`, `Answer` an
 * integer), opencompass/AIME2025 (`question`, `answer`). Leading zeros are taken off: 025 and 25 are one answer.
 */
export const AIME_FORM: DatasetForm = {
  name: 'aime',
  summary:
    'problem or question, answer (0 to 999) or solution (its last \\boxed{…}); id, url, year. Column names in any letter case. Numeric verifier.',
  example: '{"ID":"2024-I-4","Problem":"What is $5^2$?","Answer":25}',
  recognises(row) {
    const [, statement] = columnOf(row, 'problem', 'question');
    return typeof statement === 'string' && INTEGER.test(statedAnswer(row));
  },
  shape: z.record(z.string(), z.unknown(), { error: 'a row with problem and answer' }).transform((row, context) => {
    const [statementColumn, stated] = columnOf(row, 'problem', 'question');
    const statement = text(PROBLEM).safeParse(stated);
    const digits = INTEGER.exec(statedAnswer(row))?.[1];
    if (!statement.success) context.addIssue({ code: 'custom', path: [statementColumn], message: PROBLEM });
    if (digits === undefined)
      context.addIssue({ code: 'custom', path: [columnOf(row, 'answer', 'solution')[0]], message: ANSWER });
    if (!statement.success || digits === undefined) return z.NEVER;
    const [, id] = columnOf(row, 'id');
    const [, url] = columnOf(row, 'url');
    const [, year] = columnOf(row, 'year');
    const exam = (EXAM_ID.exec(scalarText(id) ?? '') ?? EXAM_URL.exec(scalarText(url) ?? ''))?.groups;
    return {
      domain: 'aime',
      prompt: statement.data,
      reference: String(Number(digits)),
      verifier: { kind: 'numeric' },
      metadata: asMetadata({
        dataset: 'aime',
        sourceId: id,
        year: year ?? exam?.year,
        part: exam?.part,
        number: exam?.number,
      }),
    };
  }),
};

/** The first of the columns that the row has, in any letter case: its name there and its value. */
function columnOf(row: Readonly<Record<string, unknown>>, ...names: [string, ...string[]]): [string, unknown] {
  for (const name of names) {
    const found = Object.keys(row).find((key) => key.toLowerCase() === name);
    if (found !== undefined && row[found] !== null) return [found, row[found]];
  }
  return [names[0], undefined];
}

function statedAnswer(row: Readonly<Record<string, unknown>>): string {
  const [, answer] = columnOf(row, 'answer');
  const [, solution] = columnOf(row, 'solution');
  return (scalarText(answer) ?? lastBoxedAnswer(scalarText(solution) ?? '') ?? '').trim();
}
