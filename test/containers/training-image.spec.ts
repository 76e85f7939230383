/**
 * The image of the engine on PyTorch, from its own Containerfile, without a registry: a base of the same name is made of Debian's packages.
 * Some five gigabytes, so it is built once; that equal commits give equal digests is shown for the image of the services.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { type BuiltImage, buildTrainingImage, makePythonBase } from '@seamstream/dev-servers';
import { checkpointFiles, LanguageModel } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import { LanguageModelTraining } from '@seamstream/model-clients';
import { InMemoryObjectStore } from '@seamstream/object-store';
import {
  ChildProcessLauncher,
  carryOutJob,
  differenceOf,
  isWithin,
  readOutput,
  type TrainingJob,
  writeJob,
} from '@seamstream/training-contract';
import { carryOutElsewhere } from '../torch/torch-engine.js';
import { containers } from './engine.js';

jest.setTimeout(3_600_000);

const TAG = 'localhost/seamstream-torch:test';
const LOCK = fileURLToPath(new URL('../../engines/torch/requirements.lock', import.meta.url));
/** As a Job of the chart runs it, and without a network. */
const CONFINED = [
  ...['run', '--rm', '--interactive', '--network', 'none', '--read-only', '--cap-drop', 'all'],
  ...['--security-opt', 'no-new-privileges'],
];
const RUN = { trainable: { kind: 'full' }, objective: { kind: 'negative-log-likelihood' } } as const;

const engine = await containers();

(engine === undefined ? describe.skip : describe)('The image of the engine on PyTorch', () => {
  let out: string;
  let built: BuiltImage;
  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), 'seam-image-'));
    await makePythonBase(engine!);
    built = await buildTrainingImage(engine!, TAG, out);
    process.stderr.write(`image of the engine: ${(built.bytes / 1e9).toFixed(1)} GB\n`);
  });
  afterAll(() => rm(out, { recursive: true, force: true }));

  it('holds exactly the packages of the lock file, as its bill says, and its provenance names it', async () => {
    const locked = (await readFile(LOCK, 'utf8')).matchAll(/^(\S+)==(\S+) --hash=sha256:(\S+)$/gm);
    const bill = JSON.parse(await readFile(join(out, 'sbom.json'), 'utf8')) as {
      readonly components: readonly { readonly name: string; readonly version: string; readonly hashes: unknown }[];
    };
    const wanted = [...locked].map(([, name, version, content]) => ({
      ...{ name, version },
      hashes: [{ alg: 'SHA-256', content }],
    }));
    expect(bill.components.map(({ name, version, hashes }) => ({ name, version, hashes }))).toEqual(wanted);
    const script =
      'from importlib.metadata import distributions as d; print("\\n".join(sorted(p.name.lower().replace("_","-").replace(".","-")+" "+p.version for p in d(path=["/opt/torch"]))))';
    const held = await engine!.must([...CONFINED, '--entrypoint', 'python3', TAG, '-c', script]);
    expect(held.split('\n')).toEqual(wanted.map(({ name, version }) => `${name} ${version}`).sort());
    const { subject } = JSON.parse(await readFile(join(out, 'image.json'), 'utf8')) as { readonly subject: unknown };
    expect(subject).toEqual([{ name: TAG, digest: { sha256: built.digest } }]);
  });

  it('runs as a user without rights, and finds torchrun, as the trainer starts it', async () => {
    expect(
      await engine!.must([...CONFINED, '--entrypoint', 'python3', TAG, '-c', 'import os; print(os.getuid())']),
    ).toBe('65532');
    expect(await engine!.must([...CONFINED, TAG, '--version'])).toMatch(/^seamstream-torch \d+\.\d+\.\d+$/);
    expect(await engine!.must([...CONFINED, '--entrypoint', 'torchrun', TAG, '--help'])).toContain('--standalone');
  });

  it('trains on a read-only root, without a network, what ONNX Runtime trains', async () => {
    const folder = await writeRandomModel();
    const model = await LanguageModel.load(folder, { threads: 1 });
    const onnx = new LanguageModelTraining(folder, model, { threads: 1, executionProvider: 'cpu' });
    try {
      const sequence = { tokenIds: [5, 6, 7, 8, 9], targets: [2, 3, 4], weights: [1, 1, 1] };
      const sequences = [sequence, { ...sequence, allowed: [[7, 8], [8], [1, 9, 11]] }];
      const job: TrainingJob = {
        ...{ operation: 'train', runId: 'run', start: null, checkpointEverySteps: 1, ...RUN },
        ...{ baseModelDigest: model.digest, baseModelFiles: await checkpointFiles(folder) },
        vocabularySize: model.config.vocabularySize,
        optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
        steps: [1e-2, 5e-3, 2e-3].map((learningRate) => ({ learningRate, sequences })),
      };
      // The job's folder is known when the program is started; it is given to the container's user.
      const program = [
        ...['podman', ...CONFINED, '--volume', `${folder}:${folder}:ro,U`, '--volume', '"$0:$0:U"', '--entrypoint'],
        ...['torchrun', TAG, '--standalone', '--nproc-per-node', '2', '-m', 'seamstream_torch'],
        ...['--model', folder, '--end-with-input', '"$0"'],
      ];
      const launcher = new ChildProcessLauncher({
        command: ['sh', '-c', `exec ${program.join(' ')}`],
        environment: engine!.environment,
      });
      const objects = new InMemoryObjectStore(new Map());
      for (const place of ['torch/', 'onnx/']) await writeJob(objects, place, job);
      await carryOutElsewhere(launcher, { objects, folder: 'torch/' });
      await carryOutJob({ engine: onnx, objects, folder: 'onnx/' });
      const [torch, right] = await Promise.all(
        ['torch/', 'onnx/'].map(async (place) => {
          const output = await readOutput(objects, place, job);
          if (output?.operation !== 'train') throw new Error(`nothing was trained in ${place}`);
          return output.adapter;
        }),
      );
      const weights = await onnx.begin({ adapter: null, ...RUN });
      const start = await weights.exportAdapter();
      await weights.close();
      expect(isWithin(differenceOf(torch!, right!, start), { weights: 1e-2, change: 1e-2 })).toBe(true);
    } finally {
      await onnx.close();
      await model.close();
      await rm(folder, { recursive: true });
    }
  });
});
