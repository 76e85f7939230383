/**
 * What everything promises that carries out jobs of files: an engine in this process, a child process in another language, a cluster. Its
 * spec calls this with a way to carry one out, and with an engine that says what is right.
 */
import type { EngineIdentity } from '@seamstream/events';
import { type Adapter, encodeAdapter, type TrainingSequence } from '@seamstream/language-model';
import { InMemoryObjectStore, type ObjectInfo, type ObjectStore } from '@seamstream/object-store';
import { differenceOf, isWithin } from './agreement.js';
import { readOutput, type TrainingJob, writeJob } from './job-files.js';
import { checkpointSchema, metricsSchema, resultSchema } from './job-files.schema.js';
import type { TrainingEngine } from './training-engine.port.js';

export interface JobsUnderTest {
  /** Carries out the job below the folder, which is empty or ends with a slash. */
  readonly carryOut: (place: { readonly objects: ObjectStore; readonly folder: string }) => Promise<void>;
  /** Of the same base model: what its steps make is right. */
  readonly open: () => Promise<TrainingEngine>;
  readonly vocabularySize: number;
  /** Of the base model, where engines measure its files. */
  readonly baseModelFiles?: Readonly<Record<string, string>>;
  /** Two sequences of the model's vocabulary, with and without legal tokens. */
  readonly sequences: readonly Omit<TrainingSequence, 'schema'>[];
}

const FOLDER = 'training/run/job/';
const OPTIMIZER = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const LEARNING_RATES = [1e-2, 5e-3, 2e-3];
const RUN = { trainable: { kind: 'full' }, objective: { kind: 'negative-log-likelihood' } } as const;

type TrainJob = Extract<TrainingJob, { operation: 'train' }>;

export function describeTrainingJobs(name: string, given: () => JobsUnderTest): void {
  describe(`jobs of files ${name}`, () => {
    let engine: TrainingEngine;
    let job: TrainJob;
    beforeEach(async () => {
      engine = await given().open();
      const { sequences } = given();
      const facts = factsOf(given(), engine);
      const steps = LEARNING_RATES.map((learningRate) => ({ learningRate, sequences }));
      job = { ...facts, operation: 'train', optimizer: OPTIMIZER, checkpointEverySteps: 1, steps };
    });

    it('make what the same steps make, with figures of each step', async () => {
      const objects = new WatchedStore();
      await writeJob(objects, FOLDER, job);
      await given().carryOut({ objects, folder: FOLDER });
      const { adapter, metrics } = await trainedOf(objects, job);
      const right = await steppedBy(engine, job);
      expect(await agree(engine, adapter, right.adapter, job)).toBe(true);
      expect(metrics.map(({ step, learningRate }) => [step, learningRate])).toEqual(
        LEARNING_RATES.map((learningRate, at) => [at + 1, learningRate]),
      );
      for (const [at, { loss }] of metrics.entries()) expect(loss).toBeCloseTo(right.losses[at]!, 4);
    });

    it('begin with the weights that they are given', async () => {
      const { adapter: start } = await steppedBy(engine, job);
      const objects = new WatchedStore();
      const second = { ...job, start };
      await writeJob(objects, FOLDER, second);
      await given().carryOut({ objects, folder: FOLDER });
      const { adapter } = await trainedOf(objects, job);
      expect(await agree(engine, adapter, (await steppedBy(engine, second)).adapter, second)).toBe(true);
    });

    it('write checkpoints, figures and a result that their schemas allow, the result last', async () => {
      const objects = new WatchedStore();
      await writeJob(objects, FOLDER, job);
      await given().carryOut({ objects, folder: FOLDER });
      const checkpoints = objects.written.filter((key) => key.endsWith('/checkpoint.json'));
      expect(checkpoints.map((key) => key.slice(FOLDER.length))).toEqual([
        'checkpoints/step-000001/checkpoint.json',
        'checkpoints/step-000002/checkpoint.json',
      ]);
      for (const key of checkpoints) checkpointSchema.parse(JSON.parse(await objects.textOf(key)));
      const result = resultSchema.parse(JSON.parse(await objects.textOf(`${FOLDER}output/result.json`)));
      expect(result.engine).toEqual(engine.identity);
      const lines = (await objects.textOf(`${FOLDER}output/metrics.jsonl`)).trim().split('\n');
      for (const line of lines) metricsSchema.parse(JSON.parse(line));
      expect(objects.written.at(-1)).toBe(`${FOLDER}output/result.json`);
    });

    it('resume from the newest checkpoint that is whole when they were killed at any write, to the same end', async () => {
      const right = await steppedBy(engine, job);
      const whole = new WatchedStore();
      await writeJob(whole, FOLDER, job);
      const input = whole.written.length;
      await given().carryOut({ objects: whole, folder: FOLDER });
      for (let writes = input; writes < whole.written.length; writes++) {
        const objects = new WatchedStore(writes);
        await writeJob(objects, FOLDER, job);
        await expect(given().carryOut({ objects, folder: FOLDER })).rejects.toThrow();
        expect(await readOutput(objects, FOLDER, job)).toBeUndefined();
        objects.heal();
        const before = objects.written.filter((key) => key.endsWith('/checkpoint.json'));
        await given().carryOut({ objects, folder: FOLDER });
        const { adapter, metrics } = await trainedOf(objects, job);
        expect(await agree(engine, adapter, right.adapter, job)).toBe(true);
        expect(metrics.map(({ step }) => step)).toEqual([1, 2, 3]);
        // No step is saved twice: what was done is not done again.
        const after = objects.written.filter((key) => key.endsWith('/checkpoint.json'));
        expect(after.length).toBe(new Set([...before, ...after]).size);
      }
    });

    it('resume from no checkpoint of another engine or run', async () => {
      const right = await steppedBy(engine, job);
      const others: ((checkpoint: { runId: string; engine: EngineIdentity }) => object)[] = [
        (checkpoint) => ({ ...checkpoint, engine: { ...checkpoint.engine, worldSize: 7 } }),
        (checkpoint) => ({ ...checkpoint, runId: 'another' }),
      ];
      for (const changed of others) {
        const objects = new WatchedStore();
        await writeJob(objects, FOLDER, job);
        await given().carryOut({ objects, folder: FOLDER });
        await objects.delete(`${FOLDER}output/result.json`);
        for (const key of new Set(objects.written.filter((each) => each.endsWith('/checkpoint.json'))))
          await objects.put(
            key,
            Buffer.from(JSON.stringify(changed(checkpointSchema.parse(JSON.parse(await objects.textOf(key)))))),
          );
        const before = objects.written.length;
        await given().carryOut({ objects, folder: FOLDER });
        expect(objects.written.slice(before)).toContain(`${FOLDER}checkpoints/step-000001/checkpoint.json`);
        expect(await agree(engine, (await trainedOf(objects, job)).adapter, right.adapter, job)).toBe(true);
      }
    });

    it('do nothing where the result is', async () => {
      const objects = new WatchedStore();
      await writeJob(objects, FOLDER, job);
      await given().carryOut({ objects, folder: FOLDER });
      const { length } = objects.written;
      await given().carryOut({ objects, folder: FOLDER });
      expect(objects.written).toHaveLength(length);
    });

    it('say the log-probabilities that the engine says', async () => {
      const objects = new WatchedStore();
      const { sequences } = given();
      const scores: TrainingJob = { ...factsOf(given(), engine), operation: 'score', sequences };
      await writeJob(objects, FOLDER, scores);
      await given().carryOut({ objects, folder: FOLDER });
      const output = await readOutput(objects, FOLDER, scores);
      const weights = await engine.begin({ adapter: null, ...RUN });
      const right = await weights.logProbabilities(sequences);
      await weights.close();
      const scored = output?.operation === 'score' ? output.logProbabilities : [];
      expect(scored.map((nats) => nats.length)).toEqual(right.map((nats) => nats.length));
      for (const [at, nats] of scored.flat().entries()) expect(nats).toBeCloseTo(right.flat()[at]!, 4);
    });

    it('are refused where their input is not whole, or is of another base model, and leave no result', async () => {
      const damaged = new WatchedStore();
      await writeJob(damaged, FOLDER, job);
      await damaged.put(`${FOLDER}input/sequences.jsonl`, Buffer.from('{}\n'));
      const foreign = new WatchedStore();
      const another = { baseModelDigest: 'another', baseModelFiles: { 'config.json': '0'.repeat(64) } };
      await writeJob(foreign, FOLDER, { ...job, ...another });
      for (const objects of [damaged, foreign]) {
        await expect(given().carryOut({ objects, folder: FOLDER })).rejects.toThrow();
        expect(await readOutput(objects, FOLDER, job)).toBeUndefined();
      }
    });
  });
}

