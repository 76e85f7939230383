/**
 * Adapters and merged models in the programs that they are for: peft loads ours and computes the same, we load peft's and
 * compute the same, and transformers loads what was merged. `peft_models.py` is the Python side.
 *
 * Its packages are gigabytes, so what they answered is kept in test/golden/peft.json, under a digest of the very bytes that they
 * were asked about: other bytes have no answer. With PYTHON=path/to/python3 (torch, transformers, peft) they are asked again
 * and must agree; RECORD=1 keeps the new answers.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import {
  type Adapter,
  createAdapter,
  decodePeft,
  encodePeft,
  LanguageModel,
  loadCheckpoint,
  mergeAdapter,
  PEFT_FILE,
  type TrainableSettings,
  trainableShapes,
} from '@seamstream/language-model';
import { seededTensor, writeGoldenModel } from '@seamstream/language-model/testing';

// A Python with torch for each question.
jest.setTimeout(300_000);

const RECORD = fileURLToPath(new URL('../golden/peft.json', import.meta.url));
const SCRIPT = fileURLToPath(new URL('peft_models.py', import.meta.url));
/** Float32 on both sides; logits are up to 10. */
const TOLERANCE = 1e-4;

const SIZES = {
  vocab_size: 96,
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
};
const MODELS = {
  llama: { ...SIZES, model_type: 'llama', tie_word_embeddings: false },
  qwen2: { ...SIZES, model_type: 'qwen2', tie_word_embeddings: true },
  qwen3: { ...SIZES, model_type: 'qwen3', head_dim: 16, tie_word_embeddings: true, attention_bias: true },
} as const;
const PROMPTS = [
  [5, 90, 33, 2, 61, 7, 7, 12],
  [80, 3, 41],
];
const ALL = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

/** What Python answered: logits after each prompt, and the files of an adapter that it made. */
interface Answer {
  readonly logits: number[][];
  readonly files?: { readonly config: string; readonly tensors: string };
}

let record: { versions: unknown; answers: Record<string, Answer> };
let folder: string;
const bases: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peft-'));
  record = JSON.parse(await readFile(RECORD, 'utf8')) as typeof record;
});
afterAll(async () => {
  if (process.env.RECORD === '1') await writeFile(RECORD, `${JSON.stringify(record)}\n`);
  await Promise.all([folder, ...bases].map((each) => rm(each, { recursive: true })));
});

/** Asks for logits; with settings, for an adapter as well, which then lies in the given folder. */
async function ask(model: string, adapter?: string, settings?: string): Promise<number[][]> {
  const given = [join(model, 'config.json'), join(model, 'model.safetensors')];
  if (adapter !== undefined && settings === undefined) {
    given.push(join(adapter, PEFT_FILE.config), join(adapter, PEFT_FILE.tensors));
  }
  const hash = createHash('sha256').update(JSON.stringify({ PROMPTS, settings }));
  for (const file of given) hash.update(await readFile(file));
  const question = hash.digest('hex');
  const answer = process.env.PYTHON ? await askPython(model, adapter, settings) : record.answers[question];
  if (!answer) {
    throw new Error(
      'These bytes are not those that peft was asked about. Run with PYTHON=… RECORD=1, and look at why they changed.',
    );
  }
  if (process.env.RECORD === '1') record.answers[question] = answer;
  const recorded = record.answers[question];
  recorded?.logits.flat().forEach((logit, at) => {
    expect(Math.abs(logit - answer.logits.flat()[at]!)).toBeLessThan(TOLERANCE);
  });
  if (adapter !== undefined && answer.files) {
    await mkdir(adapter, { recursive: true });
    await writeFile(join(adapter, PEFT_FILE.config), answer.files.config);
    await writeFile(join(adapter, PEFT_FILE.tensors), Buffer.from(answer.files.tensors, 'base64'));
  }
  return answer.logits;
}

async function askPython(model: string, adapter?: string, settings?: string): Promise<Answer> {
  const verb = settings === undefined ? 'logits' : 'make';
  const args = [SCRIPT, verb, model, ...[adapter, settings].filter((each) => each !== undefined)];
  const child = spawn(process.env.PYTHON!, args);
  child.stdin.end(JSON.stringify(PROMPTS));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (!output.startsWith('{'))
    throw new Error(`peft_models.py ${args.join(' ')} answered ${output}: ${errors.slice(-2000)}`);
  const { logits, versions } = JSON.parse(output) as { logits: number[][]; versions: unknown };
  record.versions = versions;
  if (settings === undefined) return { logits };
  const config = await readFile(join(adapter!, PEFT_FILE.config), 'utf8');
  return { logits, files: { config, tensors: (await readFile(join(adapter!, PEFT_FILE.tensors))).toString('base64') } };
}

