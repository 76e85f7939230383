import { doubtsOf, verdictOf } from './verdict.js';

const lift = (low: number, high: number) => ({ value: (low + high) / 2, interval95: [low, high] as const });
const CHECK = {
  ...{ experiment: 'gateway', controlShare: 0.1, treated: 1_200, control: 2, treatedMissing: 300, controlMissing: 1 },
  ...{ isUneven: false, isMissingUnevenly: false, unevenDoubt: 0, missingDoubt: 0 },
};

describe('what the page says of a lift', () => {
  it('follows from the side of zero on which its interval is', () => {
    expect([lift(0.1, 0.2), lift(-0.2, -0.1), lift(-0.1, 0.1), null].map((each) => verdictOf(each, true))).toEqual([
      ...['helps', 'harms', 'open', 'open'],
    ]);
  });

  it('decides nothing where an experiment did not go as it was drawn', () => {
    expect([lift(0.1, 0.2), lift(-0.2, -0.1)].map((each) => verdictOf(each, false))).toEqual(['open', 'open']);
  });

  it('has the reason for each experiment that is not to be trusted, and none for the others', () => {
    expect(doubtsOf([CHECK])).toEqual([]);
    expect(doubtsOf([{ ...CHECK, isUneven: true }, CHECK, { ...CHECK, isMissingUnevenly: true }])).toEqual([
      'Not causal: gateway (10.0 % controls) has 2 controls of 1,202, which is not as it was drawn.',
      'Not causal: of gateway (10.0 % controls) 300 treated and 1 controls have no verdict, which is not as often.',
    ]);
  });
});
