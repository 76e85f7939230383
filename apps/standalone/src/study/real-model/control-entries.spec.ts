import fc from 'fast-check';
import { fillerFor, retrievedEntry } from './control-entries.js';

describe('filler', () => {
  it('is as long as the entry, and the same for all entries of that length', () => {
    fc.assert(
      fc.property(fc.string(), (entry) => {
        expect(fillerFor(entry)).toHaveLength(entry.length);
        expect(fillerFor(entry)).toBe(fillerFor('x'.repeat(entry.length)));
      }),
    );
  });
});

describe('a retrieved case', () => {
  const cases = [
    { prompt: 'Prices: wool $3, glue $9. What is the price of wool?', entry: 'of wool' },
    { prompt: 'Prices: nails $3, ropes $9. What is the price of nails?', entry: 'of nails' },
  ];

  it('is that of the training problem with most words in common', () => {
    expect(retrievedEntry('What is the price of nails if ropes are dear?', cases)).toBe('of nails');
    expect(retrievedEntry('Is glue as dear as wool?', cases)).toBe('of wool');
  });

  it('is not one without cases, and the first of equal ones', () => {
    expect(retrievedEntry('nails', [])).toBeNull();
    expect(retrievedEntry('nothing alike', [...cases, cases[0]!])).toBe('of wool');
  });
});
