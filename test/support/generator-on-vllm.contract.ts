/** What the generator does on a vLLM server: one suite, for the real one (test/vllm) and for a stand-in over the engine (test/acceptance). */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { domainEntrySchema, parseEntry } from '@seamstream/experience';
import { generatorConfigSchema } from '@seamstream/generator';
import { Random } from '@seamstream/kernel';
import {
  type Adapter,
  createAdapter,
  type GeneratedSequence,
  LanguageModel,
  type TrainableSettings,
  trainableShapes,
} from '@seamstream/language-model';
import { openVllmGenerator } from '@seamstream/model-clients';
import { modelListSchema } from '@seamstream/openai-endpoint';
import { loadConfig } from '@seamstream/service-kit';
import { type JsonSchema } from '@seamstream/token-grammar';

/** A server under test; its model is called `base`, it wants {@link SERVER_KEY}, and takes adapters up to {@link SERVER_RANK}. */
export interface VllmUnderTest {
  /** Base address as a user writes it. */
  readonly url: string;
  readonly modelFolder: string;
  /** Kills it and starts it again at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const SERVER_KEY = 'a-key-of-the-test';
/** --max-lora-rank */
export const SERVER_RANK = 16;
/** --max-num-queued-reqs: more than the tests have under way, but for the one that fills the queue. */
export const SERVER_QUEUE = 24;
/** Nats of one token: another program computes the same sums in another order. */
const TOLERANCE = 1e-4;
/** Choices of words. */
export const WORDS = domainEntrySchema({
  concepts: { words: ['carry', 'borrow', 'count'] },
  strategy: { words: ['once', 'twice'] },
  pitfalls: { words: ['none', 'signs'] },
});
/** A free text. */
const TEXT: JsonSchema = {
  type: 'object',
  properties: { memory_item: { type: 'string', minLength: 1, maxLength: 12 } },
  required: ['memory_item'],
  additionalProperties: false,
};
const EXPLORING = { temperature: 1, topK: 0, topP: 1, maxTokens: 60 };
const LORA: TrainableSettings = {
  kind: 'lora',
  rank: 4,
  alpha: 8,
  targetModules: ['q_proj', 'v_proj', 'down_proj'],
  modulesToSave: [],
  seed: 's',
};

/** The variables of a generator on a server. */
export function variablesFor({ url, modelFolder }: VllmUnderTest, folder: string): Record<string, string> {
  process.env.VLLM_TEST_KEY = SERVER_KEY;
  return {
    SEAM_LOGGING_LEVEL: 'silent',
    SEAM_GENERATOR_DRIVER: 'vllm',
    SEAM_GENERATOR_MODEL_FOLDER: modelFolder,
    SEAM_GENERATOR_VLLM_URL: url,
    SEAM_GENERATOR_VLLM_MODEL: 'base',
    SEAM_GENERATOR_VLLM_KEY_VARIABLE: 'VLLM_TEST_KEY',
    SEAM_GENERATOR_VLLM_ADAPTERS_FOLDER: join(folder, 'adapters'),
    SEAM_GENERATOR_VLLM_CONCURRENCY: '8',
  };
}

/** The suite. `start` is called once. */
export function generatorOnVllm(start: () => Promise<VllmUnderTest>): void {
  let folder: string;
  let model: LanguageModel;
  let server: VllmUnderTest;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vllm-generator-'));
    server = await start();
    model = await LanguageModel.load(server.modelFolder, { threads: 2 });
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  afterAll(async () => {
    await model.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (changes: Record<string, string> = {}) => {
    const { generator } = loadConfig(generatorConfigSchema, { ...variablesFor(server, folder), ...changes });
    const { model: opened, close } = await openVllmGenerator(generator, process.env);
    closers.push(close);
    return opened;
  };

  /** With random factors, so that it changes what is computed. `scale` 0: one that changes nothing. */
  const adapterNamed = (name: string, { scale = 0.1, rank = 4 } = {}): Adapter => {
    const settings = { ...LORA, rank };
    const tensors = new Map(
      [...trainableShapes(model.config, settings)].map(([tensor, shape]) => {
        const random = Random.of('adapter', name, tensor);
        const size = shape.reduce((total, length) => total * length, 1);
        const data = Float32Array.from({ length: size }, () => scale * random.normal());
        return [tensor, { shape: [...shape], data }];
      }),
    );
    return createAdapter({ kind: 'lora', settings, baseModelDigest: model.digest, tensors });
  };

  const asked = async (path: string, body?: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${SERVER_KEY}`, 'content-type': 'application/json' };
    const options = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const text = await (await fetch(`${server.url}/${path}`, options)).text();
    return path === 'models' ? JSON.parse(text) : text;
  };
  const loadedNames = async (): Promise<string[]> =>
    modelListSchema.parse(await asked('models')).data.flatMap(({ id }) => (id === 'base' ? [] : [id]));
  const unloadAll = async (): Promise<void> => {
    for (const name of await loadedNames()) await asked('unload_lora_adapter', { lora_name: name });
  };

  const requestFor = (prompt: string, seeds: readonly string[], schema: JsonSchema = WORDS) => ({
    promptTokenIds: model.tokenizer.encode(prompt),
    seeds,
    sampling: EXPLORING,
    schema,
  });

  /** Largest difference to what the engine gives the free tokens of a candidate under the grammar. */
  const apart = async (
    { promptTokenIds, schema }: ReturnType<typeof requestFor>,
    { tokenIds, forced, logProbs }: GeneratedSequence,
    adapter?: Adapter,
  ): Promise<number> => {
    const start = promptTokenIds.length;
    const free = tokenIds.flatMap((_, at) => (forced[at] === true ? [] : [at]));
    const sequence = {
      tokenIds: [...promptTokenIds, ...tokenIds],
      targets: free.map((at) => start + at),
      schema,
      continuationStart: start,
      maxTokens: EXPLORING.maxTokens,
    };
    const [expected] = await model.logProbabilities([sequence], adapter === undefined ? {} : { adapter });
    expect(free.length).toBeGreaterThan(0);
    return Math.max(...free.map((at, index) => Math.abs(logProbs[at]! - expected![index]!)));
  };

  it.each([
    ['choices of words', WORDS],
    ['a free text', TEXT],
  ])(
    'writes %s under the grammar, with the probabilities that the trainer forms its ratios under',
    async (_, schema) => {
      const generator = await open();
      const request = requestFor('What is two?', ['1', '2', '3'], schema);
      for (const adapter of [undefined, adapterNamed('a')]) {
        const options = adapter === undefined ? {} : { adapter };
        const [candidates] = await generator.generate([request], options);
        const [again] = await generator.generate([request], options);
        expect(again!.map(({ tokenIds }) => tokenIds)).toEqual(candidates!.map(({ tokenIds }) => tokenIds));
        for (const candidate of candidates!) {
          expect(candidate.finishReason).toBe('completed');
          const text = generator.tokenizer.decode(candidate.tokenIds);
          if (schema === WORDS) expect(() => parseEntry(text, schema)).not.toThrow();
          else expect((JSON.parse(text) as { memory_item: string }).memory_item.length).toBeGreaterThan(0);
          expect(await apart(request, candidate, adapter)).toBeLessThan(TOLERANCE);
          expect(candidate.logProbs.filter((each, at) => candidate.forced[at] && each !== 0)).toEqual([]);
        }
      }
    },
  );

  it('draws as often as the engine says: the first words of many candidates', async () => {
    const generator = await open();
    const seeds = Array.from({ length: 60 }, (_, i) => `s${i}`);
    const [candidates] = await generator.generate([requestFor('Try', seeds)]);
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

  it('is greedy at temperature 0, as the engine is', async () => {
    const generator = await open();
    const request = { ...requestFor('one and one', ['x']), sampling: { ...EXPLORING, temperature: 0 } };
    const [[there], [here]] = [(await generator.generate([request]))[0]!, (await model.generate([request]))[0]!];
    expect([there!.tokenIds, there!.forced]).toEqual([here!.tokenIds, here!.forced]);
  });

  it('loads adapters by digest, keeps two, and gives one again to a server that has lost it', async () => {
    await unloadAll();
    const generator = await open();
    const [a, b, c] = [adapterNamed('a'), adapterNamed('b'), adapterNamed('c')];
    const request = requestFor('x', ['1']);
    const [[first]] = (await generator.generate([request], { adapter: a })) as [[GeneratedSequence]];
    await generator.generate([request], { adapter: b });
    await generator.generate([request], { adapter: c });
    const names = [`seam-${b.digest}`, `seam-${c.digest}`];
    while ((await loadedNames()).length > 2) await pause(20);
    expect(await loadedNames()).toEqual(names);
    expect(await readdir(join(folder, 'adapters'))).toEqual(expect.arrayContaining(names));
    await unloadAll();
    const [[again]] = (await generator.generate([request], { adapter: a })) as [[GeneratedSequence]];
    expect(again.tokenIds).toEqual(first.tokenIds);
    expect(await apart(request, again, a)).toBeLessThan(TOLERANCE);
  });

  it('swaps adapters under load: every candidate is of one adapter, and none fails', async () => {
    const generator = await open();
    const adapters = ['a', 'b', 'c'].map((name) => adapterNamed(name));
    // What is under way with one adapter continues while the next ones are promoted.
    const batches: Promise<readonly { request: ReturnType<typeof requestFor>; adapter: Adapter }[]>[] = [];
    let worst = 0;
    for (let promotion = 0; promotion < 9; promotion++) {
      const adapter = adapters[promotion % adapters.length]!;
      const request = requestFor(`load ${promotion}`, ['1', '2', '3', '4']);
      batches.push(
        generator.generate([request], { adapter }).then(async ([candidates]) => {
          for (const candidate of candidates!) worst = Math.max(worst, await apart(request, candidate, adapter));
          return candidates!.map(() => ({ request, adapter }));
        }),
      );
      await pause(100);
    }
    expect((await Promise.all(batches)).flat()).toHaveLength(36);
    expect(worst).toBeLessThan(TOLERANCE);
  });

  it('waits while the queue of the server is full, and loses nothing', async () => {
    const generator = await open({ SEAM_GENERATOR_VLLM_CONCURRENCY: String(4 * SERVER_QUEUE) });
    const request = requestFor(
      'many',
      Array.from({ length: 4 * SERVER_QUEUE }, (_, i) => `q${i}`),
    );
    const [candidates] = await generator.generate([request]);
    expect(new Set(candidates!.map(({ finishReason }) => finishReason))).toEqual(new Set(['completed']));
    expect(await apart(request, candidates![0]!)).toBeLessThan(TOLERANCE);
  });

  it('continues where it was when the server is killed and started again', async () => {
    const generator = await open({ SEAM_GENERATOR_VLLM_PATIENCE_MS: '900000' });
    const adapter = adapterNamed('a');
    const request = requestFor('still here?', ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']);
    const begun = Promise.withResolvers<unknown>();
    const written = generator.generate([request], { adapter, onProgress: begun.resolve });
    await begun.promise;
    await server.restart();
    const [candidates] = await written;
    for (const candidate of candidates!) expect(await apart(request, candidate, adapter)).toBeLessThan(TOLERANCE);
  });

  it('refuses an adapter of more rank than the server takes, and one that changes nothing', async () => {
    const generator = await open();
    for (const [adapter, reason] of [
      [adapterNamed('large', { rank: 2 * SERVER_RANK }), /LoRA rank 32 is greater than max_lora_rank 16/],
      [adapterNamed('nothing', { scale: 0 }), /The adapter changes nothing/],
    ] as const) {
      const proof = generator.prove(adapter, await model.fingerprint(adapter));
      await expect(proof).rejects.toMatchObject({ code: 'ADAPTER_INVALID', message: expect.stringMatching(reason) });
    }
    // The server is as it was.
    expect(await generator.generate([requestFor('x', ['1'])], { adapter: adapterNamed('a') })).toHaveLength(1);
  });

  it('finds a stale adapter by its fingerprint, and serves what was meant under another name', async () => {
    await unloadAll();
    const [adapter, other] = [adapterNamed('a'), adapterNamed('b')];
    const request = requestFor('stale', ['1', '2']);
    await (await open()).generate([request], { adapter: other });
    await unloadAll();
    // Under the digest of the one the server has the weights of the other.
    const [name, written] = [`seam-${adapter.digest}`, join(folder, 'adapters', `seam-${other.digest}`)];
    await asked('load_lora_adapter', { lora_name: name, lora_path: written });
    const generator = await open();
    await expect(generator.prove(adapter, await model.fingerprint(adapter))).resolves.toBeUndefined();
    expect(await loadedNames()).toEqual([`${name}-anew`]);
    const [candidates] = await generator.generate([request], { adapter });
    for (const candidate of candidates!) expect(await apart(request, candidate, adapter)).toBeLessThan(TOLERANCE);
  });

  it('quarantines an adapter that answers otherwise than its promotion says, also under another name', async () => {
    await unloadAll();
    const [generator, adapter] = [await open(), adapterNamed('a')];
    const fingerprint = await model.fingerprint(adapterNamed('b'));
    await expect(generator.prove(adapter, fingerprint)).rejects.toThrow(/expected answers within 0.001/);
    expect((await loadedNames()).filter((name) => name.includes(adapter.digest))).toEqual([]);
    await expect(generator.generate([requestFor('x', ['1'])], { adapter })).rejects.toMatchObject({
      code: 'ADAPTER_INVALID',
      details: { halts: true },
    });
  });

  it('is refused at the start where the server knows another model or another key', async () => {
    await expect(open({ SEAM_GENERATOR_VLLM_MODEL: 'other' })).rejects.toThrow(/a model called other, it serves base/);
    await expect(open({ SEAM_GENERATOR_VLLM_KEY_VARIABLE: 'PATH' })).rejects.toThrow(/the key is refused/);
  });

  it('is what "seam eval" measures the entries of', async () => {
    const [problems, schemas] = [join(folder, 'problems.jsonl'), join(folder, 'schemas.json')];
    const verifier = { kind: 'exact', version: '1', options: {} };
    const problem = { problemId: 'a', domain: 'sums', prompt: 'What is a?', reference: '4', verifier, metadata: {} };
    await writeFile(problems, `${JSON.stringify(problem)}\n`);
    await writeFile(schemas, JSON.stringify({ sums: WORDS }));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['apps/cli/bin/seam.js', 'eval', problems, '--adapter', 'base', '--arms', 'untrained', '--json'],
      {
        env: {
          ...process.env,
          ...variablesFor(server, folder),
          SEAM_DATA_FOLDER: join(folder, 'data'),
          SEAM_ENTRY_SCHEMAS: schemas,
          SEAM_EXECUTOR_MODEL_FOLDER: server.modelFolder,
          SEAM_EXECUTOR_MAX_TOKENS: '8',
        },
      },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      baseModelDigest: model.digest,
      arms: { untrained: { problems: 1, failed: 0 } },
    });
  });
}
