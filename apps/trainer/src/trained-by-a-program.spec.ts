/** Runs whose steps a program takes, on files: what is recorded of them, and what becomes of them when either side dies. */

import { sleep } from '@seamstream/kernel';
import { algorithms } from '@seamstream/learning';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger } from '@seamstream/service-kit';
import { eventsOf, newWorld, openLog, until, type World } from '@seamstream/testing';
import { carryOutJob, JobFolder, JobLauncher, type RunningJob } from '@seamstream/training-contract';
import { FakeEngine } from '@seamstream/training-contract/testing';
import { GradientMethod, type MethodWithRunner, ProgramRunner } from '@seamstream/training-runs';
import { FakeEvaluation } from '@seamstream/training-runs/testing';
import { trainerConfigSchema } from './config.js';
import { torchCommand } from './torch-command.js';
import {
  closeDuring,
  closeServices,
  consumed,
  digests,
  onDemandOf,
  playRounds,
  publish,
  serve,
} from './trainer-world.fake.js';

afterEach(closeServices);

describe('a run that a program trains', () => {
  it('is recorded with its checkpoints, its figures and the engine that its result names', async () => {
    const world = newWorld();
    await serve(world, { methods: [trainedBy(world, new Program())] });
    await playRounds(world, 1);
    const [published] = await eventsOf(world, 'AdapterPublished');
    expect(published?.engine).toMatchObject({ name: 'fake' });
    expect(published?.metrics).toMatchObject({ loss: 1 / 6, gradientNorm: 1 });
    expect((await eventsOf(world, 'TrainingRunCheckpointed')).map(({ step }) => step)).toEqual([2, 4]);
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
  });

  it('resumes from its newest checkpoint when its program dies, to the same result', async () => {
    const world = newWorld();
    let deaths = 0;
    const program = new Program((step) => {
      if (step === 4 && deaths++ === 0) throw new Error('out of memory');
    });
    await serve(world, { methods: [trainedBy(world, program)] });
    expect(await playRounds(world, 1)).toEqual(await undisturbedByProgram(1));
    expect([deaths, program.steps]).toEqual([2, 6]);
  });

  it('ends with its worker, and another worker resumes it', async () => {
    const world = newWorld();
    const gate = Promise.withResolvers<undefined>();
    const left = new Program((step) => (step === 3 ? gate.promise.then(() => undefined) : undefined));
    const service = await serve(world, { methods: [trainedBy(world, left)] });
    await publish(world, 0, 6);
    await until(() => left.steps === 3);
    await closeDuring(service, () => gate.resolve(undefined));
    expect([left.cancelled, await eventsOf(world, 'AdapterPublished')]).toEqual([1, []]);
    const heir = new Program();
    await serve(world, { methods: [trainedBy(world, heir)] });
    await consumed(world);
    expect(heir.steps).toBe(4);
    expect(await digests(world)).toEqual(await undisturbedByProgram(1));
  });

  it('is published once where its worker has lost it to another', async () => {
    const world = newWorld();
    const gate = Promise.withResolvers<undefined>();
    const stuck = new Program(async (step) => {
      if (step === 1) await gate.promise;
      // The checkpoint before it is seen, and refused.
      if (step === 2) await sleep(1_000);
    });
    const config = { roles: ['worker'], leaseMs: 300 };
    await serve(world, { config: { roles: ['planner'] } });
    await serve(world, { methods: [trainedBy(world, stuck)], config });
    await publish(world, 0, 6);
    await until(() => stuck.steps === 1);
    const [key] = [...world.objects.keys()].filter((name) => name.endsWith('lease.json'));
    const objects = new InMemoryObjectStore(world.objects);
    const lease = await objects.get(key!);
    const heir = new Program();
    await serve(world, { methods: [trainedBy(world, heir)], config });
    // Dead to the others: its lease stays as it is.
    const frozen = setInterval(() => void objects.put(key!, lease), 1);
    try {
      await until(() => heir.steps > 0);
    } finally {
      clearInterval(frozen);
    }
    await consumed(world);
    gate.resolve(undefined);
    await until(() => stuck.cancelled === 1);
    await sleep(50);
    expect(await digests(world)).toEqual(await undisturbedByProgram(1));
    expect(await eventsOf(world, 'TrainingRunCompleted')).toHaveLength(1);
  });

  it('has no program started again by a worker that has lost it: that would end the program of the new holder', async () => {
    const world = newWorld();
    const gate = Promise.withResolvers<undefined>();
    const stale = new Program(() => gate.promise.then(() => Promise.reject(new Error('another start took its place'))));
    await serve(world, { methods: [trainedBy(world, stale)] });
    await publish(world, 0, 6);
    await until(() => stale.starts === 1);
    const { runId } = (await eventsOf(world, 'TrainingRunPlanned'))[0]!;
    const log = await openLog(world);
    await log.claim(`training-run.${runId}`);
    const objects = new InMemoryObjectStore(world.objects);
    await objects.put(`training/${runId}/lease.json`, new Uint8Array());
    gate.resolve(undefined);
    // Five tries, a few milliseconds apart, were it not fenced.
    await sleep(300);
    expect(stale.starts).toBe(1);
    expect(await eventsOf(world, 'TrainingRunFailed')).toHaveLength(0);
  });

  it('is verified by the tolerance that its engine states, and not beyond it', async () => {
    const tolerance = { weights: 1e-3, change: 1e-3 };
    const noisy = (noise: number, seed: string): Program => new Program(() => undefined, { tolerance, noise, seed });
    const world = newWorld();
    await serve(world, { methods: [trainedBy(world, noisy(1e-4, 'first'))] });
    await playRounds(world, 1);
    const adapterDigest = (await eventsOf(world, 'AdapterPublished'))[0]!.adapterDigest;
    for (const [noise, matches] of [
      [1e-4, true],
      [1e-1, false],
    ] as const) {
      const onDemand = await onDemandOf(world, new FakeEngine(), {
        methods: [trainedBy(world, noisy(noise, 'again'))],
      });
      const verified = await onDemand.verify(adapterDigest, new AbortController().signal);
      expect(verified).toMatchObject({ matches, comparison: { by: 'tolerance', tolerance } });
    }
  });
});

