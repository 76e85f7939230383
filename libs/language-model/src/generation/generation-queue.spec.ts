import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Session } from '@seamstream/tensor-graph';
import { openCheckpoint } from '../checkpoint/checkpoint.js';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import { decodeGraph, prefillGraph } from '../graphs/generation-graphs.js';
import { writeRandomModel } from '../random-model.fake.js';
import { type Candidate, type Job, startCandidate } from './candidate.js';
import type { GenerationProgress } from './generation.types.js';
import { GenerationQueue, type QueueCall } from './generation-queue.js';
import type { GenerationSessions } from './prefill.js';

let folder: string;
let config: ModelConfig;
let sessions: GenerationSessions;
/** What the sessions were asked, in order: groups of a prefill, rows of a decode step. */
let runs: string[];
let breakNext: boolean;

beforeAll(async () => {
  folder = await writeRandomModel();
  const checkpoint = await openCheckpoint(folder);
  config = checkpoint.config;
  const [prefill, decode] = [
    await Session.create(prefillGraph({ checkpoint }).graph),
    await Session.create(decodeGraph({ checkpoint }).graph),
  ];
  const observed = (session: Session, note: (feeds: Parameters<Session['run']>[0]) => string): Session =>
    Object.create(session, {
      run: {
        value: async (...operands: Parameters<Session['run']>) => {
          runs.push(note(operands[0]));
          const outputs = await session.run(...operands);
          if (breakNext && 'chunks' in operands[0]) {
            breakNext = false;
            outputs.logits!.data.fill(Number.NaN, 0, config.vocabularySize);
            outputs.probabilities!.data.fill(Number.NaN, 0, config.vocabularySize);
          }
          return outputs;
        },
      },
    }) as Session;
  const prompts = observed(prefill, ({ tokens }) => `prefill ${tokens!.dims[0]}x${tokens!.dims[1]}`);
  const steps = observed(decode, ({ chunks }) => `decode ${chunks!.dims[0]}`);
  sessions = { prefill: async () => ({ session: prompts, inChunks: false }), decode: async () => steps };
});
beforeEach(() => {
  runs = [];
  breakNext = false;
});
afterAll(() => rm(folder, { recursive: true }));

const BYTES = 2 ** 30;
/** Bytes of one token's keys and values: 2 layers, keys and values, 2 heads of 16, 4 bytes each. */
const PER_TOKEN = 2 * 2 * 2 * 16 * 4;

