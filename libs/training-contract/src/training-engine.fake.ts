import type { EngineIdentity, EngineTolerance } from '@seamstream/events';
import { Random, SeamError, sha256 } from '@seamstream/kernel';
import {
  type Adapter,
  createAdapter,
  type ScoredSequence,
  type StepMetrics,
  type TrainingSequence,
} from '@seamstream/language-model';
import { TrainingEngine, type TrainingWeights } from './training-engine.port.js';

export const FAKE_BASE_MODEL = sha256('base model');

/** What a double remembers of one set of weights. */
export interface FakeWeightsRecord {
  /** Digest of the adapter that they began with; null: the base model. */
  readonly beganWith: string | null;
  /** By call: which weights log-probabilities were asked of, after how many steps, and of which sequences. */
  readonly scored: { readonly steps: number; readonly sequences: readonly ScoredSequence[] }[];
  readonly stepped: (readonly TrainingSequence[])[];
}

/**
 * ln π of every token under the double's weights: −0.7 nats of the base model, whose weights are 0, and a little less of all
 * others. Too little for a ratio to notice, enough that no two sets of weights are taken for one another.
 */
export function fakeLogProb(weights: Iterable<number>): number {
  let nats = -0.7;
  for (const weight of weights) nats -= weight * 1e-7;
  return nats;
}

/** By how much a double's steps differ from those of another one, relative to its weights, and what it says of that. */
interface FakeRounding {
  readonly tolerance?: EngineTolerance | null;
  readonly noise?: number;
  readonly seed?: string;
}

/**
 * Weights are eight numbers; a step moves them by what it is given, so any difference in input is seen in the digest.
 * Log-probabilities depend on the weights as they are: those of base model, parent, and every step after it differ.
 */
export class FakeEngine extends TrainingEngine {
  readonly baseModelDigest = FAKE_BASE_MODEL;
  steps = 0;
  /** Every set of weights, in the order in which they were begun. */
  readonly begun: FakeWeightsRecord[] = [];

  override readonly identity: EngineIdentity;
  private readonly noise: () => number;

  constructor(
    private readonly beforeStep: (step: number) => Promise<void> | void = () => undefined,
    { tolerance = null, noise = 0, seed = 'noise' }: FakeRounding = {},
  ) {
    super();
    this.identity = { name: 'fake', versions: {}, device: 'none', precision: 'float32', worldSize: 1, tolerance };
    const random = Random.of(seed);
    this.noise = () => 1 + noise * (2 * random.float() - 1);
  }

  async begin({ adapter }: { readonly adapter: Adapter | null }): Promise<TrainingWeights> {
    const weights = Float32Array.from(adapter?.tensors.get('w')?.data ?? new Float32Array(8));
    let steps = 0;
    const record: FakeWeightsRecord = { beganWith: adapter?.digest ?? null, scored: [], stepped: [] };
    this.begun.push(record);
    return {
      get steps() {
        return steps;
      },
      step: async (sequences, { learningRate }): Promise<StepMetrics> => {
        await this.beforeStep(steps);
        this.steps += 1;
        record.stepped.push(sequences);
        const digest = sha256(JSON.stringify(sequences), String(learningRate));
        for (let at = 0; at < 8; at++)
          weights[at] = (weights[at]! * 0.5 + Number.parseInt(digest.slice(at * 2, at * 2 + 2), 16)) * this.noise();
        steps += 1;
        return { loss: 1 / steps, gradientNorm: 1, tokens: sequences.length };
      },
      logProbabilities: async (sequences: readonly ScoredSequence[]) => {
        record.scored.push({ steps, sequences });
        return sequences.map(({ targets }) => targets.map(() => fakeLogProb(weights)));
      },
      exportAdapter: async () =>
        createAdapter({
          kind: 'full',
          settings: { kind: 'full' },
          baseModelDigest: FAKE_BASE_MODEL,
          tensors: new Map([['w', { shape: [8], data: weights.slice() }]]),
        }),
      saveState: async () => Buffer.from(JSON.stringify({ steps, weights: [...weights] })),
      restoreState: async (bytes) => {
        const state = fakeState(bytes);
        steps = state.steps;
        weights.set(state.weights);
      },
      close: async () => undefined,
    };
  }

  async fingerprint(adapter: Adapter | null): Promise<string> {
    return sha256('probe', adapter?.digest ?? FAKE_BASE_MODEL);
  }
}

function fakeState(bytes: Uint8Array): { readonly steps: number; readonly weights: readonly number[] } {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as ReturnType<typeof fakeState>;
  } catch (cause) {
    throw new SeamError('CHECKPOINT_INVALID', 'Cannot restore a state: expected JSON of the double, got other bytes.', {
      cause,
    });
  }
}
