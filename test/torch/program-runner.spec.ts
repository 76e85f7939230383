/** Planned runs trained with PyTorch, under torchrun with two processes: as the engine in process, also where a side of it is killed. */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { jest } from '@jest/globals';
import { pythonWithTransformers } from '@seamstream/dev-servers';
import { type Adapter, Grammars, LanguageModel, type TrainingSequence } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import type { LearningAlgorithm } from '@seamstream/learning';
import { LanguageModelTraining } from '@seamstream/model-clients';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger } from '@seamstream/service-kit';
import { until } from '@seamstream/testing';
import { differenceOf, isWithin } from '@seamstream/training-contract';
import { GradientRunner, ProgramRunner, programBase, type Recording } from '@seamstream/training-runs';
import { FakeEvaluation } from '@seamstream/training-runs/testing';
import { fetched } from '../real-model/fetched.js';
import { engineProcesses, torchEnvironment, torchLauncher } from './torch-engine.js';

jest.setTimeout(1_800_000);

const needed = await fetched('transformers', pythonWithTransformers);
const python = needed!;
const STEPS = 40;
const PATIENCE = { withinMs: 120_000, everyMs: 100 };
const TOLERANCE = { weights: 1e-2, change: 1e-2 };

let folder: string;
let model: LanguageModel;
let engine: LanguageModelTraining;
beforeAll(async () => {
  folder = await writeRandomModel();
  model = await LanguageModel.load(folder, { threads: 1 });
  engine = new LanguageModelTraining(folder, model, { threads: 1, executionProvider: 'cpu' });
});
afterAll(async () => {
  await engine.close();
  await model.close();
  await rm(folder, { recursive: true });
});

(needed === undefined ? describe.skip : describe)('a run on PyTorch with two processes', () => {
  it('reports its version before any run', async () => {
    const reported = await torchLauncher(python, folder, 2).reportVersion();
    expect(reported).toMatchObject({
      hasSucceeded: true,
      report: expect.stringContaining('seamstream-torch ') as string,
    });
  });

  it('makes what the engine in process makes, from a schema as from legal tokens, and leaves no process', async () => {
    const right = await rightAdapter();
    const seen: number[] = [];
    const { adapter, engine: identity } = await made(
      await programRunner(),
      recordingOf({ onStep: (step) => seen.push(step) }),
    );
    await expectWithin(adapter, right);
    expect(identity).toMatchObject({ name: 'torch', worldSize: 2 });
    expect(seen).toEqual(Array.from({ length: STEPS }, (_, at) => at + 1));
    expect(await engineProcesses(folder)).toEqual([]);
  });

  it('fails for the engine when a worker of torchrun is killed, resumes from a checkpoint, and makes the same', async () => {
    const runner = await programRunner();
    const checkpoints = new Map<number, Uint8Array>();
    const killed = recordingOf({
      checkpoints,
      onCheckpoint: async (step) => {
        if (step === 10) process.kill((await engineProcesses(folder)).find(({ isWorker }) => isWorker)!.pid, 'SIGKILL');
      },
    });
    await expect(made(runner, killed)).rejects.toMatchObject({ code: 'ENGINE_FAILED', retryable: true });
    expect(await engineProcesses(folder)).toEqual([]);
    const seen: number[] = [];
    const { adapter } = await made(runner, recordingOf({ checkpoints, onStep: (step) => seen.push(step) }));
    expect(seen[0]).toBeGreaterThan(10);
    expect(seen.at(-1)).toBe(STEPS);
    await expectWithin(adapter, await rightAdapter());
  });

  it('ends with the process that started it, killed by SIGKILL', async () => {
    const script = `
      import { ChildProcessLauncher } from '@seamstream/training-contract';
      const launcher = new ChildProcessLauncher(JSON.parse(process.argv.at(-1)));
      launcher.start('/no/such/job');
      setInterval(() => {}, 1000);`;
    // Workers that wait: what they do does not matter, only that nothing ends them but their input.
    const waiting =
      'import sys, seamstream_torch.main as m, threading; threading.Thread(target=m._end_with_input).start()';
    const torchrun = ['-m', 'torch.distributed.run', '--standalone', '--nproc-per-node', '2', '--no-python'];
    const settings = {
      command: [python.command, ...torchrun, python.command, '-c', waiting, folder],
      environment: torchEnvironment(python, 2),
    };
    const args = ['--input-type=module', '-e', script, JSON.stringify(settings)];
    const starter = spawn(process.execPath, args, {
      stdio: 'inherit',
      cwd: new URL('../..', import.meta.url).pathname,
    });
    await until(
      async () => (await engineProcesses(folder)).filter(({ isWorker }) => isWorker).length === 2,
      'two workers',
      PATIENCE,
    );
    starter.kill('SIGKILL');
    await until(async () => (await engineProcesses(folder)).length === 0, 'no process', PATIENCE);
  });
});

