/** What the generator on vLLM does when its server fails; what it draws is compared with the engine in test/acceptance/generator-vllm.spec.ts. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random, systemClock } from '@seamstream/kernel';
import {
  type Adapter,
  checkpointShapes,
  createAdapter,
  type GenerationRequest,
  Grammars,
  saveCheckpoint,
  trainableShapes,
} from '@seamstream/language-model';
import { DEFAULT_LIMITS, EndpointClient } from '@seamstream/openai-endpoint';
import { ModelServer, type SeenRequest } from '@seamstream/testing/model-server';
import { type JsonSchema } from '@seamstream/token-grammar';
import { type TokenizerJson } from '@seamstream/tokenizer';
import { VllmGenerator } from './generator.vllm.adapter.js';
import { refusal, ScriptedVllm, saveVllmModel, tensorsOf, VLLM_CONFIG } from './vllm-server.fake.js';

const LORA = {
  kind: 'lora',
  rank: 2,
  alpha: 4,
  targetModules: ['q_proj', 'down_proj'],
  modulesToSave: [],
  seed: 's',
} as const;
const CONCURRENCY = 16;

let folder: string;
let digest: string;
let server: ModelServer;
let clients: EndpointClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vllm-faults-'));
  await saveVllmModel(folder);
  server = await ModelServer.start(() => ({ kind: 'hang' }));
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function adapterOf(seed: string): Adapter {
  const tensors = tensorsOf(trainableShapes(VLLM_CONFIG, LORA), seed);
  return createAdapter({ kind: 'lora', settings: LORA, baseModelDigest: digest, tensors });
}

async function open(...given: Parameters<typeof opened>): Promise<VllmGenerator> {
  return (await opened(...given)).generator;
}

async function opened(vllm: ScriptedVllm, patienceMs = 1000, modelFolder = folder) {
  server.behave = (request) => vllm.answer(request);
  const client = new EndpointClient(
    {
      url: server.url,
      key: null,
      keyName: 'NONE',
      limits: {
        ...DEFAULT_LIMITS,
        concurrency: CONCURRENCY,
        requestTimeoutMs: 1000,
        patienceMs,
        firstRetryMs: 5,
        maxRetryMs: 20,
      },
      budget: { tokens: null, money: null, promptPrice: 0, responsePrice: 0 },
    },
    { clock: systemClock, chance: Math.random },
  );
  clients.push(client);
  const adaptersFolder = await mkdtemp(join(folder, 'adapters-'));
  const generator = await VllmGenerator.open(client, {
    modelFolder,
    chatTemplate: 'none',
    model: 'base',
    adaptersFolder,
    serverAdaptersFolder: adaptersFolder,
    concurrency: CONCURRENCY,
    tolerance: 0.001,
  });
  digest = generator.digest;
  vllm.digest = digest;
  return { generator, adaptersFolder };
}

const requestFor = (candidates: number): GenerationRequest => ({
  promptTokenIds: [1, 2, 3],
  seeds: Array.from({ length: candidates }, (_, i) => `s${i}`),
  sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 4 },
});

describe('a vLLM server', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'that is started again is given its adapter again once, however many requests find it missing (%i)',
    async (seed) => {
      const random = Random.of('restarts', String(seed));
      const vllm = new ScriptedVllm(random);
      const generator = await open(vllm);
      const adapter = adapterOf('a');
      const [first] = await generator.generate([requestFor(2)], { adapter });
      expect(first).toHaveLength(2);
      const asked = generator.generate([requestFor(64)], { adapter });
      await sleep(random.int(10));
      vllm.adapters.clear();
      expect((await asked)[0]).toHaveLength(64);
      await generator.generate([requestFor(2)], { adapter });
      expect(vllm.loads).toHaveLength(2);
    },
  );

  it.each(Array.from({ length: 10 }, (_, seed) => seed))(
    'that loses adapters again and again, while more are in use than stay loaded, answers everybody (%i)',
    async (seed) => {
      const random = Random.of('lost adapters', String(seed));
      const vllm = new ScriptedVllm(random);
      const generator = await open(vllm);
      const adapters = ['a', 'b', 'c'].map(adapterOf);
      const asked = Array.from({ length: 6 }, async (_, i) => {
        await sleep(random.int(20));
        return generator.generate([requestFor(4)], { adapter: adapters[i % adapters.length]! });
      });
      for (let time = 0; time < 2; time++) {
        await sleep(random.int(12));
        vllm.adapters.clear();
      }
      for (const results of await Promise.all(asked)) expect(results[0]).toHaveLength(4);
    },
  );

  it('keeps an adapter while a request is under way with it, and its folder until the next one is unloaded', async () => {
    const vllm = new ScriptedVllm(Random.of('under way'));
    const { generator, adaptersFolder } = await opened(vllm);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(adapterOf) as [Adapter, Adapter, Adapter, Adapter];
    const names = [a, b, c, d].map((each) => `seam-${each.digest}`);
    const answered = Promise.withResolvers<undefined>();
    server.behave = async (request) => {
      if (request.body?.model === names[0]) await answered.promise;
      return vllm.answer(request);
    };
    const underWay = generator.generate([requestFor(1)], { adapter: a });
    for (const adapter of [b, c]) await generator.generate([requestFor(1)], { adapter });
    await sleep(100);
    expect([...vllm.adapters]).toEqual(names.slice(0, 3));
    answered.resolve(undefined);
    expect((await underWay)[0]).toHaveLength(1);
    while (vllm.adapters.has(names[0]!)) await sleep(5);
    expect((await readdir(adaptersFolder)).sort()).toEqual(names.slice(0, 3).sort());
    await generator.generate([requestFor(1)], { adapter: d });
    while (vllm.adapters.has(names[1]!) || (await readdir(adaptersFolder)).includes(names[0]!)) await sleep(5);
    expect((await readdir(adaptersFolder)).sort()).toEqual(names.slice(1).sort());
  });

  it('that ends while it loads an adapter is an outage; one that answers else has found the adapter at fault', async () => {
    const vllm = new ScriptedVllm(Random.of('load'));
    const generator = await open(vllm);
    const refuse = (isDead: boolean) => (request: SeenRequest) =>
      request.url.endsWith('load_lora_adapter') || (isDead && request.url.endsWith('completions'))
        ? refusal(500, 'LoRA rank 32 is greater than max_lora_rank 16.')
        : vllm.answer(request);
    for (const [isDead, code] of [
      [true, 'ENDPOINT_FAILED'],
      [false, 'ADAPTER_INVALID'],
    ] as const) {
      server.behave = refuse(isDead);
      const asked = generator.generate([requestFor(1)], { adapter: adapterOf('a') });
      await expect(asked).rejects.toMatchObject({ code });
    }
  });

  it('in an outage gives a batch back in the time of one request, and no request asks for it any more', async () => {
    const vllm = new ScriptedVllm(Random.of('outage'));
    const generator = await open(vllm, 100);
    vllm.fault = { kind: 'answer', status: 503, body: 'starting' };
    const startedMs = performance.now();
    await expect(generator.generate([requestFor(200)])).rejects.toMatchObject({ code: 'ENDPOINT_UNAVAILABLE' });
    expect(performance.now() - startedMs).toBeLessThan(1000);
    await sleep(200); // What was on its way arrives.
    const asked = server.seen.length;
    await sleep(300);
    expect(server.seen).toHaveLength(asked);
    vllm.fault = undefined;
    // Nothing of the batch is left in the queue.
    expect((await generator.generate([requestFor(1)]))[0]).toHaveLength(1);
    expect(server.seen).toHaveLength(asked + 1);
  });

  it('that hangs is left at the signal, while it completes and while it loads an adapter', async () => {
    const vllm = new ScriptedVllm(Random.of('signal'));
    const generator = await open(vllm);
    const cases = [
      { hangs: 'completions', options: {} },
      { hangs: 'load_lora_adapter', options: { adapter: adapterOf('a') } },
    ];
    for (const { hangs, options } of cases) {
      server.behave = (request) => (request.url.endsWith(hangs) ? { kind: 'hang' } : vllm.answer(request));
      const stopping = new AbortController();
      const asked = generator.generate([requestFor(40)], { ...options, signal: stopping.signal });
      setTimeout(() => stopping.abort(), 50);
      const startedMs = performance.now();
      await expect(asked).rejects.toMatchObject({ code: 'ABORTED' });
      // A request that is not aborted ends after 1000.
      expect(performance.now() - startedMs).toBeLessThan(900);
    }
  });

  it('gets the masks that the trainer forms its ratios under, also where the tokenizer puts a space before a first word', async () => {
    const modelFolder = join(folder, 'byte-fallback');
    const tensors = tensorsOf(checkpointShapes(VLLM_CONFIG), 'model');
    await saveCheckpoint(modelFolder, {
      config: VLLM_CONFIG,
      tensors,
      generation: { eosTokenIds: [0] },
      tokenizer: SPACE_FIRST,
    });
    const generator = await open(new ScriptedVllm(Random.of('masks')), 1000, modelFolder);
    const schema: JsonSchema = {
      type: 'object',
      properties: { word: { enum: ['carry', 'borrow', 'count'] } },
      required: ['word'],
      additionalProperties: false,
    };
    const request = { ...requestFor(8), schema, sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 40 } };
    const [candidates] = await generator.generate([request]);
    const trainers = new Grammars(modelFolder);
    const grammar = (await trainers.prepare([schema]))(schema);
    for (const { tokenIds, forced } of candidates!) {
      let state = grammar.start();
      const expected = tokenIds.map((id, at) => {
        const legal = grammar.allowedWithin(state, 40 - at).ids;
        expect(legal).toContain(id);
        state = grammar.advance(state, id);
        return legal.length === 1;
      });
      expect([forced, grammar.isComplete(state)]).toEqual([expected, true]);
    }
  });
});

/** As Llama 2's: no merges, bytes for what is no letter, and a space before a text's first word. */
const SPACE_FIRST: TokenizerJson = {
  added_tokens: [{ id: 0, content: '<unk>', special: true }],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '\u2581' },
      { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
    ],
  },
  pre_tokenizer: null,
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: {
    type: 'BPE',
    byte_fallback: true,
    unk_token: '<unk>',
    vocab: Object.fromEntries(
      [
        '<unk>',
        ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
        '\u2581',
        'c',
        'o',
        '{',
        '\u2581{',
      ].map((token, id) => [token, id]),
    ),
    merges: [['\u2581', '{']],
  } as TokenizerJson['model'],
};
