import { SeamError } from '@seamstream/kernel';
import { judgeOfFinalAnswers } from './final-answer.js';
import type { Verifier } from './verifier.types.js';

/** Equality of normalised text: Unicode NFKC, white space collapsed, ends trimmed, letter case ignored unless asked for. */
export const exactVerifier: Verifier = {
  kind: 'exact',
  version: '1',
  options: { caseSensitive: 'true or false (default): whether A and a differ' },
  prepare(reference, options) {
    const caseSensitive = options.caseSensitive ?? 'false';
    if (caseSensitive !== 'true' && caseSensitive !== 'false') {
      throw new SeamError(
        'INVALID_INPUT',
        `Verifier exact@1: expected option caseSensitive to be true or false, got ${JSON.stringify(caseSensitive)}.`,
      );
    }
    const normalise = (text: string): string => {
      const plain = text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim();
      return caseSensitive === 'true' ? plain : plain.toLowerCase();
    };
    const wanted = normalise(reference);
    if (wanted === '')
      throw new SeamError(
        'INVALID_INPUT',
        'Verifier exact@1: expected a reference with text, got none. Publish the problem with its answer.',
      );
    return judgeOfFinalAnswers((answer) => {
      const success = normalise(answer) === wanted;
      return { success, detail: success ? 'equal to the reference' : 'another text than the reference' };
    });
  },
};
