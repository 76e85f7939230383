/** Thread that compares answers with references: what takes it too long is ended with it. */
import { answerTasks } from '@seamstream/bounded-work';
import type { EquivalenceResult, EquivalenceTask } from '../verifier.types.js';
import { equivalent } from './equivalence.js';
import { referenceAnswer, statedAnswer } from './statement.js';

// The parser's tables and the compiler are warm before the first deadline runs.
for (const [a, b] of [
  ['\\frac{x^2-1}{x-1}', 'x+1'],
  ['[1,2)\\cup\\{3\\}', '\\sin x, \\sqrt{3}'],
] as const)
  equivalent(a, b, { decimals: 6, percent: 'either', positive: true });

answerTasks({
  compare: (task: EquivalenceTask): EquivalenceResult => {
    const answer = statedAnswer(task.text, task.source);
    return { answer, isEqual: answer !== null && equivalent(referenceAnswer(task.reference), answer, task) };
  },
});
