/** The generator on a server that speaks vLLM's protocol (test/support/vllm-server.ts, over the engine; vLLM itself was not run). */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { domainEntrySchema, loadPrompts, parseEntry } from '@seamstream/experience';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { derivedId, Random } from '@seamstream/kernel';
import {
  type Adapter,
  checkpointShapes,
  createAdapter,
  type GeneratedSequence,
  LanguageModel,
  type ModelConfig,
  saveCheckpoint,
  trainableShapes,
} from '@seamstream/language-model';
import { openVllmGenerator } from '@seamstream/model-clients';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { loadConfig, startService } from '@seamstream/service-kit';
import { type JsonSchema } from '@seamstream/token-grammar';
import { trainByteLevelBpe } from '@seamstream/tokenizer';
import { VllmServer } from '../support/vllm-server.js';

const KEY = 'a-key-of-the-test';
const CONFIG: ModelConfig = {
  family: 'llama',
  vocabularySize: 300,
  hiddenSize: 32,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headDimension: 16,
  intermediateSize: 48,
  ropeTheta: 10000,
  rmsNormEpsilon: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  queryKeyNorm: false,
  maxPositions: 256,
};
/** Choices of words, and a free text. */
const WORDS = domainEntrySchema({
  concepts: { words: ['carry', 'borrow', 'count'] },
  strategy: { words: ['once', 'twice'] },
  pitfalls: { words: ['none', 'signs'] },
});
const TEXT: JsonSchema = {
  type: 'object',
  properties: { memory_item: { type: 'string', minLength: 1, maxLength: 12 } },
  required: ['memory_item'],
  additionalProperties: false,
};
const EXPLORING = { temperature: 1, topK: 0, topP: 1, maxTokens: 60 };
const LORA = {
  kind: 'lora',
  rank: 4,
  alpha: 8,
  targetModules: ['q_proj', 'v_proj', 'down_proj'],
  modulesToSave: [],
  seed: 's',
} as const;

let folder: string;
let model: LanguageModel;
let server: VllmServer;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  process.env.VLLM_TEST_KEY = KEY;
  folder = await mkdtemp(join(tmpdir(), 'vllm-model-'));
  const tensors = new Map(
    [...checkpointShapes(CONFIG)].map(([name, shape]) => {
      const random = Random.of('vllm model', name);
      const size = shape.reduce((total, length) => total * length, 1);
      const centre = name.includes('norm') ? 1 : 0;
      const spread = name.includes('embed') ? 0.3 : 1 / Math.sqrt(shape.at(-1)!);
      const data = Float32Array.from({ length: size }, () => centre + spread * random.normal());
      return [name, { shape: [...shape], data }];
    }),
  );
  const tokenizer = trainByteLevelBpe(
    ['{"concepts":["carry"],"strategy":["once"],"pitfalls":["none"]}', '{"memory_item":"Count twice."}'],
    CONFIG.vocabularySize,
    ['<|end|>'],
  );
  await saveCheckpoint(folder, { config: CONFIG, tensors, generation: { eosTokenIds: [0] }, tokenizer });
  model = await LanguageModel.load(folder, { threads: 2 });
  server = await VllmServer.start(model, 'base');
});

