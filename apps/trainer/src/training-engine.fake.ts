import { sha256 } from '@seamstream/kernel';
import { type Adapter, createAdapter, type StepMetrics, type TrainingSequence } from '@seamstream/language-model';
import { TrainingEngine, type TrainingWeights } from './training-engine.port.js';

export const FAKE_BASE_MODEL = sha256('base model');

/** Weights are eight numbers; a step moves them by what it is given, so any difference in input is seen in the digest. */
export class FakeEngine extends TrainingEngine {
  readonly baseModelDigest = FAKE_BASE_MODEL;
  steps = 0;

  constructor(private readonly beforeStep: (step: number) => Promise<void> | void = () => undefined) {
    super();
  }

  async begin({ adapter }: { readonly adapter: Adapter | null }): Promise<TrainingWeights> {
    const weights = Float32Array.from(adapter?.tensors.get('w')?.data ?? new Float32Array(8));
    let steps = 0;
    return {
      get steps() {
        return steps;
      },
      step: async (sequences, { learningRate }): Promise<StepMetrics> => {
        await this.beforeStep(steps);
        this.steps += 1;
        const digest = sha256(JSON.stringify(sequences), String(learningRate));
        for (let at = 0; at < 8; at++)
          weights[at] = weights[at]! * 0.5 + Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16);
        steps += 1;
        return { loss: 1 / steps, gradientNorm: 1, tokens: sequences.length };
      },
      logProbabilities: async (sequences: readonly Pick<TrainingSequence, 'targets'>[]) =>
        sequences.map(({ targets }) => targets.map(() => -0.7)),
      exportAdapter: async () =>
        createAdapter({
          kind: 'full',
          settings: { kind: 'full' },
          baseModelDigest: FAKE_BASE_MODEL,
          tensors: new Map([['w', { shape: [8], data: weights.slice() }]]),
        }),
      saveState: async () => Buffer.from(JSON.stringify({ steps, weights: [...weights] })),
      restoreState: async (bytes) => {
        const state = JSON.parse(Buffer.from(bytes).toString()) as { steps: number; weights: number[] };
        steps = state.steps;
        weights.set(state.weights);
      },
      close: async () => undefined,
    };
  }

  async fingerprint(adapter: Adapter): Promise<string> {
    return sha256('probe', adapter.digest);
  }
}
