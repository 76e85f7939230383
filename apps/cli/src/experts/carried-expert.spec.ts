/** An expert on the shipped models: measured, exported, imported elsewhere, and measured again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOMAINS, entrySchemaFor, worldProblems } from '@seamstream/embedded-world';
import { entrySchemas, loadPrompts } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import {
  type Adapter,
  createAdapter,
  encodePeft,
  LanguageModel,
  loadCheckpoint,
  type TrainableSettings,
  trainableShapes,
} from '@seamstream/language-model';
import { LanguageModelExecutor } from '@seamstream/model-clients';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let folder: string;
let generator: LanguageModel;
let executor: LanguageModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carried-'));
  generator = await LanguageModel.load(folderOf('generator-base'), { threads: 1 });
  executor = await LanguageModel.load(folderOf('executor'), { threads: 1 });
});
afterAll(async () => {
  await generator.close();
  await executor.close();
  await rm(folder, { recursive: true });
});

describe('an expert that is carried to another system with the same base model', () => {
  it('gives each problem the entry and the answer that it gave before', async () => {
    const here = await shippedWorld();
    const { adapter, files } = await randomAdapter();
    here.files.set('peft/adapter_config.json', files.config);
    here.files.set('peft/adapter_model.safetensors', files.tensors);
    await here.seam('adapters', 'import', 'peft');
    const before = await answersIn(here, adapter.digest);
    expect(await here.seam('experts', 'export', adapter.digest, '--to', 'expert.tar')).toBe(0);

    const there = await shippedWorld();
    there.files.set('expert.tar', here.files.get('expert.tar')!);
    expect(await there.seam('experts', 'import', 'expert.tar')).toBe(0);
    expect(await answersIn(there, adapter.digest)).toEqual(before);
    // The adapter has a part in them: the base model's are others.
    expect(await answersIn(there, 'base')).not.toEqual(before);
  });
});

const folderOf = (name: string): string => fileURLToPath(new URL(`../../../../models/${name}`, import.meta.url));
const SETTINGS: TrainableSettings = {
  kind: 'lora',
  rank: 2,
  alpha: 8,
  targetModules: ['q_proj', 'v_proj'],
  modulesToSave: [],
  seed: 'carried',
};

/** Random weights: what it writes differs from the base model's, and from any other adapter's. */
async function randomAdapter(): Promise<{ readonly adapter: Adapter; readonly files: ReturnType<typeof encodePeft> }> {
  const { config, digest } = await loadCheckpoint(folderOf('generator-base'));
  const random = Random.of('carried expert');
  const tensors = new Map(
    [...trainableShapes(config, SETTINGS)].map(([name, shape]) => {
      const size = shape.reduce((product, each) => product * each, 1);
      return [name, { shape: [...shape], data: Float32Array.from({ length: size }, () => random.normal() * 0.2) }];
    }),
  );
  const adapter = createAdapter({ kind: 'lora', settings: SETTINGS, baseModelDigest: digest, tensors });
  return { adapter, files: encodePeft(adapter, config, 'base') };
}

/** A world whose generator and executor are the shipped ones. */
async function shippedWorld(): Promise<FakeWorld> {
  const world = await fakeWorld(
    entrySchemas(Object.fromEntries(DOMAINS.map((domain) => [domain, entrySchemaFor(domain)!]))),
  );
  const checkpoint = await loadCheckpoint(folderOf('generator-base'));
  world.baseModel = { checkpoint, fingerprint: (adapter) => generator.fingerprint(adapter) };
  world.models = {
    generator,
    executor: new LanguageModelExecutor(executor, { name: 'executor', maxTokens: 32 }),
    prompts: await loadPrompts(),
    maxEntryTokens: 64,
    maxResponseTokens: 32,
  };
  const problems = worldProblems({ split: 'heldOut', variant: 'base', count: 12, seed: 7 });
  world.files.set('p.jsonl', Buffer.from(problems.map((problem) => `${JSON.stringify(problem)}\n`).join('')));
  return world;
}

/** Every entry and answer of an evaluation, as it was given. */
async function answersIn(world: FakeWorld, adapter: string): Promise<unknown> {
  const options = ['--adapter', adapter, '--arms', 'trained', '--predictions', `${adapter}.jsonl`];
  expect(await world.seam('eval', 'p.jsonl', ...options)).toBe(0);
  return Buffer.from(world.files.get(`${adapter}.jsonl`)!)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
