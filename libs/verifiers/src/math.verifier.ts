/** Mathematical equivalence: an answer that says the same as the reference is right. What is read and how: docs/reference/verifiers.md. */
import { isSeamError, SeamError } from '@seamstream/kernel';
import { proseOf } from './math/statement.js';
import { badReference, OptionReader } from './options.js';
import type { EquivalenceTask, Verifier } from './verifier.types.js';

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
    const prose = proseOf(reference);
    if (prose !== null)
      throw badReference(
        'math@1',
        `an answer and nothing else, got words around it (${prose.slice(0, 80)}),`,
        reference,
        'Publish the answer alone, in a box or after ####, or choose another verifier.',
      );
    return async (text, { means, signal, deadlineMs }) => {
      const task: EquivalenceTask = {
        text: text.slice(-MAX_RESPONSE_LENGTH),
        reference,
        decimals,
        percent,
        positive,
        source,
      };
      const limits = { deadlineMs: deadlineMs ?? DEADLINE_MS, signal };
      const outcome = await means.equivalence(task, limits).catch((error: unknown) => {
        if (isOwnLimit(error)) return { answer: null, isEqual: false, isTooCostly: true };
        throw error;
      });
      if (outcome.isTooCostly) {
        // The check has failed only where the reference is what costs too much. Otherwise no answer could be too long to be wrong.
        const { isTooCostly } = await means.equivalence({ ...task, text: null }, limits);
        if (isTooCostly)
          throw new SeamError(
            'VERIFIER_FAILED',
            'Cannot verify by math@1: expected a reference that can be compared with itself within the steps of a comparison, got one that cannot. Publish a shorter one.',
          );
        return {
          success: false,
          extractedAnswer: outcome.answer,
          detail: 'the answer is too costly to compare; the reference is not',
        };
      }
      const { answer, isEqual } = outcome;
      if (answer === null)
        return { success: false, extractedAnswer: null, detail: 'the response states no final answer' };
      const detail = isEqual ? 'equivalent to the reference' : 'not equivalent to the reference';
      return { success: isEqual, extractedAnswer: answer, detail };
    };
  },
};

/** Whether a check ended at what it may use itself, rather than at the machine's. */
const isOwnLimit = (error: unknown): boolean =>
  isSeamError(error, 'VERIFIER_FAILED') && ['processorTime', 'heap', 'output'].includes(String(error.details.limit));
