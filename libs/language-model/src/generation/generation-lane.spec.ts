import { rm } from 'node:fs/promises';
import { Random } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { Tokenizer } from '@seamstream/tokenizer';
import { type Adapter, createAdapter } from '../adapters/adapter.js';
import { initialTensors } from '../adapters/parameters.js';
import { type DigestedCheckpoint, loadCheckpoint } from '../checkpoint/checkpoint.js';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import { writeRandomModel } from '../random-model.fake.js';
import type { GeneratedSequence, GenerationRequest } from './generation.types.js';
import { GenerationLane } from './generation-lane.js';

const COLOURS: JsonSchema = { enum: ['red', 'orange', 'yellow', 'blue berry', 'bluish'] };
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { concepts: { type: 'array', items: COLOURS, minItems: 1, maxItems: 3 }, strategy: COLOURS },
  required: ['concepts', 'strategy'],
  additionalProperties: false,
};
const ONE_LANE = {
  executionProvider: 'cpu',
  lanes: 1,
  threadsPerLane: 1,
  isLarge: false,
  cacheBytes: 2 ** 30,
} as const;
const SAMPLING = { temperature: 1, topK: 0, topP: 1, maxTokens: 60 };

const FORMS: readonly (readonly [string, Partial<ModelConfig>])[] = [
  ['grouped queries', {}],
  ['as many keys as queries', { keyValueHeads: 4 }],
  ['qwen2', { family: 'qwen2', attentionBias: true }],
  ['qwen3', { family: 'qwen3', queryKeyNorm: true, tieWordEmbeddings: false }],
];

const PLANS = { 'as a small model': ONE_LANE, 'as a large one': { ...ONE_LANE, isLarge: true } };

