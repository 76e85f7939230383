/** What every training engine promises. An engine's spec calls this with a way to open one. */
import type { Adapter, TrainingSequence } from '@seamstream/language-model';
import { differenceOf, isWithin } from './agreement.js';
import { engineIdentitySchema } from './engine-identity.schema.js';
import type { TrainingEngine } from './training-engine.port.js';

export interface EngineUnderTest {
  /** A new engine on the same base model. */
  readonly open: () => Promise<TrainingEngine>;
  /** Two sequences of the model's vocabulary. */
  readonly sequences: readonly TrainingSequence[];
}

const OPTIMIZER = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
const RUN = { adapter: null, trainable: { kind: 'full' }, objective: { kind: 'negative-log-likelihood' } } as const;

/** One set of weights after so many steps on the given sequences. */
async function trainedOn(
  engine: TrainingEngine,
  { sequences }: EngineUnderTest,
  { steps, from = null }: { readonly steps: number; readonly from?: Adapter | null },
): Promise<Adapter> {
  const weights = await engine.begin({ ...RUN, adapter: from });
  try {
    for (let step = 0; step < steps; step++) await weights.step(sequences, OPTIMIZER);
    expect(weights.steps).toBe(steps);
    return await weights.exportAdapter();
  } finally {
    await weights.close();
  }
}

/** What holds of runs, whether weights mean something or not: also of doubles. */
export function describeTrainingRuns(name: string, given: () => EngineUnderTest): void {
  describe(`runs of the training engine ${name}`, () => {
    let engine: TrainingEngine;
    beforeEach(async () => {
      engine = await given().open();
    });

    const trained = (steps: number, on: TrainingEngine = engine, from: Adapter | null = null): Promise<Adapter> =>
      trainedOn(on, given(), { steps, from });

    /** As the engine's identity says that equal steps do: in every bit, or within its tolerance. */
    const agree = async (one: Adapter, other: Adapter): Promise<boolean> => {
      const { tolerance } = engine.identity;
      if (tolerance === null || one.digest === other.digest) return one.digest === other.digest;
      return isWithin(differenceOf(one, other, await trained(0)), tolerance);
    };

    it('says what it is in the form that records have', () => {
      expect(engineIdentitySchema.parse(engine.identity)).toEqual(engine.identity);
    });

    it('makes the same weights of equal steps, in the same engine and in another one', async () => {
      const one = await trained(2);
      expect(one.baseModelDigest).toBe(engine.baseModelDigest);
      expect(await agree(one, await trained(2))).toBe(true);
      expect(await agree(one, await trained(2, await given().open()))).toBe(true);
      expect(await agree(one, await trained(3))).toBe(false);
    });

    it('continues from a state that was saved as if it had never stopped', async () => {
      const weights = await engine.begin(RUN);
      await weights.step(given().sequences, OPTIMIZER);
      const state = await weights.saveState();
      await weights.close();
      const resumed = await (await given().open()).begin(RUN);
      await resumed.restoreState(state);
      expect(resumed.steps).toBe(1);
      await resumed.step(given().sequences, OPTIMIZER);
      const adapter = await resumed.exportAdapter();
      await resumed.close();
      expect(await agree(adapter, await trained(2))).toBe(true);
    });

    it('begins with the adapter that it is given', async () => {
      const first = await trained(1);
      expect(await agree(first, await trained(0, engine, first))).toBe(true);
    });

    it('refuses a state that it did not write, and stays as it was', async () => {
      const weights = await engine.begin(RUN);
      await weights.step(given().sequences, OPTIMIZER);
      const state = await weights.saveState();
      for (const bytes of [new Uint8Array(), Buffer.from('no state'), state.subarray(0, state.length - 1)])
        await expect(weights.restoreState(bytes)).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
      await weights.step(given().sequences, OPTIMIZER);
      expect(weights.steps).toBe(2);
      const adapter = await weights.exportAdapter();
      await weights.close();
      expect(await agree(adapter, await trained(2))).toBe(true);
    });

    it('answers the probe of an adapter alike every time', async () => {
      const adapter = await trained(1);
      expect(await engine.fingerprint(adapter)).toBe(await engine.fingerprint(adapter));
    });
  });
}

export function describeTrainingEngine(name: string, given: () => EngineUnderTest): void {
  describeTrainingRuns(name, given);

  describe(`the training engine ${name}`, () => {
    let engine: TrainingEngine;
    beforeEach(async () => {
      engine = await given().open();
    });

    it('says the log-probability of every target, and a step on them makes these likelier', async () => {
      const { sequences } = given();
      const weights = await engine.begin(RUN);
      const sum = async (): Promise<number> => {
        const all = await weights.logProbabilities(sequences);
        expect(all.map(({ length }) => length)).toEqual(sequences.map(({ targets }) => targets.length));
        expect(all.flat().every((nats) => Number.isFinite(nats) && nats <= 0)).toBe(true);
        return all.flat().reduce((total, nats) => total + nats, 0);
      };
      const before = await sum();
      await weights.step(sequences, { ...OPTIMIZER, learningRate: 1e-3 });
      expect(await sum()).toBeGreaterThan(before);
      await weights.close();
    });

    it('counts a target among the tokens that were legal there, and no others', async () => {
      const [sequence] = given().sequences as [TrainingSequence];
      const only = sequence.targets.map((target) => [sequence.tokenIds[target]!]);
      const weights = await engine.begin(RUN);
      const [alone, free] = await weights.logProbabilities([{ ...sequence, allowed: only }, sequence]);
      await weights.close();
      for (const nats of alone!) expect(nats).toBeCloseTo(0, 5);
      for (const nats of free!) expect(nats).toBeLessThan(-0.01);
    });
  });
}
