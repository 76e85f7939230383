/** Mathematical equivalence: whatever says the same as the reference is right. What is read and how: docs/verifiers.md. */
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

/** A response is looked at from its end. Characters. */
const MAX_RESPONSE_LENGTH = 32_768;
const MAX_REFERENCE_LENGTH = 8192;
/** The slowest honest check takes some 100 ms on a busy machine; this is for the dishonest. */
const DEADLINE_MS = 5000;

export const mathVerifier: Verifier = {
  kind: 'math',
  version: '1',
  options: {
    decimals: 'places to which a decimal is compared with another number, 0 to 12, default 6',
    percent: 'what 50% is: either (default) 50 or 0.5, number 50, fraction 0.5',
    variables:
      'positive (default): under roots and logarithms they are positive reals; complex: principal values hold everywhere',
    answer: 'any (default): a box, "Answer:", or else the last formula or number; stated: a box or "Answer:" only',
  },
  prepare(reference, options) {
    const read = new OptionReader('math@1', options);
    const decimals = read.whole('decimals', { low: 0, high: 12, otherwise: 6 });
    const percent = read.choice('percent', ['either', 'number', 'fraction']);
    const positive = read.choice('variables', ['positive', 'complex']) === 'positive';
    const source = read.choice('answer', ['any', 'stated']);
    if (reference.trim() === '' || reference.length > MAX_REFERENCE_LENGTH)
      throw badReference(
        'math@1',
        `an answer of at most ${MAX_REFERENCE_LENGTH} characters`,
        reference,
        'Publish the problem with its answer.',
      );
    return async (text, { means, signal, deadlineMs }) => {
      const task = { text: text.slice(-MAX_RESPONSE_LENGTH), reference, decimals, percent, source, positive };
      const { answer, isEqual } = await means.equivalence(task, { deadlineMs: deadlineMs ?? DEADLINE_MS, signal });
      if (answer === null)
        return { success: false, extractedAnswer: null, detail: 'the response states no final answer' };
      const detail = isEqual ? 'equivalent to the reference' : 'not equivalent to the reference';
      return { success: isEqual, extractedAnswer: answer, detail };
    };
  },
};