describe.each(Object.keys(PLANS) as (keyof typeof PLANS)[])('computed %s', (plan) => {
  describe.each(FORMS)('a model with %s', (_, changes) => {
    let folder: string;
    let checkpoint: DigestedCheckpoint;
    let tokenizer: Tokenizer;
    let lane: GenerationLane;
    beforeAll(async () => {
      folder = await writeRandomModel(changes);
      checkpoint = await loadCheckpoint(folder);
      tokenizer = await Tokenizer.load(folder);
      lane = new GenerationLane(checkpoint, PLANS[plan]);
    });
    afterAll(async () => {
      await lane.close();
      await rm(folder, { recursive: true });
    });

    const prompt = (length: number): number[] => {
      const random = Random.of('prompt', length);
      return Array.from({ length }, () => 1 + random.int(299));
    };
    const constrained = (length: number, seeds: string[]): GenerationRequest => ({
      promptTokenIds: prompt(length),
      seeds,
      sampling: SAMPLING,
      schema: SCHEMA,
    });
    const free = (length: number, seeds: string[], maxTokens = 40): GenerationRequest => ({
      promptTokenIds: prompt(length),
      seeds,
      sampling: { ...SAMPLING, maxTokens },
    });

    it('generates the tokens whose log-probabilities the scoring graph confirms', async () => {
      const requests = [constrained(5, ['a', 'b']), constrained(21, ['c']), free(9, ['d', 'e'])];
      const results = await lane.generate(requests);
      for (const [index, request] of requests.entries()) {
        for (const sequence of results[index]!) {
          const start = request.promptTokenIds.length;
          const [scores] = await lane.logProbabilities([
            {
              tokenIds: [...request.promptTokenIds, ...sequence.tokenIds],
              targets: sequence.tokenIds.map((_unused, at) => start + at),
              ...(request.schema ? { schema: request.schema, continuationStart: start, maxTokens: 60 } : {}),
            },
          ]);
          // Two graphs in float32: sums in other orders, so equal to about 1e-6 of logits near 10.
          scores!.forEach((score, at) => expect(Math.abs(score - sequence.logProbs[at]!)).toBeLessThan(2e-5));
        }
      }
    });

    it('writes JSON that is valid under the schema, with its forced tokens marked', async () => {
      const [candidates] = await lane.generate([constrained(12, ['a', 'b', 'c', 'd'])]);
      const allowed = ['red', 'orange', 'yellow', 'blue berry', 'bluish'];
      for (const { tokenIds, forced, logProbs, legalMass, finishReason } of candidates!) {
        const entry = JSON.parse(tokenizer.decode([...tokenIds])) as { concepts: string[]; strategy: string };
        expect(Object.keys(entry)).toEqual(['concepts', 'strategy']);
        expect(allowed).toEqual(expect.arrayContaining([...entry.concepts, entry.strategy]));
        expect(finishReason).toBe('completed');
        expect(forced.filter((isForced) => !isForced).length).toBeGreaterThanOrEqual(2);
        forced.forEach((isForced, at) => {
          if (isForced) expect([logProbs[at], legalMass[at]]).toEqual([0, 1]);
          else expect(legalMass[at]! > 0 && legalMass[at]! < 1).toBe(true);
        });
      }
    });

    it('gives a candidate the same bits regardless of the others in the batch', async () => {
      const requests = Array.from({ length: 14 }, (_unused, index) =>
        index % 3 === 0
          ? free(3 + 3 * index, [`f${index}`, `g${index}`])
          : constrained(3 + 3 * index, [`a${index}`, `b${index}`, `c${index}`]),
      );
      const reference = new Map<string, GeneratedSequence>();
      for (const [index, request] of requests.entries()) {
        for (const seed of request.seeds) {
          const [[alone]] = (await lane.generate([{ ...request, seeds: [seed] }])) as [[GeneratedSequence]];
          reference.set(`${index} ${seed}`, alone);
        }
      }
      const random = Random.of('groupings');
      for (let round = 0; round < 6; round++) {
        const members = random
          .shuffled([...requests.keys()])
          .slice(0, 2 + random.int(12))
          .map((index) => ({ index, seeds: random.shuffled(requests[index]!.seeds).slice(0, 1 + random.int(3)) }));
        const results = await lane.generate(members.map(({ index, seeds }) => ({ ...requests[index]!, seeds })));
        members.forEach(({ index, seeds }, at) => {
          seeds.forEach((seed, candidate) => {
            expect(results[at]![candidate]).toEqual(reference.get(`${index} ${seed}`));
          });
        });
      }
    });

    it('computes with LoRA factors as with the weights that they amount to', async () => {
      const settings = {
        kind: 'lora',
        rank: 3,
        alpha: 6,
        targetModules: ['q_proj', 'o_proj', 'gate_proj'],
        modulesToSave: [],
        seed: 's',
      } as const;
      const factors = await initialTensors(checkpoint, settings);
      const merged = await initialTensors(checkpoint, { kind: 'full' });
      for (const [name, factor] of factors) {
        if (!name.includes('lora_B')) continue;
        const random = Random.of(name);
        for (let i = 0; i < factor.data.length; i++) factor.data[i] = 0.3 * random.normal();
        const a = factors.get(name.replace('lora_B', 'lora_A'))!;
        const weight = merged.get(name.replace('.lora_B', ''))!;
        const width = weight.shape[1]!;
        weight.data.forEach((value, at) => {
          const [row, column] = [Math.floor(at / width), at % width];
          let change = 0;
          for (let r = 0; r < 3; r++) change += factor.data[row * 3 + r]! * a.data[r * width + column]!;
          weight.data[at] = value + 2 * change;
        });
      }
      const adapter = (kind: 'lora' | 'full'): Adapter =>
        kind === 'lora'
          ? createAdapter({ kind, baseModelDigest: checkpoint.digest, tensors: factors, settings })
          : createAdapter({ kind, baseModelDigest: checkpoint.digest, tensors: merged, settings: { kind: 'full' } });
      const [base] = await lane.probe([prompt(7)]);
      const [lora] = await lane.probe([prompt(7)], adapter('lora'));
      const [full] = await lane.probe([prompt(7)], adapter('full'));
      expect(Math.max(...lora!.map((logit, id) => Math.abs(logit - full![id]!)))).toBeLessThan(1e-4);
      expect(Math.max(...lora!.map((logit, id) => Math.abs(logit - base![id]!)))).toBeGreaterThan(0.1);
      const greedy = [{ ...free(7, ['x'], 12), sampling: { ...SAMPLING, temperature: 0, maxTokens: 12 } }];
      const [[withLora]] = (await lane.generate(greedy, adapter('lora'))) as [[GeneratedSequence]];
      const [[withFull]] = (await lane.generate(greedy, adapter('full'))) as [[GeneratedSequence]];
      expect(withLora.tokenIds).toEqual(withFull.tokenIds);
    });
  });
});

