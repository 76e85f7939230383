/** Thread that compares answers with references: what takes it too long is ended with it. */
import { answerTasks } from '@seamstream/bounded-work';
import type { EquivalenceResult, EquivalenceTask } from '../verifier.types.js';
import { compareWithItself, equivalent } from './equivalence.js';
import { TooCostly } from './meter.js';
import { referenceAnswer, statedAnswer } from './statement.js';

// The parser's tables and the compiler are warm before the first deadline runs.
for (const [a, b] of [
  ['\\frac{x^2-1}{x-1}', 'x+1'],
  ['[1,2)\\cup\\{3\\}', '\\sin x, \\sqrt{3}'],
] as const)
  equivalent(a, b, { decimals: 6, percent: 'either', positive: true });

answerTasks({
  compare: (task: EquivalenceTask): EquivalenceResult => {
    const reference = referenceAnswer(task.reference);
    const answer = task.text === null ? reference : statedAnswer(task.text, task.source);
    try {
      const isEqual =
        answer !== null &&
        (task.text === null ? compareWithItself(reference, task) : equivalent(reference, answer, task));
      return { answer, isEqual, isTooCostly: false };
    } catch (error) {
      if (!(error instanceof TooCostly)) throw error;
      return { answer, isEqual: false, isTooCostly: true };
    }
  },
});
