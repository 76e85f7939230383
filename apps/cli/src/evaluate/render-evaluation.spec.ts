import { faithfulSentence } from './render-evaluation.js';

describe('the share of faithful entries', () => {
  it('is said with its counts, and not at all where nothing was to be quoted', () => {
    expect(faithfulSentence({ quoting: 8, faithful: 7 })).toBe(
      "7 of 8 of the adapter's entries (87.5 %) quote nothing but what is in their problem.\n",
    );
    expect(faithfulSentence(null)).toBe('');
  });
});