const SCHEMA = {
  type: 'object',
  properties: { a: { enum: ['x', 'y'] } },
  required: ['a'],
  additionalProperties: false,
};

/** Sequences of the model: one of a schema, as a run has them, one without. */
function sequencesOf(): readonly TrainingSequence[] {
  const prompt = [5, 6, 7];
  const entry = model.tokenizer.encode('{"a":"x"}');
  const tokenIds = [...prompt, ...entry];
  const targets = entry.map((_, at) => prompt.length + at);
  const weights = targets.map(() => 0.5 / targets.length);
  const plain = { tokenIds: [9, 4, 11, 3, 2, 8], targets: [3, 5], weights: [0.25, 0.25] };
  return [{ tokenIds, targets, weights, schema: SCHEMA, continuationStart: prompt.length }, plain];
}

/** An algorithm whose steps are these sequences. */
const JOB = {
  kind: 'gradient' as const,
  algorithm: 'given',
  settings: {},
  learning: {
    examples: [],
    steps: Array.from({ length: STEPS }, () => ({ learningRate: 1e-3, examples: [] })),
    objective: { kind: 'negative-log-likelihood' as const },
    needs: { proximalLogProbs: false, referenceLogProbs: null },
    optimizer: { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
    trainable: {
      ...{ kind: 'lora' as const, rank: 2, alpha: 4, seed: 's' },
      ...{ targetModules: ['q_proj', 'v_proj'], modulesToSave: [] },
    },
    diagnostics: {},
  },
};

function dependencies() {
  const given = { review: () => ({ status: 'ready', diagnostics: {} }), complete: sequencesOf };
  return {
    objects: new InMemoryObjectStore(new Map()),
    engine,
    algorithms: new Map([['given', given as unknown as LearningAlgorithm]]),
    evaluation: new FakeEvaluation(),
    logger: createServiceLogger('trainer', 'silent'),
  };
}

async function programRunner(): Promise<ProgramRunner> {
  const base = await programBase(folder, model.digest);
  const launcher = torchLauncher(python, folder, 2);
  return new ProgramRunner({ ...dependencies(), launcher, base, grammars: new Grammars(model.tokenizer) });
}

async function made(runner: GradientRunner, recording: Recording) {
  const result = await runner.run(JOB as never, null, recording);
  if (result.status !== 'made') throw new Error(`expected an adapter, got ${result.reason}`);
  return { adapter: result.artefact, engine: result.engine };
}

let right: Promise<Adapter> | undefined;
function rightAdapter(): Promise<Adapter> {
  right ??= made(new GradientRunner(dependencies()), recordingOf({})).then(({ adapter }) => adapter);
  return right;
}

interface Watched {
  readonly checkpoints?: Map<number, Uint8Array>;
  readonly onStep?: (step: number) => void;
  readonly onCheckpoint?: (step: number) => Promise<void>;
}

/** Keeps checkpoints as a worker does, every five steps. */
function recordingOf({ checkpoints = new Map(), onStep, onCheckpoint }: Watched): Recording {
  return {
    runId: 'run',
    signal: new AbortController().signal,
    resume: async (work) => {
      const step = Math.max(...checkpoints.keys());
      const state = checkpoints.get(step);
      if (state === undefined) return undefined;
      await work.restoreState(state);
      return { step, key: 'kept', digest: '' };
    },
    saving: {
      everySteps: 5,
      save: async (work) => {
        checkpoints.set(work.steps, await work.saveState());
        await onCheckpoint?.(work.steps);
      },
    },
    report: (phase, done) => {
      if (phase === 'training') onStep?.(done);
    },
  };
}

async function expectWithin(adapter: Adapter, expected: Adapter): Promise<void> {
  const start = await (await programBase(folder, model.digest)).startOf(JOB.learning.trainable);
  const difference = differenceOf(expected, adapter, start!);
  expect([difference, isWithin(difference, TOLERANCE)]).toEqual([difference, true]);
}
