/** Until when a price is said to be valid is until when requests are charged by it, for any declarations. */
import fc from 'fast-check';
import { type Price, priceAt } from './declared-limits.js';
import { listedPrices } from './listed-prices.js';

it('says of each price how long it is the one that requests are charged by', () => {
  fc.assert(
    fc.property(pricesArbitrary, fc.integer({ min: 0, max: 12 }), fc.constantFrom('e', 'g'), (prices, at, model) => {
      const declared = { limits: new Map(), prices };
      const valid = listedPrices(declared).filter(
        (each) => each.model === model && each.validFrom <= at && (each.validUntil === null || at < each.validUntil),
      );
      const charged = priceAt(declared, model, at);
      expect(valid.map(({ validUntil: _, ...price }) => price)).toEqual(charged === undefined ? [] : [charged]);
    }),
  );
});

const pricesArbitrary: fc.Arbitrary<Price[]> = fc
  .array(fc.record({ model: fc.constantFrom('e', 'g'), validFrom: fc.integer({ min: 0, max: 10 }) }))
  .map((drawn) =>
    drawn.map(
      (each, n): Price => ({
        ...{ ...each, currency: 'USD', promptPerMillion: n, completionPerMillion: n, cachedPromptPerMillion: null },
        ...{ declaredBy: 'ada', reason: '' },
      }),
    ),
  );
