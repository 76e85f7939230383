/** r = accuracy with the experience. It passes from the threshold on; `auto` wants more than the frozen model has. */
import { bounded, type Reward } from './reward.types.js';

export const accuracy: Reward = {
  kind: 'accuracy',
  version: '1',
  defaultThreshold: 1,
  needs: (threshold) => ({ baseline: threshold === 'auto', likelihoods: false }),
  valuation({ before, after }, threshold) {
    const value = after.accuracy;
    const least = threshold === 'auto' ? before!.accuracy : threshold;
    const passes = threshold === 'auto' ? value > least : value >= least;
    return { value, threshold: least, passes, worth: bounded(value) };
  },
};
