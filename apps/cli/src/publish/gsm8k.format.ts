import { z } from 'zod';
import type { ProblemFormat } from './problem-lines.js';

// The end of an answer: "#### 18", with thousands separators in some ("#### 2,125").
const FINAL_ANSWER = /(?:^|\n)#### *(-?\$?\d[\d,]*(?:\.\d+)?)\s*$/;

/**
 * Grade School Math 8K as published (https://github.com/openai/grade-school-math, data/*.jsonl): `question` and a worked
 * `answer` that ends in "#### number". Only the number is kept: the worked solution would give the answer away.
 */
export const GSM8K_FORMAT: ProblemFormat = {
  name: 'gsm8k',
  summary: 'Fields: question, answer (worked, its last line "#### number"). Domain gsm8k, numeric verifier.',
  example: '{"question":"What is 2 + 3?","answer":"2 + 3 = <<2+3=5>>5\\n#### 5"}',
  shape: z
    .strictObject(
      {
        question: z
          .string({ error: 'a text that is not empty' })
          .refine((value) => value.trim() !== '' && value.isWellFormed(), { error: 'a text that is not empty' }),
        answer: z
          .string({ error: 'a text whose last line is "#### number"' })
          .refine((value) => FINAL_ANSWER.test(value), { error: 'a text whose last line is "#### number"' }),
      },
      { error: 'one JSON object' },
    )
    .transform(({ question, answer }) => ({
      domain: 'gsm8k',
      prompt: question,
      reference: (FINAL_ANSWER.exec(answer)?.[1] ?? '').replace(/[,$]/g, ''),
      verifier: { kind: 'numeric' },
      metadata: { dataset: 'gsm8k' },
    })),
};
