/** What is said of a folder that is not a sound model: before anything is compiled or served, naming file and remedy. */
import { readFile, rename, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LanguageModel } from '../language-model.js';
import { writeRandomModel } from '../random-model.fake.js';

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 988097824\n`;

describe('a model folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await writeRandomModel();
  });
  afterEach(() => rm(folder, { recursive: true }));
  const at = (file: string): string => join(folder, file);

  it.each<[string, () => Promise<unknown>, string, RegExp]>([
    ['no config.json', () => unlink(at('config.json')), 'config.json', /config\.json is missing/],
    ['half a config.json', () => truncate(at('config.json'), 40), 'config.json', /config\.json is not JSON/],
    ['a pointer for a config.json', () => writeFile(at('config.json'), POINTER), 'config.json', /not JSON/],
    ['no weights', () => unlink(at('model.safetensors')), 'model.safetensors', /model\.safetensors/],
    [
      'pickled weights only',
      () => rename(at('model.safetensors'), at('pytorch_model.bin')),
      'model.safetensors',
      /pytorch_model\.bin is PyTorch's pickle format, which can run code.*with \.safetensors files/,
    ],
    [
      'GGUF only',
      async () => {
        await rename(at('model.safetensors'), at('model-Q4_K_M.gguf'));
        await unlink(at('config.json'));
      },
      'config.json',
      /config\.json is missing.*model-Q4_K_M\.gguf is GGUF.*not read here/,
    ],
    [
      'an endless config.json',
      () => truncate(at('config.json'), 2 ** 31),
      'config.json',
      /has 2147483648 bytes: expected at most/,
    ],
    ['half the weights', () => truncate(at('model.safetensors'), 20_000), 'model.safetensors', /truncated/],
    ['the beginning of weights', () => truncate(at('model.safetensors'), 5), 'model.safetensors', /at least 8 bytes/],
    ['empty weights', () => truncate(at('model.safetensors'), 0), 'model.safetensors', /the file has 0/],
    ['a pointer for weights', () => writeFile(at('model.safetensors'), POINTER), 'model.safetensors', /pointer/],
    [
      'a web page for weights',
      () => writeFile(at('model.safetensors'), `<!doctype html><html>${' '.repeat(3000)}</html>`),
      'model.safetensors',
      /it is a web page/,
    ],
    [
      'a shard missing',
      async () => {
        const index = { weight_map: { 'model.norm.weight': 'model-00002-of-00002.safetensors' } };
        await writeFile(at('model.safetensors.index.json'), JSON.stringify(index));
      },
      'model-00002-of-00002.safetensors',
      /model-00002-of-00002\.safetensors/,
    ],
    [
      'half an index',
      () => writeFile(at('model.safetensors.index.json'), '{"weight_map": {"a"'),
      'model.safetensors.index.json',
      /not JSON/,
    ],
    [
      'half a tokenizer.json',
      () => truncate(at('tokenizer.json'), 500),
      'tokenizer.json',
      /tokenizer\.json cannot be read/,
    ],
    [
      'a tokenizer of another model',
      async () => {
        const json = JSON.parse(await readFile(at('tokenizer.json'), 'utf8')) as {
          model: { vocab: Record<string, number> };
        };
        json.model.vocab.another = 5000;
        await writeFile(at('tokenizer.json'), JSON.stringify(json));
      },
      'tokenizer.json',
      /ids up to 5000.*vocabulary of 300.*another model/,
    ],
    [
      'a tokenizer that does not know how texts end',
      async () => {
        const path = at('config.json');
        const json = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
        await writeFile(path, JSON.stringify({ ...json, vocab_size: 300, eos_token_id: 299 }));
        const tokenizer = JSON.parse(await readFile(at('tokenizer.json'), 'utf8')) as {
          model: { vocab: Record<string, number>; merges: unknown[] };
        };
        const small = Object.entries(tokenizer.model.vocab).filter(([, id]) => id <= 260);
        tokenizer.model = { ...tokenizer.model, vocab: Object.fromEntries(small), merges: [] };
        await writeFile(at('tokenizer.json'), JSON.stringify(tokenizer));
      },
      'tokenizer.json',
      /ids up to 260, and texts of the model end with 299: it is another model's/,
    ],
    ['a tokenizer of Git LFS', () => writeFile(at('tokenizer.json'), POINTER), 'tokenizer.json', /pointer of Git LFS/],
    [
      'a damaged chat template',
      () => writeFile(at('chat_template.jinja'), '{% for %}'),
      'tokenizer_config.json',
      /not a Jinja template/,
    ],
  ])('with %s is refused', async (_, damage, file, message) => {
    await damage();
    const error: unknown = await LanguageModel.load(folder, { threads: 1 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringMatching(message) as string,
      details: { file },
    });
  });
});