afterAll(async () => {
  for (const close of closers) await close();
  await server.http.stop();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

const variables = (changes: Record<string, string> = {}): Record<string, string> => ({
  SEAM_LOGGING_LEVEL: 'silent',
  SEAM_GENERATOR_DRIVER: 'vllm',
  SEAM_GENERATOR_MODEL_FOLDER: folder,
  SEAM_GENERATOR_VLLM_URL: server.http.url,
  SEAM_GENERATOR_VLLM_MODEL: 'base',
  SEAM_GENERATOR_VLLM_KEY_VARIABLE: 'VLLM_TEST_KEY',
  SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: join(folder, 'adapters'),
  SEAM_GENERATOR_VLLM_PATIENCE_MS: '200',
  ...changes,
});

async function open(changes: Record<string, string> = {}) {
  const { generator } = loadConfig(generatorConfigSchema, variables(changes));
  const { model: opened, close } = await openVllmGenerator(generator, process.env);
  closers.push(close);
  return opened;
}

/** A LoRA adapter with random factors, so that it changes what is computed. `scale` 0: one that changes nothing. */
function adapterNamed(seed: string, scale = 0.3): Adapter {
  const tensors = new Map(
    [...trainableShapes(CONFIG, LORA)].map(([name, shape]) => {
      const random = Random.of('adapter', seed, name);
      const size = shape.reduce((total, length) => total * length, 1);
      return [name, { shape: [...shape], data: Float32Array.from({ length: size }, () => scale * random.normal()) }];
    }),
  );
  return createAdapter({ kind: 'lora', settings: LORA, baseModelDigest: model.digest, tensors });
}

/** What the engine gives the free tokens of a candidate under the grammar. */
async function scored(
  promptTokenIds: readonly number[],
  { tokenIds, forced }: GeneratedSequence,
  schema: JsonSchema,
  adapter?: Adapter,
): Promise<number[]> {
  const start = promptTokenIds.length;
  const targets = tokenIds.flatMap((_, at) => (forced[at] ? [] : [start + at]));
  const sequence = {
    tokenIds: [...promptTokenIds, ...tokenIds],
    targets,
    schema,
    continuationStart: start,
    maxTokens: EXPLORING.maxTokens,
  };
  const [logProbs] = await model.logProbabilities([sequence], adapter === undefined ? {} : { adapter });
  return logProbs!;
}

describe("a generator that speaks vLLM's protocol", () => {
  it.each([
    ['choices of words', WORDS],
    ['a free text', TEXT],
  ])(
    'writes %s under the grammar, with the probabilities that the trainer forms its ratios under',
    async (_, schema) => {
      const generator = await open();
      const promptTokenIds = generator.tokenizer.encode('What is two?');
      const request = { promptTokenIds, seeds: ['1', '2', '3'], sampling: EXPLORING, schema };
      for (const adapter of [undefined, adapterNamed('a')]) {
        const options = adapter === undefined ? {} : { adapter };
        const [candidates] = await generator.generate([request], options);
        expect(await generator.generate([request], options)).toEqual([candidates]);
        for (const candidate of candidates!) {
          expect(candidate.finishReason).toBe('completed');
          const text = generator.tokenizer.decode(candidate.tokenIds);
          if (schema === WORDS) expect(() => parseEntry(text, schema)).not.toThrow();
          else expect((JSON.parse(text) as { memory_item: string }).memory_item.length).toBeGreaterThan(0);
          const free = candidate.logProbs.filter((_each, at) => !candidate.forced[at]);
          const expected = await scored(promptTokenIds, candidate, schema, adapter);
          expect(free.length).toBeGreaterThan(0);
          free.forEach((logProb, at) => expect(Math.abs(logProb - expected[at]!)).toBeLessThan(1e-4));
          expect(candidate.logProbs.filter((each, at) => candidate.forced[at] && each !== 0)).toEqual([]);
        }
      }
    },
  );

  it('draws as often as the engine says: the first words of many candidates', async () => {
    const generator = await open();
    const promptTokenIds = generator.tokenizer.encode('Try');
    const seeds = Array.from({ length: 60 }, (_, i) => `s${i}`);
    const [candidates] = await generator.generate([{ promptTokenIds, seeds, sampling: EXPLORING, schema: WORDS }]);
    const firsts = candidates!.map((candidate) => {
      const at = candidate.forced.indexOf(false);
      return { id: candidate.tokenIds[at]!, p: Math.exp(candidate.logProbs[at]!) };
    });
    for (const { id, p } of firsts) {
      const share = firsts.filter((each) => each.id === id).length / firsts.length;
      // Four standard deviations of a binomial share.
      expect(Math.abs(share - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / firsts.length) + 1e-9);
    }
  });

  it('is greedy where it is told to, as the engine is', async () => {
    const generator = await open();
    const request = {
      promptTokenIds: generator.tokenizer.encode('one and one'),
      seeds: ['x'],
      sampling: { ...EXPLORING, temperature: 0 },
      schema: WORDS,
    };
    const [[there], [here]] = [(await generator.generate([request]))[0]!, (await model.generate([request]))[0]!];
    expect([there!.tokenIds, there!.forced]).toEqual([here!.tokenIds, here!.forced]);
  });

  it('loads adapters by name, keeps two, and gives one again to a server that was started anew', async () => {
    const generator = await open();
    const [a, b, c] = [adapterNamed('a'), adapterNamed('b'), adapterNamed('c')];
    const request = {
      promptTokenIds: generator.tokenizer.encode('x'),
      seeds: ['1'],
      sampling: EXPLORING,
      schema: WORDS,
    };
    server.adapters.clear();
    const first = await generator.generate([request], { adapter: a });
    await generator.generate([request], { adapter: b });
    await generator.generate([request], { adapter: c });
    expect([...server.adapters.keys()]).toEqual([`seam-${b.digest}`, `seam-${c.digest}`]);
    expect((await readdir(join(folder, 'adapters'))).sort()).toEqual([...server.adapters.keys()].sort());
    // The digest is over the content: the server holds what was meant.
    expect([...server.adapters.values()].map(({ digest }) => digest)).toEqual([b.digest, c.digest]);
    server.adapters.clear();
    expect(await generator.generate([request], { adapter: a })).toEqual(first);
    await expect(generator.prove(c)).resolves.toBeUndefined();
    await expect(generator.prove(adapterNamed('nothing', 0))).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
  });

  it('is refused at the start where the server is another one, or tells other probabilities', async () => {
    await expect(open({ SEAM_GENERATOR_VLLM_MODEL: 'other' })).rejects.toThrow(/a model called other, it serves base/);
    server.logprobsMode = 'raw';
    await expect(open()).rejects.toThrow(/--logprobs-mode processed_logprobs/);
    server.logprobsMode = 'processed';
    const lacking = { ...variables(), SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: undefined };
    expect(() => loadConfig(generatorConfigSchema, lacking)).toThrow(/SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: expected a/);
    const generator = await open();
    await expect(
      generator.generate([
        { promptTokenIds: [1], seeds: ['1'], sampling: { ...EXPLORING, temperature: 0.7 }, schema: WORDS },
      ]),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });

  it('is what "seam eval" measures the entries of', async () => {
    const [problems, schemas] = [join(folder, 'problems.jsonl'), join(folder, 'schemas.json')];
    const event = problem('a') as EventOf<'ProblemPublished'>;
    await writeFile(problems, `${JSON.stringify(event.problem)}\n`);
    await writeFile(schemas, JSON.stringify({ sums: WORDS }));
    const asked = server.http.seen.length;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['apps/cli/bin/seam.js', 'eval', problems, '--adapter', 'base', '--arms', 'untrained', '--json'],
      {
        env: {
          ...process.env,
          ...variables({
            SEAM_DATA_FOLDER: join(folder, 'data'),
            SEAM_ENTRY_SCHEMAS: schemas,
            SEAM_EXECUTOR_MODEL_FOLDER: folder,
            SEAM_EXECUTOR_MAX_TOKENS: '8',
          }),
        },
      },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      baseModelDigest: model.digest,
      arms: { untrained: { problems: 1, failed: 0 } },
    });
    expect(server.http.seen.length).toBeGreaterThan(asked + 2);
  });

  it("is the service's generator: groups are written, and a refused key stops it without a problem being lost", async () => {
    const log = new InMemoryEventLog();
    await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
    const publish = (id: string) => log.append([encodeEvent(problem(id))]);
    await publish('a');
    const serve = async () =>
      startService(generatorService({ schemaFor: () => WORDS, prompts: await loadPrompts() }), {
        config: loadConfig(
          generatorConfigSchema,
          variables({ SEAM_GENERATOR_GROUP_SIZE: '3', SEAM_GENERATOR_CONTROL_SHARE: '0' }),
        ),
        drivers: { log, objects: new InMemoryObjectStore() },
        serveHttp: false,
      });
    const service = await serve();
    expect(await experiences(log, 3)).toMatchObject(
      [0, 1, 2].map((candidateIndex) => ({ candidateIndex, groupSize: 3, baseModelDigest: model.digest })),
    );
    const behave = server.http.behave;
    server.http.behave = () => ({ kind: 'answer', status: 401, body: {} });
    const ended = expect(service.ended).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await publish('b');
    await ended;
    await service.close();
    server.http.behave = behave;
    const again = await serve();
    expect(await experiences(log, 6)).toHaveLength(6);
    await again.close();
  });
});

function problem(id: string): SeamEvent {
  return {
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task: null,
    meta: originMeta({
      messageId: derivedId(id, 'problem'),
      correlationId: id,
      source: 'test',
      occurredAt: 1,
      sourceClass: 'user',
    }),
    problem: {
      problemId: id,
      domain: 'sums',
      prompt: `What is ${id}?`,
      reference: '4',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    mode: 'explore',
    expiresAt: null,
  };
}

async function experiences(log: InMemoryEventLog, count: number): Promise<SeamEvent[]> {
  for (const giveUp = Date.now() + 30_000; ; ) {
    const events: SeamEvent[] = [];
    for await (const chunk of log.read({ topic: TOPIC.experiences, partition: 0, from: 0 }))
      events.push(...chunk.map(decodeEvent));
    if (events.length >= count) return events;
    if (Date.now() > giveUp) throw new Error(`${events.length} of ${count} experiences within 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
