import { z } from 'zod';
import { lastBoxedAnswer } from './boxed-answer.js';
import type { DatasetForm } from './dataset.types.js';
import { anyText, asMetadata, text } from './fields.js';

const SOLUTION = 'a worked solution with its answer in \\boxed{…}, or a column answer';
const LEVEL = /^Level /;

/**
 * MATH (Hendrycks et al. 2021) as published: hendrycks/competition_math and its copies (`problem`, `level` "Level 5", `type`,
 * `solution`), and MATH-500 (HuggingFaceH4/MATH-500, test.jsonl: `problem`, `solution`, `answer`, `subject`, `level` 5,
 * `unique_id`). The answer is the column of that name, which MATH-500 has, else the solution's last box.
 */
export const MATH_FORM: DatasetForm = {
  name: 'math',
  summary:
    'problem, solution (its last \\boxed{…} is the answer) or answer; level, type or subject, unique_id. Math verifier.',
  example:
    '{"problem":"What is $1/2 + 1/4$?","level":"Level 1","type":"Prealgebra","solution":"It is $\\\\boxed{\\\\frac{3}{4}}$."}',
  columns: ['problem', 'solution', 'answer', 'level', 'type', 'subject', 'unique_id'],
  recognises: ({ problem, solution, answer, level, type, subject }) =>
    typeof problem === 'string' &&
    (typeof solution === 'string' || typeof answer === 'string') &&
    (level ?? type ?? subject ?? null) !== null,
  shape: z
    .object(
      {
        problem: text(),
        solution: anyText(SOLUTION).nullish(),
        answer: text('the answer as a text').nullish(),
        level: z.union([z.string(), z.number(), z.bigint()], { error: 'a level: "Level 5" or 5' }).nullish(),
        type: z.string({ error: 'a text' }).nullish(),
        subject: z.string({ error: 'a text' }).nullish(),
        unique_id: z.union([z.string(), z.number(), z.bigint()], { error: 'a text or a number' }).nullish(),
      },
      { error: 'a row with problem and solution' },
    )
    .transform(({ problem, solution, answer, level, type, subject, unique_id }, context) => {
      const reference = answer ?? lastBoxedAnswer(solution ?? '');
      if (reference === null || reference === '') {
        context.addIssue({ code: 'custom', path: ['solution'], message: SOLUTION });
        return z.NEVER;
      }
      return {
        domain: 'math',
        prompt: problem,
        reference,
        verifier: { kind: 'math' },
        metadata: asMetadata({
          dataset: 'math',
          level: typeof level === 'string' ? level.replace(LEVEL, '') : level,
          subject: subject ?? type,
          sourceId: unique_id,
        }),
      };
    }),
};
