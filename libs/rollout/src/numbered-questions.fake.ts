/** Numbered questions: an executor knows the answers to even ones, says nothing of 7, and two of three have a judge. */

import { FakeExecutor } from '@seamstream/environments/testing';
import { domainEntrySchema } from '@seamstream/experience';
import type { Question } from './answer-questions.js';

export const SCHEMA = domainEntrySchema({
  concepts: { words: ['oak', 'ash', 'yew'] },
  strategy: { words: ['add', 'subtract'] },
  pitfalls: { words: ['none'] },
});
export const VERIFIER = { kind: 'exact', version: '1', options: {} };
export const questions: readonly Question[] = Array.from({ length: 9 }, (_, i) => ({
  problemId: `q${i}`,
  domain: 'wood',
  prompt: `Number ${i}?`,
  judgedBy: i % 3 === 0 ? null : { verifier: VERIFIER, reference: `SECRET${i}` },
}));

/** Says of an even number what is right, and of 7 nothing at all. */
export const executor = new FakeExecutor((prompt) => {
  const number = Number(/Number (\d+)/.exec(prompt)![1]);
  if (number === 7) return { status: 'failed', code: 'PROMPT_TOO_LONG', reason: 'too long', retryable: false };
  return `Answer: ${number % 2 === 0 ? `SECRET${number}` : 'none'}`;
});
