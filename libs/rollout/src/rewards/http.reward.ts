/** A user's own reward, asked over HTTP: docs/reference/rewards.md has request and answer. */
import { SeamError } from '@seamstream/kernel';
import { askOwnEndpoint, type VerifierEndpoint } from '@seamstream/verifiers';
import type { Reward } from './reward.types.js';

/** @param endpoint undefined: every attempt to ask it is refused with what to configure */
export function httpReward(endpoint: VerifierEndpoint | undefined): Reward {
  return {
    kind: 'http',
    version: '1',
    defaultThreshold: 0.5,
    needs: () => ({ baseline: true, likelihoods: false }),
    async valuation(measured, threshold, attempt, signal) {
      if (endpoint === undefined)
        throw new SeamError(
          'INVALID_CONFIGURATION',
          'Cannot ask for a reward: expected the address of an endpoint, got none. Set SEAM_EXECUTOR_REWARD_ENDPOINT_URL.',
        );
      const value = await askOwnEndpoint(
        { what: 'reward by http@1', endpoint, limits: { signal } },
        { ...attempt, ...measured },
        { read: rewardIn, expected: '{"reward": a number from 0 to 1}' },
      );
      const least = threshold === 'auto' ? 0.5 : threshold;
      return { value, threshold: least, passes: value >= least, worth: value };
    },
  };
}

/** JSON has no other numbers than finite ones. */
function rewardIn({ reward }: Readonly<Record<string, unknown>>): number | null {
  return typeof reward === 'number' && reward >= 0 && reward <= 1 ? reward : null;
}