describe('a queue of generations', () => {
  it('lets a later call join the wave that runs', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const long = call(9, 3, 40);
    let joined: Promise<void> | undefined;
    await queue.run({
      ...long,
      onTokens: () => {
        joined ??= queue.run(call(12, 4, 5));
      },
    });
    await joined;
    // One prompt each; the step after the second prompt has a rectangle of two groups of four, the last steps one of three.
    expect(runs.slice(0, 2)).toEqual(['prefill 1x16', 'prefill 1x16']);
    expect(runs[2]).toBe('decode 8');
    expect(runs.at(-1)).toBe('decode 3');
    expect(runs).toHaveLength(2 + 39);
  });

  it('answers a short call before the long one that it joined is done', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const order: string[] = [];
    await Promise.all([
      queue.run(call(9, 2, 60)).then(() => order.push('long')),
      queue.run(call(9, 2, 3)).then(() => order.push('short')),
    ]);
    expect(order).toEqual(['short', 'long']);
  });

  it('does not let later calls of one kind keep an earlier call of another waiting', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const order: string[] = [];
    const running = queue.run(call(9, 2, 30)).then(() => order.push('first'));
    const other = queue.run(call(30, 2, 3)).then(() => order.push('another kind'));
    const later = queue.run(call(9, 2, 3)).then(() => order.push('later'));
    await Promise.all([running, other, later]);
    expect(order).toEqual(['first', 'another kind', 'later']);
  });

  it('keeps the caches of a wave within their memory, and always lets one group in', async () => {
    // Room for two groups: a prompt of 16 and two candidates of 10 tokens each are 36 tokens.
    const queue = new GenerationQueue(config, 2 * 36 * PER_TOKEN);
    await Promise.all(Array.from({ length: 5 }, () => queue.run(call(9, 2, 10))));
    expect(Math.max(...runs.map((run) => Number(/decode (\d+)/.exec(run)?.[1] ?? 0)))).toBe(2 * 2);
    // One wide group of short texts next to narrow ones of long texts: counted as the rectangle that they are.
    runs = [];
    const mixed = new GenerationQueue(config, 8 * (16 + 8 * 20) * PER_TOKEN);
    await Promise.all([mixed.run(call(9, 8, 5)), ...Array.from({ length: 20 }, () => mixed.run(call(9, 1, 20)))]);
    const rows = runs.flatMap((run) => /decode (\d+)/.exec(run)?.[1] ?? []).map(Number);
    expect(Math.max(...rows)).toBeLessThanOrEqual(8 * 8);
    expect(rows).toContain(8 * 8);
    const tiny = new GenerationQueue(config, 1);
    const wide = call(9, 3, 4);
    await tiny.run(wide);
    expect(wide.candidates.every(({ tokenIds }) => tokenIds.length === 4)).toBe(true);
  });

  it('fails the call whose logits are broken and finishes the others', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const alone = call(9, 2, 12);
    await queue.run(alone);
    const [broken, sound] = [call(9, 2, 12), call(9, 2, 12)];
    breakNext = true;
    const outcomes = await Promise.allSettled([queue.run(broken), queue.run(sound)]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: { code: 'NON_FINITE' } });
    expect(outcomes[1].status).toBe('fulfilled');
    expect(sound.candidates.map(({ tokenIds }) => tokenIds)).toEqual(alone.candidates.map(({ tokenIds }) => tokenIds));
  });

  it('ends a call between two tokens, and first reports what it had finished', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const controller = new AbortController();
    const [short, long] = [call(9, 1, 3), call(9, 2, 200)];
    const progress: GenerationProgress[] = [];
    const running = queue.run({
      ...short,
      jobs: [...short.jobs, ...long.jobs],
      signal: controller.signal,
      onTokens: () => {
        if (runs.length === 9) controller.abort();
      },
      onProgress: (told) => progress.push(told),
    });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
    // A prefill and eight steps when it was aborted, and one that was under way.
    expect(runs).toHaveLength(10);
    expect(progress.flatMap(({ finished }) => finished)).toMatchObject([
      { request: 0, candidates: [{ tokenIds: short.candidates[0]!.tokenIds, finishReason: 'length' }] },
    ]);
    expect(progress.at(-1)!.tokens).toBe(3 + 2 * 10);
  });

  it('hears its callers again after a few thousand tokens of prompts', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const calls = Array.from({ length: 60 }, () => call(90, 1, 2));
    await Promise.all(calls.map((each) => queue.run(each)));
    const prefills = runs.flatMap((run) => /prefill (\d+)x96/.exec(run)?.[1] ?? []).map(Number);
    expect(prefills.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(Math.max(...prefills) * 96).toBeLessThanOrEqual(4096);
  });

  it('takes a call out that is given up while it waits, without having computed it', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const controller = new AbortController();
    const running = queue.run(call(9, 2, 20));
    const waiting = queue.run({ ...call(40, 2, 20), signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    await running;
    expect(runs.filter((run) => run.startsWith('prefill'))).toEqual(['prefill 1x16']);
  });

  it('ends as late what takes longer than its request allows, and nothing else', async () => {
    const queue = new GenerationQueue(config, BYTES);
    const [slow, quick] = [call(9, 1, 80, {}, 1), call(9, 1, 20, {}, 60_000)];
    await Promise.all([slow, quick].map((each) => queue.run(each)));
    expect(slow.candidates[0]).toMatchObject({ finishReason: 'late' });
    expect(slow.candidates[0]!.tokenIds.length).toBeLessThan(80);
    expect(quick.candidates[0]).toMatchObject({ finishReason: 'length' });
    expect(quick.candidates[0]!.tokenIds).toHaveLength(20);
  });

  it('does not count the wait for a turn as the time of a candidate', async () => {
    // Room for one group.
    const queue = new GenerationQueue(config, 100 * PER_TOKEN);
    const startedMs = performance.now();
    await queue.run(call(9, 1, 80));
    // The second one waits for twice as long as it may take, and takes a fortieth of that.
    const next = call(9, 1, 2, {}, (performance.now() - startedMs) / 2);
    await Promise.all([queue.run(call(9, 1, 80)), queue.run(next)]);
    expect(next.candidates[0]).toMatchObject({ finishReason: 'length' });
  });

  it('divides the time of a wave among its groups, so that none is late because of the others', async () => {
    const queue = new GenerationQueue(config, BYTES);
    // 20 runs of 20 ms take longer than a group's time, and an eighth of them does not.
    const slowed = async () => {
      const decode = await sessions.decode();
      const run = async (...operands: Parameters<Session['run']>) => {
        await sleep(20);
        return decode.run(...operands);
      };
      return Object.create(decode, { run: { value: run } }) as Session;
    };
    const more = { sessions: { ...sessions, decode: slowed } };
    const calls = Array.from({ length: 8 }, () => call(9, 1, 20, more, 300));
    await Promise.all(calls.map((each) => queue.run(each)));
    expect(calls.map(({ candidates }) => candidates[0]!.finishReason)).toEqual(calls.map(() => 'length'));
  });
});

function call(
  prompt: number,
  seeds: number,
  maxTokens: number,
  more: Partial<QueueCall> = {},
  timeoutMs?: number,
): QueueCall & { candidates: readonly Candidate[] } {
  const promptTokenIds = Array.from({ length: prompt }, (_, at) => 1 + (at % 250));
  const request = {
    promptTokenIds,
    seeds: Array.from({ length: seeds }, (_, seed) => `${seed}`),
    sampling: { temperature: 1, topK: 0, topP: 1, maxTokens },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const job: Job = {
    request,
    index: 0,
    grammar: undefined,
    start: undefined,
    prefix: promptTokenIds,
    opening: [],
    stops: new Set(),
  };
  const candidates = request.seeds.map((seed, at) => startCandidate(job, seed, at));
  return { weightsKey: 'base', sessions, feeds: {}, jobs: [{ job, candidates }], candidates, ...more };
}
