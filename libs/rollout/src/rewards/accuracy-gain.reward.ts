/** r = accuracy with the experience − accuracy of the frozen model: SEAL's (arXiv 2506.10943, section 3.1). */
import { bounded, type Reward } from './reward.types.js';

export const accuracyGain: Reward = {
  kind: 'accuracy-gain',
  version: '1',
  defaultThreshold: 0,
  needs: () => ({ baseline: true, likelihoods: false }),
  valuation({ before, after }, threshold) {
    const value = after.accuracy - before!.accuracy;
    const least = threshold === 'auto' ? 0 : threshold;
    return { value, threshold: least, passes: value > least, worth: bounded(value) };
  },
};
