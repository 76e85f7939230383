import { z } from 'zod';
import type { DatasetForm } from './dataset.types.js';
import { anyText, text } from './fields.js';

// The end of an answer: "#### 18", with thousands separators in some ("#### 2,125").
const FINAL_ANSWER = /(?:^|\n)#### *(-?\$?\d[\d,]*(?:\.\d+)?)\s*$/;
const ANSWER = 'a text whose last line is "#### number"';

/**
 * Grade School Math 8K (Cobbe et al. 2021) as published: https://github.com/openai/grade-school-math, data/*.jsonl, and
 * openai/gsm8k on Hugging Face, Parquet. `question` and a worked `answer` that ends in "#### number".
 */
export const GSM8K_FORM: DatasetForm = {
  name: 'gsm8k',
  summary: 'question, answer (worked, its last line "#### number"). Numeric verifier.',
  example: '{"question":"What is 2 + 3?","answer":"2 + 3 = <<2+3=5>>5\\n#### 5"}',
  columns: ['question', 'answer'],
  recognises: ({ question, answer }) =>
    typeof question === 'string' && typeof answer === 'string' && answer.includes('####'),
  shape: z
    .object(
      {
        question: text(),
        answer: anyText(ANSWER).refine((value) => FINAL_ANSWER.test(value), { error: ANSWER }),
      },
      { error: 'a row with question and answer' },
    )
    .transform(({ question, answer }) => ({
      domain: 'gsm8k',
      prompt: question,
      reference: (FINAL_ANSWER.exec(answer)?.[1] ?? '').replace(/[,$]/g, ''),
      verifier: { kind: 'numeric' },
      metadata: { dataset: 'gsm8k' },
    })),
};
