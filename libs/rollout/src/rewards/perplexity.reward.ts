/**
 * e to the mean −ln p of the gold answers' tokens: among how many equally likely tokens the model chooses. It passes below the threshold;
 * `auto`: below the frozen model's. Its worth is the share by which it fell below, 1 − perplexity / threshold.
 */
import { bounded, type Reward } from './reward.types.js';

export const perplexity: Reward = {
  kind: 'perplexity',
  version: '1',
  defaultThreshold: 'auto',
  needs: (threshold) => ({ baseline: threshold === 'auto', likelihoods: true }),
  valuation({ before, after }, threshold) {
    const value = Math.exp(after.loss!);
    const most = threshold === 'auto' ? Math.exp(before!.loss!) : threshold;
    // As exponents, so that no quotient of two infinities decides.
    const share = threshold === 'auto' ? Math.exp(after.loss! - before!.loss!) : value / most;
    return { value, threshold: most, passes: value < most, worth: bounded(1 - share) };
  },
};