function factsOf({ vocabularySize, baseModelFiles }: JobsUnderTest, { baseModelDigest }: TrainingEngine) {
  const files = baseModelFiles === undefined ? {} : { baseModelFiles };
  return { runId: 'run', baseModelDigest, ...files, vocabularySize, start: null, ...RUN };
}

/** Knows what was written, in order, and fails from a write on. */
class WatchedStore extends InMemoryObjectStore {
  readonly written: string[] = [];

  constructor(private failsAfter = Number.POSITIVE_INFINITY) {
    super(new Map());
  }

  heal(): void {
    this.failsAfter = Number.POSITIVE_INFINITY;
  }

  override async put(key: string, ...body: [Uint8Array]): Promise<ObjectInfo> {
    if (this.written.length >= this.failsAfter) throw new Error('killed');
    this.written.push(key);
    return super.put(key, ...body);
  }

  async textOf(key: string): Promise<string> {
    return Buffer.from(await this.get(key)).toString();
  }
}

async function trainedOf(objects: ObjectStore, job: TrainJob) {
  const output = await readOutput(objects, FOLDER, job);
  if (output?.operation !== 'train') throw new Error(`expected what training made, got ${output?.operation}`);
  return output;
}

async function steppedBy(
  engine: TrainingEngine,
  { start, steps, optimizer }: TrainJob,
): Promise<{ readonly adapter: Adapter; readonly losses: readonly number[] }> {
  const weights = await engine.begin({ adapter: start, ...RUN });
  try {
    const losses: number[] = [];
    for (const { learningRate, sequences } of steps)
      losses.push((await weights.step(sequences, { ...optimizer, learningRate })).loss);
    return { adapter: await weights.exportAdapter(), losses };
  } finally {
    await weights.close();
  }
}

/** As the engine's identity says that equal steps do. */
async function agree(engine: TrainingEngine, one: Adapter, other: Adapter, job: TrainJob): Promise<boolean> {
  const { tolerance } = engine.identity;
  if (tolerance === null) return Buffer.from(encodeAdapter(one)).equals(encodeAdapter(other));
  const { adapter: start } = await steppedBy(engine, { ...job, steps: [] });
  return isWithin(differenceOf(one, other, start), tolerance);
}
