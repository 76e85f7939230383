/** Thread that compares answers with references: what takes it too long is ended with it. */
import { parentPort } from 'node:worker_threads';
import { messageOf, SeamError } from '@seamstream/kernel';
import type { EquivalenceResult, EquivalenceTask } from '../verifier.types.js';
import { equivalent } from './equivalence.js';
import { referenceAnswer, statedAnswer } from './statement.js';

const port = parentPort;
if (!port) throw new SeamError('INTERNAL', 'This module answers inside a worker thread; start it as one');

// The parser's tables and the compiler are warm before the first deadline runs.
for (const [a, b] of [
  ['\\frac{x^2-1}{x-1}', 'x+1'],
  ['[1,2)\\cup\\{3\\}', '\\sin x, \\sqrt{3}'],
] as const)
  equivalent(a, b, { decimals: 6, percent: 'either' });
port.postMessage('ready');

port.on('message', (task: EquivalenceTask) => {
  try {
    const answer = statedAnswer(task.text, task.source);
    const isEqual = answer !== null && equivalent(referenceAnswer(task.reference), answer, task);
    port.postMessage({ result: { answer, isEqual } satisfies EquivalenceResult });
  } catch (error) {
    port.postMessage({ error: messageOf(error) });
  }
});