/** ln π of every token after each prompt, from logits. */
const logProbabilities = (logits: readonly number[]): number[] => {
  const most = Math.max(...logits);
  const sum = Math.log(logits.reduce((total, value) => total + Math.exp(value - most), 0)) + most;
  return logits.map((value) => value - sum);
};

async function expectSame(modelFolder: string, adapter: Adapter | undefined, logits: number[][]): Promise<void> {
  const model = await LanguageModel.load(modelFolder, { threads: 1 });
  try {
    const asked = PROMPTS.flatMap((prompt) =>
      Array.from({ length: SIZES.vocab_size }, (_, id) => ({ tokenIds: [...prompt, id], targets: [prompt.length] })),
    );
    const got = (await model.logProbabilities(asked, adapter === undefined ? {} : { adapter })).map(
      ([value]) => value!,
    );
    const expected = logits.flatMap(logProbabilities);
    const distance = Math.max(...expected.map((value, index) => Math.abs(value - got[index]!)));
    expect(distance).toBeLessThan(TOLERANCE);
  } finally {
    await model.close();
  }
}

async function writeBase(name: keyof typeof MODELS): Promise<string> {
  const base = await writeGoldenModel(MODELS[name]);
  bases.push(base);
  return base;
}

describe.each(['llama', 'qwen2', 'qwen3'] as const)('an adapter of a %s model', (name) => {
  const isTied = MODELS[name].tie_word_embeddings;

  it('of ours is loaded by peft, and merged by us is loaded by transformers, with the same results', async () => {
    const base = await writeBase(name);
    const checkpoint = await loadCheckpoint(base);
    const settings: TrainableSettings = {
      kind: 'lora',
      rank: 3,
      alpha: 5,
      targetModules: ALL,
      modulesToSave: isTied ? ['embed_tokens'] : ['lm_head'],
      seed: 's',
    };
    const tensors = new Map(
      [...trainableShapes(checkpoint.config, settings)].map(([tensor, shape]) => {
        const { data } = seededTensor(`ours ${tensor}`, shape);
        return [tensor, { shape: [...shape], data: data.map((value) => value / 4) }] as const;
      }),
    );
    const adapter = createAdapter({ kind: 'lora', settings, baseModelDigest: checkpoint.digest, tensors });
    const files = encodePeft(adapter, checkpoint.config, 'a-base-model');
    const exported = join(folder, `${name}-ours`);
    await mkdir(exported);
    await writeFile(join(exported, PEFT_FILE.config), files.config);
    await writeFile(join(exported, PEFT_FILE.tensors), files.tensors);
    const withPeft = await ask(base, exported);
    await expectSame(base, adapter, withPeft);
    const merged = join(folder, `${name}-merged`);
    await mergeAdapter(checkpoint, adapter, merged);
    const withTransformers = await ask(merged);
    await expectSame(merged, undefined, withTransformers);
    await expectSame(base, adapter, withTransformers);
  });

  it.each([
    ['plain', { r: 4, lora_alpha: 7, lora_dropout: 0.1, target_modules: 'all-linear' }],
    ['rank-stabilised', { r: 4, lora_alpha: 2, use_rslora: true, target_modules: ['q_proj', 'up_proj'] }],
    [
      'with saved modules',
      {
        r: 2,
        lora_alpha: 4,
        target_modules: ['v_proj'],
        modules_to_save: isTied ? ['embed_tokens'] : ['embed_tokens', 'lm_head'],
        ensure_weight_tying: isTied,
      },
    ],
  ])('of peft (%s) is loaded by us with the same results', async (title, settings) => {
    const base = await writeBase(name);
    const made = join(folder, `${name}-${title}`);
    const expected = await ask(base, made, JSON.stringify(settings));
    const checkpoint = await loadCheckpoint(base);
    const content = decodePeft(
      { config: await readFile(join(made, PEFT_FILE.config)), tensors: await readFile(join(made, PEFT_FILE.tensors)) },
      checkpoint,
    );
    await expectSame(base, createAdapter(content), expected);
  });
});
