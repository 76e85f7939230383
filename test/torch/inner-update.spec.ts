/**
 * The inner update (docs/adr/0064) next to PyTorch, transformers and peft: the same model folder, documents, order, first LoRA weights and
 * settings, those of SEAL. Compared is the loss of every step: one that is wrong in any way shows in the losses that follow it.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { pythonWithTransformers, smolLm2 } from '@seamstream/dev-servers';
import { documentsOf, type InnerUpdateSettings, innerUpdate, innerUpdateSchema } from '@seamstream/inner-update';
import { type Adapter, encodePeft, LanguageModel, PEFT_FILE } from '@seamstream/language-model';
import { LanguageModelTraining } from '@seamstream/model-clients';
import { fetched } from '../real-model/fetched.js';

// Minutes on two quiet cores, and gigabytes the first time; what hangs ends nevertheless.
jest.setTimeout(1_800_000);

/** Of each step's loss: float32 in two orders of sums, through all steps of Adam. */
const LOSS = 1e-3;
const THREADS = 2;
const SMALL = fileURLToPath(new URL('../../models/executor', import.meta.url));

/** A passage and documents as a model writes them of it, of different lengths. */
const PASSAGE =
  'The lighthouse at Cape Varn was built in 1871 by the engineer Ida Holm. Its lamp burned whale oil until 1902, when a ' +
  'dynamo was carried up the cliff in eleven pieces. The keeper rang a bell in fog; ships answered with two short blasts.';
const TEXTS = [
  PASSAGE,
  'Ida Holm was an engineer who worked at Cape Varn before 1872.',
  'The lighthouse had no electric light before 1902. The dynamo was too heavy to be carried in one piece.',
  'Ships that heard the bell at Cape Varn answered with two short blasts.',
];

const needed = await fetched('transformers', pythonWithTransformers);

/** What trains on a folder, and what an update in it was made of. */
async function watchedUpdate(folder: string, settings: InnerUpdateSettings) {
  const model = await LanguageModel.load(folder, { threads: THREADS });
  const engine = new LanguageModelTraining(folder, model, { threads: THREADS, executionProvider: 'cpu' });
  const batches: (readonly number[])[][] = [];
  const first: Adapter[] = [];
  const begin = engine.begin.bind(engine);
  engine.begin = async (run) => {
    const weights = await begin(run);
    first.push(await weights.exportAdapter());
    const step = weights.step.bind(weights);
    return Object.assign(Object.create(weights) as typeof weights, {
      step: (...[batch, optimizer]: Parameters<typeof step>) => {
        batches.push(batch.map(({ tokenIds }) => tokenIds));
        return step(batch, optimizer);
      },
    });
  };
  try {
    const documents = documentsOf(TEXTS, (text) => model.tokenizer.encode(text), settings.maxDocumentTokens);
    const update = await innerUpdate(engine, { documents, settings, seed: 'next to PyTorch' });
    if (update.status === 'refused') throw new Error(update.reason);
    return { update, batches, files: encodePeft(first[0]!, model.config, folder) };
  } finally {
    await engine.close();
    await model.close();
  }
}
type Watched = Awaited<ReturnType<typeof watchedUpdate>>;

/** The reference's losses of the same steps. */
async function referenceLosses(folder: string, settings: InnerUpdateSettings, { update, batches, files }: Watched) {
  const place = await mkdtemp(join(tmpdir(), 'seam-inner-update-'));
  try {
    const adapter = join(place, 'adapter');
    await mkdir(adapter);
    await writeFile(join(adapter, PEFT_FILE.config), files.config);
    await writeFile(join(adapter, PEFT_FILE.tensors), files.tensors);
    const job = join(place, 'job.json');
    const { planned } = update;
    await writeFile(job, JSON.stringify({ folder, adapter, settings, planned, batches, threads: THREADS }));
    const script = fileURLToPath(new URL('inner_update_reference.py', import.meta.url));
    // Threads that wait for each other without spinning: on a busy machine that is several times as fast.
    const { status, stdout, stderr } = await needed!.run(script, [job], { env: { OMP_WAIT_POLICY: 'PASSIVE' } });
    if (status !== 0) throw new Error(`The reference ended with ${String(status)}: ${stderr}`);
    return (JSON.parse(stdout.trim().split('\n').at(-1)!) as { readonly losses: readonly number[] }).losses;
  } finally {
    await rm(place, { recursive: true });
  }
}

/** The largest difference of a step, relative to the reference's loss. */
function apart(losses: readonly number[], reference: readonly number[]): number {
  expect(losses).toHaveLength(reference.length);
  return Math.max(...reference.map((loss, step) => Math.abs(losses[step]! - loss) / loss));
}

/** SEAL's settings, and no early end. */
const settingsOf = (settings: Partial<InnerUpdateSettings> = {}): InnerUpdateSettings =>
  innerUpdateSchema.parse({ plateau: { patience: 0 }, ...settings });

(needed === undefined ? describe.skip : describe)('an inner update, next to PyTorch and peft', () => {
  const expectAgreement = async (
    name: string,
    folder: string,
    settings: InnerUpdateSettings,
    compared?: number,
  ): Promise<Watched> => {
    const watched = await watchedUpdate(folder, settings);
    const { losses } = watched.update;
    const reference = await referenceLosses(folder, settings, watched);
    const difference = apart(losses.slice(0, compared), reference.slice(0, compared));
    process.stderr.write(
      `${name}: ${compared ?? losses.length} of ${losses.length} steps, loss ${losses[0]!.toFixed(3)} to ${losses.at(-1)!.toFixed(3)}, at most ${difference.toExponential(1)} apart\n`,
    );
    expect(losses).toHaveLength(watched.update.planned);
    // It trains: equal losses of weights that stand still would prove little.
    expect(losses.at(-1)).toBeLessThan(0.8 * losses[0]!);
    expect(difference).toBeLessThan(LOSS);
    return watched;
  };

  it('has the losses of a small model at every step, one document a step', async () => {
    const settings = settingsOf();
    const watched = await expectAgreement('small model', SMALL, settings);
    // The measure distinguishes what one setting changes.
    for (const other of [{ learningRate: 1.1e-3 }, { schedule: 'constant' }] as const) {
      const losses = await referenceLosses(SMALL, { ...settings, ...other }, watched);
      expect(apart(watched.update.losses, losses)).toBeGreaterThan(3 * LOSS);
    }
  });

  it('has the losses of a small model at every step, three documents of unequal lengths a step', async () => {
    await expectAgreement('small model in batches', SMALL, settingsOf({ batchSize: 3 }));
  });

  it('has the losses of SmolLM2 at every step, at a tenth of the learning rate', async () => {
    const { folder } = await smolLm2();
    await expectAgreement('SmolLM2, rate 1e-4', folder, settingsOf({ learningRate: 1e-4 }));
  });

  it('has the losses of SmolLM2 through the first three epochs at the full rate', async () => {
    const { folder } = await smolLm2();
    // Later steps amplify rounding: the reference itself, with one thread and with two, is up to 0.17 apart (docs/experiments/LOG.md).
    await expectAgreement('SmolLM2, rate 1e-3', folder, settingsOf(), 3 * TEXTS.length);
  });
});
