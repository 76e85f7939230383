/**
 * The mean −ln p of the gold answers' tokens, in nats. It passes below the threshold; `auto`: below the frozen model's loss. Its worth is the
 * share of the threshold that it is below, 1 − loss / threshold: 0 at the threshold, 1 where the answers are certain.
 */
import { bounded, type Reward } from './reward.types.js';

export const validationLoss: Reward = {
  kind: 'validation-loss',
  version: '1',
  defaultThreshold: 'auto',
  needs: (threshold) => ({ baseline: threshold === 'auto', likelihoods: true }),
  valuation({ before, after }, threshold) {
    const value = after.loss!;
    const most = threshold === 'auto' ? before!.loss! : threshold;
    const passes = value < most;
    return { value, threshold: most, passes, worth: passes ? bounded(1 - value / most) : 0 };
  },
};