it('keeps what is asked at the same time for two adapters and for none apart', async () => {
  const folder = await writeRandomModel();
  const checkpoint = await loadCheckpoint(folder);
  const lane = new GenerationLane(checkpoint, ONE_LANE);
  try {
    const adapters = [undefined, await shiftedAdapter(checkpoint, 1), await shiftedAdapter(checkpoint, 2)];
    const requests = [{ promptTokenIds: [5, 6, 7], seeds: ['a', 'b'], sampling: { ...SAMPLING, maxTokens: 8 } }];
    const alone: unknown[] = [];
    for (const adapter of adapters) alone.push(await lane.generate(requests, adapter));
    expect(new Set(alone.map((each) => JSON.stringify(each))).size).toBe(3);
    expect(await Promise.all(adapters.map((adapter) => lane.generate(requests, adapter)))).toEqual(alone);
  } finally {
    await lane.close();
    await rm(folder, { recursive: true });
  }
});

it('computes with a small model only what it is asked, and with a large one before', async () => {
  const folder = await writeRandomModel();
  const checkpoint = await loadCheckpoint(folder);
  // No graph can be compiled with such a weight.
  const weights = new Map([['model.norm.weight', { data: new Float32Array(1), shape: [1] }]]);
  const [small, large] = Object.values(PLANS).map((plan) => new GenerationLane(checkpoint, plan, weights));
  await expect(large!.prepare()).rejects.toThrow();
  await small!.prepare();
  await expect(small!.probe([[1]])).rejects.toThrow();
  await rm(folder, { recursive: true });
});

/** All weights, each moved at random. */
async function shiftedAdapter(checkpoint: DigestedCheckpoint, seed: number): Promise<Adapter> {
  const tensors = await initialTensors(checkpoint, { kind: 'full' });
  for (const [name, { data }] of tensors) {
    const random = Random.of(name, seed);
    for (let i = 0; i < data.length; i++) data[i] = data[i]! + 0.2 * random.normal();
  }
  return createAdapter({ kind: 'full', baseModelDigest: checkpoint.digest, tensors, settings: { kind: 'full' } });
}

it('computes many long prompts of a small model in runs of bounded memory, with the same bits as alone', async () => {
  const folder = await writeRandomModel({ maxPositions: 1400, heads: 16, keyValueHeads: 2, headDimension: 4 });
  const lane = new GenerationLane(await loadCheckpoint(folder), ONE_LANE);
  // 16 heads × 1296² scores a prompt: of the three that are admitted at once, two fit into a run.
  const requests = [1290, 1281, 1296, 1285, 1288, 1283].map((length, index) => ({
    promptTokenIds: Array.from({ length }, (_, at) => 1 + ((at * (index + 3)) % 299)),
    seeds: ['a'],
    sampling: { ...SAMPLING, maxTokens: 4 },
    stopTokenIds: [],
  }));
  const together = await lane.generate(requests);
  for (const [index, request] of requests.entries()) expect(await lane.generate([request])).toEqual([together[index]]);
  await lane.close();
  await rm(folder, { recursive: true });
});

