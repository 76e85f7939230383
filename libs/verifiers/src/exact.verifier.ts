import { compatible } from './compatible-text.js';
import { finalAnswer, judgeOfFinalAnswers } from './final-answer.js';
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

/** Equality of normalised text: Unicode NFKC with exponents kept, white space collapsed, ends trimmed, letter case ignored unless asked for. */
export const exactVerifier: Verifier = {
  kind: 'exact',
  version: '1',
  options: { caseSensitive: 'true or false (default): whether A and a differ' },
  prepare(reference, options) {
    const isCaseSensitive = new OptionReader('exact@1', options).choice('caseSensitive', ['false', 'true']) === 'true';
    const normalise = (text: string): string => {
      const plain = compatible(text).replaceAll(/\s+/g, ' ').trim();
      return isCaseSensitive ? plain : plain.toLowerCase();
    };
    const wanted = normalise(reference);
    if (wanted === '') throw badReference('exact@1', 'a text', reference, 'Publish the problem with its answer.');
    // What is taken off an answer, such as its full stop, may belong to the reference: "U.S.", "**", "etc."
    const stated = finalAnswer(`Answer: ${wanted}`);
    const accepted = new Set([wanted, ...(stated === null ? [] : [normalise(stated)])]);
    return judgeOfFinalAnswers((answer) => {
      const success = accepted.has(normalise(answer));
      return { success, detail: success ? 'equal to the reference' : 'another text than the reference' };
    });
  },
};
