/** The time of an edit that a vLLM server writes: what counts as the server's, and what is a wait for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, Random, systemClock } from '@seamstream/kernel';
import { createAdapter, type GenerationRequest, trainableShapes } from '@seamstream/language-model';
import { DEFAULT_LIMITS, EndpointClient } from '@seamstream/openai-endpoint';
import { WRITING_LIMITS } from '@seamstream/self-edits';
import { type Behaviour, ModelServer } from '@seamstream/testing/model-server';
import { VllmGenerator } from './generator.vllm.adapter.js';
import { ScriptedVllm, saveVllmModel, tensorsOf, VLLM_CONFIG } from './vllm-server.fake.js';

const BUSY: Behaviour = { kind: 'answer', status: 503, body: 'starting' };
const WORDS = { enum: ['carry', 'borrow', 'count', 'compare'] };
const LORA = { kind: 'lora', rank: 2, alpha: 4, targetModules: ['q_proj'], modulesToSave: [], seed: 's' } as const;

let folder: string;
let server: ModelServer;
let vllm: ScriptedVllm;
let client: EndpointClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vllm-time-'));
  await saveVllmModel(folder);
});
beforeEach(async () => {
  vllm = new ScriptedVllm(Random.of('time'));
  server = await ModelServer.start((request) => vllm.answer(request));
});
afterEach(async () => {
  await client.close();
  await server.stop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the time of an edit that a vLLM server writes', () => {
  it.each(['answers 503', 'is down'])('does not pass while the server %s: that is an outage', async (fault) => {
    const clock = new MovedClock();
    // The edit's whole time would pass within requests before the client's patience ends.
    const generator = await open({ clock, onExchange: () => clock.pass(1_000) });
    const asked = server.seen.length;
    server.behave = () => {
      clock.pass(8_000);
      return BUSY;
    };
    if (fault === 'is down') await server.stop();
    await expect(generator.generate([edits(2)])).rejects.toMatchObject({ code: 'ENDPOINT_UNAVAILABLE' });
    expect(clock.passedMs).toBeGreaterThan(DEFAULT_LIMITS.patienceMs);
    if (fault === 'answers 503') expect(server.seen.length).toBeGreaterThan(asked + 2);
  });

  it('does not pass while the server has asked for a pause', async () => {
    const generator = await open({ clock: systemClock });
    let requests = 0;
    server.behave = (request) =>
      requests++ === 0 ? { ...BUSY, headers: { 'retry-after': '1' } } : vllm.answer(request);
    const [written] = await generator.generate([{ ...edits(1), timeoutMs: 800 }]);
    expect(written![0]).toMatchObject({ finishReason: 'length' });
    expect(requests).toBe(2);
  });

  it('does not pass while the edit waits for a turn at the client', async () => {
    const clock = new MovedClock();
    const generator = await open({ clock }, 1);
    server.behave = (request) => {
      clock.pass(20_000);
      return vllm.answer(request);
    };
    const written = await Promise.all(['a', 'b', 'c'].map(() => generator.generate([edits(1)])));
    expect(clock.passedMs).toBe(60_000);
    expect(written.map(([candidates]) => candidates![0]!.finishReason)).toEqual(['length', 'length', 'length']);
  });

  it('does not pass while the server loads an adapter', async () => {
    const clock = new MovedClock();
    const generator = await open({ clock });
    server.behave = (request) => {
      if (request.url.endsWith('load_lora_adapter')) clock.pass(50_000);
      return vllm.answer(request);
    };
    const tensors = tensorsOf(trainableShapes(VLLM_CONFIG, LORA), 'a');
    const adapter = createAdapter({ kind: 'lora', settings: LORA, baseModelDigest: generator.digest, tensors });
    const [written] = await generator.generate([edits(1)], { adapter });
    expect(clock.passedMs).toBe(50_000);
    expect(written![0]).toMatchObject({ finishReason: 'length' });
  });

  it('is that of all requests of the edit together', async () => {
    const clock = new MovedClock();
    const generator = await open({ clock });
    const asked = server.seen.length;
    server.behave = (request) => {
      clock.pass(16_000);
      return vllm.answer(request);
    };
    const schema = { type: 'object', properties: { a: WORDS, b: WORDS, c: WORDS }, required: ['a', 'b', 'c'] } as const;
    const request = { ...edits(1), schema: { ...schema, additionalProperties: false } };
    const sampling = { ...request.sampling, maxTokens: 80 };
    const [written] = await generator.generate([{ ...request, sampling }]);
    expect(written![0]).toMatchObject({ finishReason: 'late', tokenIds: [] });
    expect(server.seen).toHaveLength(asked + 2);
  });

  it('ends an edit at which the server hangs, and no other', async () => {
    const generator = await open({ clock: systemClock });
    server.behave = (request) =>
      (request.body!.prompt as number[])[0] === 9 ? { kind: 'hang' } : vllm.answer(request);
    const stuck = { ...edits(1), promptTokenIds: [9], timeoutMs: 300 };
    const [late, written] = await generator.generate([stuck, edits(2)]);
    expect(late!.map(({ finishReason }) => finishReason)).toEqual(['late']);
    expect(written!.map(({ finishReason }) => finishReason)).toEqual(['length', 'length']);
  });
});

/** Stands still but for what a test lets pass. */
class MovedClock implements Clock {
  passedMs = 0;

  now(): number {
    return 1_700_000_000_000 + this.passedMs;
  }

  pass(milliseconds: number): void {
    this.passedMs += milliseconds;
  }
}

function edits(candidates: number): GenerationRequest {
  return {
    promptTokenIds: [1, 2, 3],
    seeds: Array.from({ length: candidates }, (_, i) => `s${i}`),
    sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 4 },
    timeoutMs: WRITING_LIMITS.timeoutMs,
  };
}

/** At default limits. */
async function open(
  world: { readonly clock: Clock; readonly onExchange?: () => void },
  concurrency = DEFAULT_LIMITS.concurrency,
): Promise<VllmGenerator> {
  const budget = { tokens: null, money: null, promptPrice: 0, responsePrice: 0 };
  const { onExchange = () => undefined, clock } = world;
  let isOpen = false;
  client = new EndpointClient(
    { url: server.url, key: null, keyName: 'NONE', limits: { ...DEFAULT_LIMITS, concurrency }, budget },
    // Without chance, no time passes before another try.
    { clock, chance: () => 0, onExchange: () => (isOpen ? onExchange() : undefined) },
  );
  const places = { modelFolder: folder, adaptersFolder: folder, serverAdaptersFolder: folder };
  const settings = { chatTemplate: 'none', model: 'base', concurrency, tolerance: 0.001, ...places } as const;
  const generator = await VllmGenerator.open(client, settings);
  vllm.digest = generator.digest;
  isOpen = true;
  return generator;
}
