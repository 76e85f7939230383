/** The executor behind a server that others wrote: llama.cpp's, over a random checkpoint that the engine here computes too. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ModelServer, startLlamaServer } from '@seamstream/dev-servers';
import type { ExecutorModel } from '@seamstream/environments';
import { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import { executorConfigSchema, executorService } from '@seamstream/executor';
import { loadPrompts } from '@seamstream/experience';
import { derivedId, Random } from '@seamstream/kernel';
import { checkpointShapes, type ModelConfig, saveCheckpoint } from '@seamstream/language-model';
import { type OpenedExecutor, openExecutor } from '@seamstream/model-clients';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { createServiceLogger, loadConfig, startService } from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type TokenizerJson, trainByteLevelBpe } from '@seamstream/tokenizer';
import { createTrainer, type TrainerAssets, trainerConfigSchema } from '@seamstream/trainer';

const KEY = 'a-key-of-the-test';
const EXAMPLE = EXAMPLE_EVENTS.ExperienceWithheld;
const EXACT = { kind: 'exact', version: '1', options: {} };
const ENVIRONMENT = { TINY_KEY: KEY };
const MAX_TOKENS = 24;
const CONFIG: ModelConfig = {
  family: 'qwen2',
  vocabularySize: 300,
  hiddenSize: 64,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headDimension: 16,
  intermediateSize: 96,
  ropeTheta: 10000,
  rmsNormEpsilon: 1e-5,
  tieWordEmbeddings: false,
  attentionBias: true,
  queryKeyNorm: false,
  maxPositions: 512,
};
const PROMPTS = [
  'What is two and two?',
  'red orange blue',
  'The answer is',
  'Experience:\n{"concepts":["carry"]}\nSolution:',
  'one plus one',
  'Solve 17 * 23 step by step.',
  'x',
  'yellow berry',
  'How many days has a week?',
  'Count the letters.',
];

let folder: string;
let server: ModelServer;
const opened: OpenedExecutor[] = [];

const variables = (changes: Record<string, string> = {}): Record<string, string> => ({
  SEAM_LOGGING_LEVEL: 'silent',
  SEAM_EXECUTOR_DRIVER: 'endpoint',
  SEAM_EXECUTOR_ENDPOINT_URL: server.url,
  SEAM_EXECUTOR_ENDPOINT_MODEL: 'tiny',
  SEAM_EXECUTOR_ENDPOINT_KEY_VARIABLE: 'TINY_KEY',
  SEAM_EXECUTOR_ENDPOINT_PATIENCE_MS: '500',
  SEAM_EXECUTOR_MAX_TOKENS: String(MAX_TOKENS),
  ...changes,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'served-model-'));
  await writeModel(folder);
  server = await startLlamaServer(folder, 'tiny', KEY);
}, 600_000);

afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("llama.cpp's server as the executor", () => {
  it('answers as the engine does over the same checkpoint: text, end and tokens', async () => {
    const [there, here] = await Promise.all([
      open(),
      open({ SEAM_EXECUTOR_MODEL_FOLDER: folder, SEAM_EXECUTOR_MAX_TOKENS: String(MAX_TOKENS) }),
    ]);
    const expected = await here.answer(PROMPTS);
    const ends = expected.map((answer) => answer.status === 'answered' && answer.finished);
    expect([ends.includes(true), ends.includes(false)]).toEqual([true, true]);
    expect(await there.answer(PROMPTS)).toEqual(expected);
    expect(there.identity).toEqual({
      model: 'tiny',
      revision: expect.stringMatching(/\/models@[0-9a-f]{16}$/),
      decoding: `{"maxTokens":${MAX_TOKENS},"temperature":0,"topP":1}`,
    });
  });

  it('draws what its seed says', async () => {
    const executor = await open();
    const draw = (seeds: readonly string[]) =>
      executor.sample!([{ prompt: PROMPTS[0]!, seeds }], { temperature: 1, topP: 1 });
    const [[a, b, c], [again]] = [(await draw(['1', '2', '3']))[0]!, (await draw(['1']))[0]!];
    expect(again).toEqual(a);
    expect(new Set([a, b, c].map((answer) => JSON.stringify(answer))).size).toBe(3);
  });

  it('refuses a prompt that is too long, alone', async () => {
    const [long, short] = await (await open()).answer(['x '.repeat(2000), 'x']);
    expect(long).toMatchObject({ status: 'failed', code: 'PROMPT_TOO_LONG', retryable: false });
    expect(short).toMatchObject({ status: 'answered' });
  });

  it('refuses another key, which is said at the start without the key', async () => {
    const refused = open(variables(), { TINY_KEY: 'another-key' });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('Correct TINY_KEY'),
    });
    await expect(refused).rejects.not.toThrow(/another-key/);
  });

  it('is killed and comes back: an outage in between, the same answers after it', async () => {
    const executor = await open();
    const before = await executor.answer([PROMPTS[1]!]);
    await server.kill();
    expect(await executor.answer([PROMPTS[2]!])).toMatchObject([{ code: 'ENDPOINT_UNAVAILABLE', retryable: true }]);
    await server.restart();
    expect(await executor.answer([PROMPTS[2]!])).toMatchObject([{ status: 'answered' }]);
    expect(await (await open()).answer([PROMPTS[1]!])).toEqual(before);
  });

  it("is the service's executor: what it answers is judged and recorded, with its identity", async () => {
    process.env.TINY_KEY = KEY;
    const log = new InMemoryEventLog();
    await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
    const own = await (await open()).answer(['What is two?\nSolution:']);
    const reference = (own[0] as { text: string }).text.trim();
    const problem = (id: string, of: string): EventOf<'ExperienceWithheld'> => ({
      ...EXAMPLE,
      meta: { ...EXAMPLE.meta, messageId: derivedId(id, 'experience'), correlationId: id },
      problem: { ...EXAMPLE.problem, problemId: id, prompt: 'What is two?', reference: of, verifier: EXACT },
      experienceId: `x-${id}`,
      groupId: `g-${id}`,
    });
    await log.append([problem('right', reference), problem('wrong', 'something else')].map(encodeEvent));
    const service = await startService(executorService(), {
      config: loadConfig(executorConfigSchema, variables()),
      drivers: { log, objects: new InMemoryObjectStore() },
      serveHttp: false,
    });
    try {
      const events: EventOf<'OutcomeRecorded'>[] = [];
      for (const giveUp = Date.now() + 20_000; events.length < 2 && Date.now() < giveUp; ) {
        events.length = 0;
        for await (const chunk of log.read({ topic: TOPIC.outcomes, partition: 0, from: 0 }))
          events.push(...chunk.map((record) => decodeEvent(record) as EventOf<'OutcomeRecorded'>));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(events).toMatchObject([
        { type: 'OutcomeRecorded', response: (own[0] as { text: string }).text, executor: { model: 'tiny' } },
        { type: 'OutcomeRecorded', reward: 0, executor: { model: 'tiny' } },
      ]);
    } finally {
      await service.close();
    }
  });

  it('compares adapters for a trainer that is configured so', async () => {
    const closers: (() => Promise<void>)[] = [];
    const train = (key: string, assets: Pick<TrainerAssets, 'evaluates'> = {}) => {
      process.env.TINY_KEY = key;
      const config = loadConfig(trainerConfigSchema, {
        SEAM_LOGGING_LEVEL: 'silent',
        SEAM_TRAINER_MODEL_FOLDER: folder,
        SEAM_TRAINER_EXECUTOR_DRIVER: 'endpoint',
        SEAM_TRAINER_EXECUTOR_ENDPOINT_URL: server.url,
        SEAM_TRAINER_EXECUTOR_ENDPOINT_MODEL: 'tiny',
        SEAM_TRAINER_EXECUTOR_ENDPOINT_KEY_VARIABLE: 'TINY_KEY',
      });
      const context = {
        config,
        drivers: { log: new InMemoryEventLog(), objects: new InMemoryObjectStore() },
        logger: createServiceLogger('test', 'silent'),
        onClose: (close: () => Promise<void>) => void closers.push(close),
      };
      return createTrainer(context, { validation: { name: 'none', problems: [] }, ...assets });
    };
    await expect(train('another-key')).rejects.toThrow('Correct TINY_KEY');
    // What makes a run again asks no executor, so it may be gone.
    await expect(train('another-key', { evaluates: false })).resolves.toBeDefined();
    await expect(train(KEY)).resolves.toBeDefined();
    for (const close of closers) await close();
  });

  it('is what "seam eval" measures', async () => {
    const problems = join(folder, 'problems.jsonl');
    const lines = PROMPTS.slice(0, 4).map((prompt, i) =>
      JSON.stringify({
        problemId: `p${i}`,
        domain: 'sums',
        prompt,
        reference: '4',
        verifier: { kind: 'exact', version: '1', options: {} },
        metadata: {},
      }),
    );
    await writeFile(problems, `${lines.join('\n')}\n`);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['apps/cli/bin/seam.js', 'eval', problems, '--adapter', 'base', '--arms', 'noExperience', '--json'],
      {
        env: {
          ...process.env,
          ...variables({ SEAM_GENERATOR_MODEL_FOLDER: folder, SEAM_DATA_FOLDER: join(folder, 'data') }),
          ...ENVIRONMENT,
        },
      },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      problems: 4,
      arms: { noExperience: { problems: 4, failed: 0 } },
      executor: { model: 'tiny', revision: expect.stringMatching(/models@/) },
    });
  });
});

/** Random weights; what is written is printable, since servers differ in what they make of broken UTF-8. */
async function writeModel(target: string): Promise<void> {
  const tokenizer: TokenizerJson = trainByteLevelBpe([...PROMPTS, 'red orange yellow blue berry'], 300, ['<|end|>']);
  const isWritten = new Set([0, ...idsOf(tokenizer, /^[\x21-\x7eĠ]+$/)]);
  const tensors = new Map(
    [...checkpointShapes(CONFIG)].map(([name, shape]) => {
      const random = Random.of('served model', name);
      const size = shape.reduce((total, length) => total * length, 1);
      const centre = name.includes('norm') ? 1 : 0;
      const spread = name.includes('embed') ? 0.5 : 1 / Math.sqrt(shape.at(-1)!);
      const data = Float32Array.from({ length: size }, () => centre + spread * random.normal());
      if (name.startsWith('lm_head')) {
        const width = shape[1]!;
        for (let id = 0; id < shape[0]!; id++) if (!isWritten.has(id)) data.fill(0, id * width, (id + 1) * width);
        for (let i = 0; i < width; i++) data[i]! *= 1.4; // some answers end by themselves
      }
      return [name, { shape: [...shape], data }];
    }),
  );
  await saveCheckpoint(target, { config: CONFIG, tensors, generation: { eosTokenIds: [0] }, tokenizer });
}

function idsOf(tokenizer: TokenizerJson, pattern: RegExp): number[] {
  return Object.entries(tokenizer.model.vocab).flatMap(([text, id]) => (pattern.test(text) ? [id] : []));
}

async function open(settings = variables(), environment = ENVIRONMENT): Promise<ExecutorModel> {
  const { executor } = loadConfig(executorConfigSchema, settings);
  const result = await openExecutor(executor, { environment, prompts: await loadPrompts() });
  opened.push(result);
  return result.model;
}
