import { judgeOfFinalAnswers } from './final-answer.js';
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

/** Equality of normalised text: Unicode NFKC, white space collapsed, ends trimmed, letter case ignored unless asked for. */
export const exactVerifier: Verifier = {
  kind: 'exact',
  version: '1',
  options: { caseSensitive: 'true or false (default): whether A and a differ' },
  prepare(reference, options) {
    const isCaseSensitive = new OptionReader('exact@1', options).choice('caseSensitive', ['false', 'true']) === 'true';
    const normalise = (text: string): string => {
      const plain = text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim();
      return isCaseSensitive ? plain : plain.toLowerCase();
    };
    const wanted = normalise(reference);
    if (wanted === '') throw badReference('exact@1', 'a text', reference, 'Publish the problem with its answer.');
    return judgeOfFinalAnswers((answer) => {
      const success = normalise(answer) === wanted;
      return { success, detail: success ? 'equal to the reference' : 'another text than the reference' };
    });
  },
};
