import { readFileSync } from 'node:fs';
import { Random, sha256 } from '@seamstream/kernel';
import { createAdapter } from '@seamstream/language-model';
import { InMemoryObjectStore, type InMemoryObjects } from '@seamstream/object-store';
import { carryOutJob } from './carry-out-job.js';
import {
  type JobFacts,
  type JobSequence,
  putFile,
  readJob,
  readOutput,
  type TrainingJob,
  writeJob,
} from './job-files.js';
import { trainingFilesJsonSchema } from './job-files.schema.js';
import { FakeEngine } from './training-engine.fake.js';

const JOBS = Number(process.env.SEAM_TEST_JOBS ?? 60);
const FOLDER = 'training/run/job/';

describe('a job as files', () => {
  it('is in a JSON Schema file that another language reads, as the code has it', () => {
    const file = new URL('./training-files.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(trainingFilesJsonSchema())));
  });

  it('comes back as it was written', async () => {
    for (let seed = 0; seed < JOBS; seed++) {
      const job = jobOf(Random.of('job', seed));
      const { objects } = await written(job);
      expect(await readJob(objects, FOLDER)).toEqual(job);
    }
  });

  it('is refused for LoRA without the factors that it begins with', async () => {
    const lora = { kind: 'lora', rank: 2, alpha: 4, targetModules: ['q_proj'], modulesToSave: [], seed: 's' } as const;
    const job = { ...jobOf(Random.of('lora')), start: null, trainable: lora };
    await expect(written(job)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('holds each distinct mask once, as the shorter of its two lists', async () => {
    for (let seed = 0; seed < JOBS; seed++) {
      const job = jobOf(Random.of('masks', seed));
      const distinct = new Set(sequencesOf(job).flatMap(({ allowed = [] }) => allowed.map((ids) => ids.join())));
      const lines = linesOf(await written(job), 'input/masks.jsonl') as { ids: number[] }[];
      expect(lines).toHaveLength(distinct.size);
      for (const { ids } of lines) expect(ids.length).toBeLessThanOrEqual(job.vocabularySize / 2);
    }
  });

  it('is refused when one byte of it is another one, or its last file is missing', async () => {
    const random = Random.of('damage');
    for (let seed = 0; seed < JOBS; seed++) {
      const { objects, stored } = await written(jobOf(Random.of('job', seed)));
      const keys = [...stored.keys()].filter((key) => !key.endsWith('job.json') && stored.get(key)!.body.length > 0);
      const key = keys[random.int(keys.length)]!;
      const bytes = Uint8Array.from(stored.get(key)!.body);
      bytes[random.int(bytes.length)]! ^= 1 + random.int(255);
      await objects.put(key, bytes);
      await expect(readJob(objects, FOLDER)).rejects.toMatchObject({ code: 'OBJECT_CORRUPT' });
      await objects.delete(`${FOLDER}input/job.json`);
      await expect(readJob(objects, FOLDER)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    }
  });
});

describe('the result of a job', () => {
  it('is taken where it is of this job', async () => {
    for (const kind of ['train', 'score'] as const) {
      const { job, objects } = await carriedOut(kind);
      await expect(readOutput(objects, FOLDER, job)).resolves.toMatchObject({ operation: kind });
    }
  });

  it.each<[string, Partial<TrainingJob> | ((job: TrainJob) => Partial<TrainJob>)]>([
    ['run', { runId: 'another' }],
    ['operation', { operation: 'score', sequences: [] }],
    ['base model', { baseModelDigest: 'another' }],
    [
      'trained tensors',
      { trainable: { kind: 'lora', rank: 16, alpha: 32, targetModules: ['q_proj'], modulesToSave: [], seed: 's' } },
    ],
    ['steps', ({ steps }) => ({ steps: [...steps, ...steps] })],
  ])('of another %s is refused', async (what, change) => {
    const { job, objects } = await carriedOut('train');
    const other = { ...job, ...(typeof change === 'function' ? change(job as TrainJob) : change) } as TrainingJob;
    await expect(readOutput(objects, FOLDER, other)).rejects.toMatchObject({
      code: 'OBJECT_CORRUPT',
      message: expect.stringContaining(`expected as ${what} `) as string,
    });
  });

  it('with scores of fewer sequences or targets than were asked for is refused', async () => {
    const { job, objects } = await carriedOut('score');
    const [first] = sequencesOf(job);
    for (const sequences of [[first!, first!], [{ ...first!, targets: [...first!.targets, 2] }]])
      await expect(readOutput(objects, FOLDER, { ...job, operation: 'score', sequences })).rejects.toThrow(
        'expected as ln π for each target of each sequence',
      );
  });

  it('with fewer figures than steps is refused', async () => {
    const { job, objects } = await carriedOut('train');
    const key = `${FOLDER}output/result.json`;
    const result = JSON.parse(Buffer.from(await objects.get(key)).toString()) as object;
    const metrics = await putFile(objects, FOLDER, { path: 'output/metrics.jsonl', bytes: new Uint8Array() });
    await objects.put(key, Buffer.from(JSON.stringify({ ...result, metrics })));
    await expect(readOutput(objects, FOLDER, job)).rejects.toThrow('expected as lines of metrics 2, got 0');
  });
});

type TrainJob = Extract<TrainingJob, { operation: 'train' }>;

/** A job with its result, made by an engine. */
async function carriedOut(operation: TrainingJob['operation']) {
  const engine = new FakeEngine();
  const { baseModelDigest } = engine;
  const start = await (await engine.begin({ adapter: null })).exportAdapter();
  const trainable = start.settings;
  const objective = { kind: 'negative-log-likelihood' } as const;
  const sequences = [{ tokenIds: [1, 2, 3], targets: [1], weights: [1] }];
  const facts = { runId: 'run', baseModelDigest, vocabularySize: 9, trainable, objective, start };
  const optimizer = { beta1: 0.9, beta2: 0.9, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
  const steps = [0.1, 0.2].map((learningRate) => ({ learningRate, sequences }));
  const job: TrainingJob =
    operation === 'score'
      ? { ...facts, operation, sequences }
      : { ...facts, operation, optimizer, checkpointEverySteps: 1, steps };
  const { objects } = await written(job);
  await carryOutJob({ engine, objects, folder: FOLDER });
  return { job, objects };
}

async function written(job: TrainingJob) {
  const stored: InMemoryObjects = new Map();
  const objects = new InMemoryObjectStore(stored);
  await writeJob(objects, FOLDER, job);
  return { objects, stored };
}

function linesOf({ stored }: Awaited<ReturnType<typeof written>>, path: string): unknown[] {
  const text = Buffer.from(stored.get(`${FOLDER}${path}`)!.body).toString();
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}

function sequencesOf(job: TrainingJob) {
  return job.operation === 'score' ? job.sequences : job.steps.flatMap(({ sequences }) => sequences);
}

/** Any job: of either operation and objective, with and without a start, masks from one token to all. */
function jobOf(random: Random): TrainingJob {
  const vocabularySize = 4 + random.int(40);
  const isPolicy = random.int(2) === 0;
  const masks = Array.from({ length: 1 + random.int(4) }, () => maskOf(random, vocabularySize));
  const sequences = (): readonly JobSequence[] =>
    Array.from({ length: 1 + random.int(3) }, () => sequenceOf(random, { vocabularySize, masks, isPolicy }));
  const facts: JobFacts = {
    runId: `run-${random.int(1e6)}`,
    baseModelDigest: sha256('base'),
    ...(random.int(2) === 0 ? {} : { baseModelFiles: { 'config.json': sha256('config') } }),
    vocabularySize,
    trainable: { kind: 'full' },
    objective: isPolicy
      ? { kind: 'clipped-policy-gradient', clipLow: 0.2, clipHigh: 0.28, klCoefficient: 0.01, entropyCoefficient: 0 }
      : { kind: 'negative-log-likelihood' },
    start: random.int(2) === 0 ? null : startOf(random),
  };
  if (random.int(3) === 0) return { ...facts, operation: 'score', sequences: sequences() };
  const optimizer = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: random.float(), clipNorm: 1 };
  const steps = Array.from({ length: 1 + random.int(4) }, () => ({
    learningRate: random.float(),
    sequences: sequences(),
  }));
  return { ...facts, operation: 'train', optimizer, checkpointEverySteps: 1 + random.int(5), steps };
}

/** Between one token and all of them, ascending. */
function maskOf(random: Random, vocabularySize: number): readonly number[] {
  const share = random.float();
  const ids = Array.from({ length: vocabularySize }, (_, id) => id).filter(() => random.float() < share);
  return ids.length > 0 ? ids : [random.int(vocabularySize)];
}

function sequenceOf(
  random: Random,
  { vocabularySize, masks, isPolicy }: { vocabularySize: number; masks: (readonly number[])[]; isPolicy: boolean },
) {
  const tokenIds = Array.from({ length: 2 + random.int(8) }, () => random.int(vocabularySize));
  const targets = tokenIds.map((_, at) => at).filter((at) => at > 0 && random.int(2) === 0);
  const figures = (): number[] => targets.map(() => random.normal());
  return {
    tokenIds,
    targets,
    weights: figures(),
    ...(random.int(2) === 0 ? {} : { allowed: targets.map(() => masks[random.int(masks.length)]!) }),
    ...(isPolicy
      ? {
          policy: {
            advantages: figures(),
            proximalLogProbs: figures(),
            importanceWeights: figures(),
            referenceLogProbs: figures(),
          },
        }
      : {}),
  };
}

function startOf(random: Random) {
  const data = Float32Array.from({ length: 6 }, () => random.normal());
  const tensors = new Map([['weight', { shape: [2, 3], data }]]);
  return createAdapter({ kind: 'full', settings: { kind: 'full' }, baseModelDigest: sha256('base'), tensors });
}