describe('the command of the engine on PyTorch', () => {
  const torch = (settings: object) => trainerConfigSchema.parse({ trainer: { torch: settings } }).trainer.torch;

  it('is torchrun on this machine with one process, unless the settings say otherwise', () => {
    const engine = ['-m', 'seamstream_torch', '--end-with-input', '--model', '/models/base'];
    expect(torchCommand(torch({}), '/models/base')).toEqual([
      ...['torchrun', '--standalone', '--nproc-per-node', '1'],
      ...engine,
    ]);
    const settings = torch({
      command: 'python3 -m  torch.distributed.run ',
      processes: 8,
      options: '--precision bfloat16',
    });
    expect(torchCommand(settings, '/models/base')).toEqual([
      ...['python3', '-m', 'torch.distributed.run', '--nproc-per-node', '8'],
      ...[...engine, '--precision', 'bfloat16'],
    ]);
  });

  it('is refused with an unknown engine, no processes or an empty command', () => {
    for (const trainer of [{ engine: 'jax' }, { torch: { processes: 0 } }, { torch: { command: ' ' } }])
      expect(() => trainerConfigSchema.parse({ trainer })).toThrow();
  });
});

/** Carries jobs out in this process, with an engine that counts; what is cancelled takes no further step. */
class Program extends JobLauncher {
  starts = 0;
  steps = 0;
  cancelled = 0;

  constructor(
    private readonly beforeStep: (step: number) => Promise<void> | void = () => undefined,
    private readonly rounding: ConstructorParameters<typeof FakeEngine>[1] = {},
  ) {
    super();
  }

  override start(path: string): RunningJob {
    this.starts++;
    let isCancelled = false;
    let hasEnded = false;
    const engine = new FakeEngine(async (step) => {
      await this.beforeStep(step);
      if (isCancelled) throw new Error('cancelled');
      this.steps++;
    }, this.rounding);
    const done = carryOutJob({ engine, objects: new ListedFolder(path), folder: '' });
    const ended = done
      .then(
        () => ({ hasSucceeded: true, report: '' }),
        (error: unknown) => ({ hasSucceeded: false, report: String(error) }),
      )
      .finally(() => {
        hasEnded = true;
      });
    const cancel = (): void => {
      if (hasEnded || isCancelled) return;
      isCancelled = true;
      this.cancelled++;
    };
    return { ended, cancel };
  }
}

class ListedFolder extends JobFolder {
  async *list(): AsyncIterable<{ key: string; sizeBytes: number; etag: string }> {
    for (const { path } of await this.checkpoints()) yield { key: path, sizeBytes: 0, etag: '' };
  }
}

function trainedBy(world: World, launcher: Program): MethodWithRunner {
  const engine = new FakeEngine();
  const any = { ids: Int32Array.from({ length: 100 }, (_, id) => id) };
  const grammar = { start: () => 0, advance: () => 0, allowed: () => any, allowedWithin: () => any };
  const runner = new ProgramRunner({
    objects: new InMemoryObjectStore(world.objects),
    engine,
    algorithms,
    evaluation: new FakeEvaluation(),
    logger: createServiceLogger('trainer', 'silent'),
    launcher,
    base: {
      files: {},
      vocabularySize: 200,
      startOf: async () => (await engine.begin({ adapter: null })).exportAdapter(),
    },
    grammars: { prepare: () => Promise.resolve(() => grammar as never) },
  });
  return { method: new GradientMethod(algorithms), runner };
}

async function undisturbedByProgram(rounds: number): Promise<string[]> {
  const world = newWorld();
  await serve(world, { methods: [trainedBy(world, new Program())] });
  return playRounds(world, rounds);
}
