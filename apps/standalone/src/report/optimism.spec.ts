import { optimismOf } from './optimism.js';

describe('the optimism of validation', () => {
  const atPromotion = { timber: 0.9, herbs: 1, 'timber-yard': 0.2 };
  const heldOut = { timber: 0.8, herbs: 0.9 };

  it('is the mean over the domains that are held out too, each with the same weight', () => {
    expect(optimismOf({ atPromotion, since: { timber: 0.85, herbs: 0.95, 'timber-yard': 0.1 }, heldOut })).toEqual({
      atPromotion: expect.closeTo(0.95, 12),
      since: expect.closeTo(0.9, 12),
      heldOut: expect.closeTo(0.85, 12),
    });
  });

  it('has no later rate before a later comparison asked every domain', () => {
    expect(optimismOf({ atPromotion, since: {}, heldOut })?.since).toBeNull();
    expect(optimismOf({ atPromotion, since: { timber: 1 }, heldOut })?.since).toBeNull();
  });

  it('is null without a promotion', () => {
    expect(optimismOf({ atPromotion: {}, since: {}, heldOut })).toBeNull();
  });
});
