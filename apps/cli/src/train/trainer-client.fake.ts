/** A trainer for specs of commands: its runs end as their settings say. */
import type { TrainerClient } from '@seamstream/operations/train';

const TORCH = {
  name: 'torch',
  versions: { torch: '2.13.0', peft: '0.21.2' },
  device: 'cpu',
  precision: 'float32',
  worldSize: 2,
  tolerance: { weights: 1e-3, change: 0.02 },
};

const TEN = Array.from({ length: 10 }, (_, at) => at);

/**
 * Takes two steps; its adapters always come out as `a` × 64, and a configuration of no steps is refused. Of an adapter c… that is within
 * the tolerance of its engine, of one d… it is not.
 */
export const fakeTrainer: TrainerClient = {
  async train({ configuration }, { onStep }) {
    const { steps } = configuration.duration as { steps: number };
    if (steps === 1) {
      return {
        runId: 'r1',
        status: 'refused',
        adapterDigest: null,
        reason: 'no variance',
        metrics: { liveGroups: 0, 'finding.no-variance': 2 },
      };
    }
    for (const step of [1, 2]) onStep({ phase: 'training', step, steps: 2, metrics: { loss: 1 / step } });
    return { runId: 'r1', status: 'promoted', adapterDigest: 'a'.repeat(64), reason: null, metrics: { loss: 0.5 } };
  },
  // Ten problems, of which what is served solves two; settings solve more the higher their rate is, and a rank of 1 is refused.
  trials: (_request, { problems }) =>
    Promise.resolve({
      basis: `${problems.length} problems`,
      before: () => Promise.resolve(TEN.map((at) => at < 2)),
      measure({ learningRate, trainable }) {
        const [{ peak }, { rank }] = [learningRate as { peak: number }, trainable as { rank: number }];
        if (rank === 1) return Promise.resolve({ status: 'refused', reason: 'too few', metrics: {} });
        const solved = TEN.map((at) => at < peak * 1e4);
        return Promise.resolve({ status: 'made', digest: 'a'.repeat(64), metrics: { keptEntries: 4 }, solved });
      },
    }),
  async verify(adapterDigest, { onStep }) {
    onStep({ phase: 'training', step: 2, steps: 2, metrics: {} });
    const replayedDigest = 'a'.repeat(64);
    const facts = {
      runId: 'r1',
      recordedDigest: adapterDigest,
      replayedDigest,
      engines: { recorded: TORCH, here: TORCH },
    };
    if (/^[ab]/.test(adapterDigest))
      return { ...facts, comparison: { by: 'digest' }, equal: adapterDigest === replayedDigest };
    const equal = adapterDigest.startsWith('c');
    const difference = { weights: equal ? 4e-4 : 3e-3, tensor: 'layers.0.k_proj.bias', change: 0.01 };
    return { ...facts, comparison: { by: 'tolerance', tolerance: TORCH.tolerance, difference }, equal };
  },
};