it('computes a long prompt of a large model in chunks, with the logits of the whole', async () => {
  const folder = await writeRandomModel({ maxPositions: 1400 });
  const checkpoint = await loadCheckpoint(folder);
  const random = Random.of('long prompts');
  const prompts = [3, 512, 513, 1300].map((length) => Array.from({ length }, () => 1 + random.int(299)));
  const [small, large] = Object.values(PLANS).map((plan) => new GenerationLane(checkpoint, plan));
  const [whole, chunked] = [await small!.probe(prompts), await large!.probe(prompts)];
  whole.forEach((logits, at) => {
    expect(Math.max(...logits.map((logit, id) => Math.abs(logit - chunked[at]![id]!)))).toBeLessThan(2e-5);
  });
  const requests = prompts.map((promptTokenIds) => ({
    promptTokenIds,
    seeds: ['a', 'b'],
    sampling: { ...SAMPLING, temperature: 0, maxTokens: 20 },
    stopTokenIds: [],
  }));
  const greedy = async (lane: GenerationLane): Promise<(readonly number[])[]> =>
    (await lane.generate(requests)).flat().map(({ tokenIds }) => tokenIds);
  expect(await greedy(large!)).toEqual(await greedy(small!));
  await Promise.all([small!.close(), large!.close()]);
  await rm(folder, { recursive: true });
});

describe('the end of a text', () => {
  let folder: string;
  let lane: GenerationLane;
  beforeAll(async () => {
    folder = await writeRandomModel();
    lane = new GenerationLane(await loadCheckpoint(folder), ONE_LANE);
  });
  afterAll(async () => {
    await lane.close();
    await rm(folder, { recursive: true });
  });
  const request: GenerationRequest = {
    promptTokenIds: [5, 6, 7],
    seeds: ['a'],
    sampling: { ...SAMPLING, maxTokens: 30 },
  };

  it('is the first stop token, which is kept', async () => {
    const [[whole]] = (await lane.generate([request])) as [[GeneratedSequence]];
    const stop = whole.tokenIds[4]!;
    const first = whole.tokenIds.indexOf(stop);
    const [[cut]] = (await lane.generate([{ ...request, stopTokenIds: [stop] }])) as [[GeneratedSequence]];
    expect(cut).toMatchObject({ tokenIds: whole.tokenIds.slice(0, first + 1), finishReason: 'completed' });
  });

  it('is there at once where the schema leaves nothing to write but one text', async () => {
    const random = { ...request, schema: { enum: ['red'] } };
    const [[only]] = (await lane.generate([random])) as [[GeneratedSequence]];
    expect(only.finishReason).toBe('completed');
    expect(only.forced.every(Boolean)).toBe(true);
    expect(only.logProbs.every((logProb) => logProb === 0)).toBe(true);
  });

  it('is the end of the first run of tokens that was given, and no part of one', async () => {
    const [[whole]] = (await lane.generate([{ ...request, stopTokenIds: [] }])) as [[GeneratedSequence]];
    const sequence = whole.tokenIds.slice(3, 6);
    const at = whole.tokenIds.findIndex((_, start) =>
      sequence.every((id, index) => whole.tokenIds[start + index] === id),
    );
    const ends = { ...request, stopTokenIds: [] };
    const stopSequences = [[...sequence, -1], [], sequence];
    const [[cut]] = (await lane.generate([{ ...ends, stopSequences }])) as [[GeneratedSequence]];
    expect(cut).toMatchObject({ tokenIds: whole.tokenIds.slice(0, at + 3), finishReason: 'completed' });
  });

  it('is the token budget otherwise', async () => {
    const [[sequence]] = (await lane.generate([{ ...request, stopTokenIds: [] }])) as [[GeneratedSequence]];
    expect(sequence).toMatchObject({ finishReason: 'length' });
    expect(sequence.tokenIds).toHaveLength(30);
  });

  it.each([
    [
      'a prompt that leaves no room',
      { promptTokenIds: Array<number>(140).fill(1) },
      'PROMPT_TOO_LONG',
      /within the 160 tokens of the model, got a prompt of 140 and maxTokens 30/,
    ],
    ['an id outside the vocabulary', { promptTokenIds: [1, 300] }, 'INVALID_INPUT', /below 300.*300 among them/],
    ['an empty prompt', { promptTokenIds: [] }, 'INVALID_INPUT', /got 0 ids/],
    [
      'a budget below the shortest entry',
      { schema: SCHEMA, sampling: { ...SAMPLING, maxTokens: 2 } },
      'INVALID_INPUT',
      /of at least \d+, the shortest valid text/,
    ],
  ] as const)('is refused for %s', async (_, changes, code, message) => {
    await expect(lane.generate([{ ...request, ...changes }])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
