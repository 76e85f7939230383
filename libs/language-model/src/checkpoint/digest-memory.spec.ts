import { mkdir, mkdtemp, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { GeneratedSequence, GenerationRequest, TokensWritten } from '../generation/generation.types.js';
import { LanguageModel } from '../language-model.js';
import { type Checkpoint, checkpointDigest, openCheckpoint } from './checkpoint.js';
import { DigestMemory, findFiles } from './digest-memory.js';
import { checkpointShapes, parseModelConfig } from './model-config.js';

/** 65 million parameters, so that it counts as large; nearly all in one layer. */
const CONFIG = {
  model_type: 'qwen2',
  vocab_size: 256,
  hidden_size: 1024,
  num_hidden_layers: 1,
  num_attention_heads: 16,
  num_key_value_heads: 1,
  intermediate_size: 20_480,
  max_position_embeddings: 64,
  rms_norm_eps: 1e-6,
  rope_theta: 10_000,
  tie_word_embeddings: true,
  eos_token_id: 0,
};

let folder: string;
let modelFolder: string;
let checkpoint: Checkpoint;
const cache = process.env.XDG_CACHE_HOME;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'digest-memory-'));
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
  modelFolder = join(folder, 'model');
  await mkdir(modelFolder);
  await writeFile(join(modelFolder, 'config.json'), JSON.stringify(CONFIG));
  await writeZeros(join(modelFolder, 'model.safetensors'));
  checkpoint = await openCheckpoint(modelFolder);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  if (cache === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = cache;
});

/** All weights zero, as a hole in the file: 262 MB that take no place on the disk. */
async function writeZeros(path: string): Promise<void> {
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const [name, shape] of checkpointShapes(parseModelConfig(CONFIG))) {
    const bytes = 4 * shape.reduce((product, size) => product * size, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [end, (end += bytes)] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = await open(path, 'w');
  await file.write(Buffer.concat([length, text]));
  await file.truncate(8 + text.length + end);
  await file.close();
}

const SETTLED_MS = 2_100;
const remembered = (): Promise<string[]> => readdir(join(folder, 'cache/seamstream/model-digests')).catch(() => []);
const request: GenerationRequest = {
  promptTokenIds: [1, 2, 3],
  seeds: ['a'],
  sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 2 },
  stopTokenIds: [],
};

describe('the memory of digests', () => {
  it('knows what was measured while the files are as they were, and nothing of changed ones', async () => {
    const memory = new DigestMemory();
    const found = await findFiles(checkpoint);
    expect(await memory.of(found)).toBeUndefined();
    await memory.remember(found, found, 'd'.repeat(64), found.changedMs + SETTLED_MS);
    expect(await memory.of(await findFiles(checkpoint))).toBe('d'.repeat(64));
    const path = join(modelFolder, 'model.safetensors');
    const { atime, mtime } = await stat(path);
    const file = await open(path, 'r+');
    await file.write(Buffer.of(1), 0, 1, 5_000);
    await file.close();
    // A program that sets the time back moves the other time.
    await utimes(path, atime, mtime);
    expect(await memory.of(await findFiles(checkpoint))).toBeUndefined();
  });

  it('remembers nothing of files that changed while they were read, or just before', async () => {
    const memory = new DigestMemory();
    const found = await findFiles(checkpoint);
    await memory.remember(found, found, 'd'.repeat(64), found.changedMs + 1_000);
    await memory.remember(found, { ...found, identity: 'another' }, 'd'.repeat(64), found.changedMs + SETTLED_MS);
    expect(await remembered()).toEqual([]);
  });

  it('does without where no cache can be written, and takes what is no digest for nothing', async () => {
    await writeFile(join(folder, 'cache'), 'a file where the folder should be');
    const memory = new DigestMemory();
    const found = await findFiles(checkpoint);
    await memory.remember(found, found, 'd'.repeat(64), found.changedMs + SETTLED_MS);
    expect(await memory.of(found)).toBeUndefined();
    await rm(join(folder, 'cache'));
    await memory.remember(found, found, 'half a dig', found.changedMs + SETTLED_MS);
    expect(await memory.of(found)).toBeUndefined();
  });

  it("lies in the user's cache folder, regardless of a relative path", async () => {
    const found = await findFiles(checkpoint);
    const home = new DigestMemory({});
    const relative = new DigestMemory({ XDG_CACHE_HOME: 'here' });
    expect(relative).toEqual(home);
    expect(await home.of(found)).toBeUndefined();
  });
});

describe('a large model', () => {
  const remembering = { threads: 1, digest: 'remembered' } as const;
  /** As if it had been measured, with any result. */
  async function pretend(digest: string): Promise<void> {
    const found = await findFiles(checkpoint);
    await new DigestMemory().remember(found, found, digest, found.changedMs + SETTLED_MS);
  }

  it('is measured and remembered at its first load', async () => {
    const digest = await checkpointDigest(checkpoint);
    await pause(SETTLED_MS);
    const model = await LanguageModel.load(modelFolder, remembering);
    expect(model.digest).toBe(digest);
    await model.close();
    expect(await new DigestMemory().of(await findFiles(checkpoint))).toBe(digest);
  }, 60_000);

  it('that is remembered is measured before its first answer, and answers', async () => {
    const digest = await checkpointDigest(checkpoint);
    await pretend(digest);
    const model = await LanguageModel.load(modelFolder, remembering);
    expect(model.digest).toBe(digest);
    const heard: number[] = [];
    const onTokens = (written: readonly TokensWritten[]): void => {
      for (const { tokenIds } of written) heard.push(...tokenIds);
    };
    const [[candidate]] = (await model.generate([request], { onTokens })) as [[GeneratedSequence]];
    expect(candidate.tokenIds).toEqual(heard);
    await model.close();
  }, 60_000);

  it('whose files are not what they are taken for gives no answer; loaded again, it has its own name', async () => {
    const digest = await checkpointDigest(checkpoint);
    await pretend('e'.repeat(64));
    const deceived = await LanguageModel.load(modelFolder, remembering);
    expect(deceived.digest).toBe('e'.repeat(64));
    const refusal = { code: 'CHECKPOINT_INVALID', message: expect.stringContaining(digest) as unknown };
    await expect(deceived.generate([request])).rejects.toMatchObject(refusal);
    await expect(deceived.fingerprint()).rejects.toMatchObject(refusal);
    await deceived.close();
    const again = await LanguageModel.load(modelFolder, remembering);
    expect(again.digest).toBe(digest);
    await again.close();
  }, 60_000);

  it('is measured at every load where that is asked for, regardless of what is remembered', async () => {
    await pretend('e'.repeat(64));
    const model = await LanguageModel.load(modelFolder, { threads: 1 });
    expect(model.digest).toBe(await checkpointDigest(checkpoint));
    await model.close();
  }, 60_000);

  it('stops when its measurement is aborted', async () => {
    await pretend(await checkpointDigest(checkpoint));
    const model = await LanguageModel.load(modelFolder, remembering);
    const stopping = new AbortController();
    const stopped = model.generate([request], {
      signal: stopping.signal,
      onTokens: () => stopping.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
    await model.close();
  }, 60_000);
});
