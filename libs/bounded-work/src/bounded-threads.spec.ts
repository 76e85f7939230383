import fc from 'fast-check';
import { BoundedThreads } from './bounded-threads.js';
import { limitOf, type WorkLimits } from './limits.js';

const module = new URL('../test/tasks.worker.mjs', import.meta.url);
const threads = new BoundedThreads({ module, threads: 1, heapMb: 32 });
afterAll(() => threads.close());

const run = (task: string, input?: unknown, limits: Partial<WorkLimits> = {}) =>
  threads.run(task, input, { cpuMs: 2000, ...limits });
const limitHit = async (task: string, limits: Partial<WorkLimits> = {}): Promise<unknown> => {
  const error: unknown = await run(task, undefined, limits).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining(task) as string });
  return limitOf(error);
};

describe('work in a thread', () => {
  it('answers what its task answers, one after another in one thread', async () => {
    expect(await run('double', 'ab')).toBe('abab');
    const before = (await run('served')) as number;
    expect(await Promise.all([run('served'), run('served')])).toEqual([before + 1, before + 2]);
  });

  it('sees nothing of the environment of its process, which holds secrets', async () => {
    expect(await run('environment')).toEqual({});
  });

  it('throws what its task throws: typed errors with code and details, others as INTERNAL', async () => {
    await expect(run('refuse')).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { at: 3 } });
    await expect(run('stumble')).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(run('unheard')).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('unheard') as string,
    });
    await expect(run('unspeakable')).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(run('constructor')).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(run('double', () => 1)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('that never ends, in a loop or inside a regular expression, ends at its processor time', async () => {
    expect(await limitHit('loop', { cpuMs: 100 })).toBe('processorTime');
    expect(await limitHit('backtrack', { cpuMs: 100 })).toBe('processorTime');
  });

  it('that waits uses no processor time, and ends at its wall time', async () => {
    await expect(run('sleep', 300, { cpuMs: 100 })).resolves.toBeUndefined();
    expect(await limitHit('wait', { cpuMs: 50, wallMs: 100 })).toBe('wallTime');
  });

  it('that fills its heap ends at its heap', async () => {
    expect(await limitHit('fill', { cpuMs: 30_000 })).toBe('heap');
  });

  it('that answers too much is not heard, though the answer is small before it is written', async () => {
    expect(await limitHit('bomb', { outputBytes: 1 << 20 })).toBe('output');
    expect(await run('double', 'x'.repeat(1000), { outputBytes: 3000 })).toHaveLength(2000);
    await expect(run('double', 'x'.repeat(1000), { outputBytes: 1999 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { task: 'double', limit: 'output', allowed: 1999 },
    });
    // Characters of two bytes: what is counted before the text is written is half of it.
    await expect(run('double', 'ﷺ'.repeat(1000), { outputBytes: 3000 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { task: 'double', limit: 'output', allowed: 3000 },
    });
  });

  it('that makes buffers beyond its limit is refused before they are made, each task counted from nothing', async () => {
    expect(await run('buffer', 1 << 20)).toBe(1 << 17);
    expect(await run('buffer', 1 << 20)).toBe(1 << 17);
    for (const [task, size] of [
      ['buffer', 2 ** 34],
      ['buffers', 700_000],
    ] as const)
      await expect(run(task, size)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: 'buffers' } });
  });

  it('that fails in several parts at once is one error, and the next task gets a new thread', async () => {
    const before = (await run('served')) as number;
    await expect(run('failInParts')).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('part 1') as string,
    });
    expect(before).toBeGreaterThan(0);
    expect(await run('served')).toBe(1);
  });

  it('whose thread leaves is an error, and the next task is done', async () => {
    await expect(run('leave')).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('code 3') as string,
    });
    expect(await run('double', 'a')).toBe('aa');
  });

  it('ends when it is aborted, whether it runs or waits', async () => {
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = run('loop', undefined, { signal: running.signal });
    const second = run('double', 'b', { signal: waiting.signal });
    const third = run('double', 'c');
    waiting.abort();
    setTimeout(() => running.abort(), 20);
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await third).toBe('cc');
    await expect(run('double', 'd', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('is done or refused regardless of what runs at the same time: no task takes the answer or the limit of another', async () => {
    const two = new BoundedThreads({ module, threads: 2, heapMb: 32 });
    const task = fc.oneof(
      { weight: 8, arbitrary: fc.string().map((text) => ['double', text] as const) },
      {
        weight: 2,
        arbitrary: fc.constantFrom('refuse', 'stumble', 'failInParts', 'leave').map((name) => [name, ''] as const),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 12 }), async (tasks) => {
        const outcomes = await Promise.allSettled(tasks.map(([name, text]) => two.run(name, text, { cpuMs: 5000 })));
        for (const [i, [name, text]] of tasks.entries()) {
          const outcome = outcomes[i]!;
          if (name === 'double') expect(outcome).toEqual({ status: 'fulfilled', value: text + text });
          else expect(outcome.status).toBe('rejected');
        }
      }),
      { numRuns: 15 },
    );
    await two.close();
  });
});

describe('work in pieces', () => {
  const pieces = (task: string, input: unknown, limits: Partial<WorkLimits> = {}) =>
    threads.pieces<number>(task, input, { cpuMs: 2000, ...limits });

  const all = async (source: AsyncIterable<number>) => {
    const seen: number[] = [];
    for await (const piece of source) seen.push(piece);
    return seen;
  };

  it('comes piece by piece, and a caller who stops leaves the thread to the next', async () => {
    expect(await all(pieces('count', 4))).toEqual([1, 2, 3, 4]);
    const seen: number[] = [];
    for await (const piece of pieces('count', 1_000_000)) if (seen.push(piece) === 3) break;
    expect(seen).toEqual([1, 2, 3]);
    expect(await run('double', 'a')).toBe('aa');
  });

  it('has its limits for each piece', async () => {
    const seen: number[] = [];
    const reading = (async () => {
      for await (const piece of pieces('countThenLoop', null, { cpuMs: 100 })) seen.push(piece);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', details: { limit: 'processorTime' } });
    expect(seen).toEqual([1]);
  });

  it('is not what answers at once, nor the other way round', async () => {
    await expect(all(pieces('double', 'a'))).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(run('count', 3)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('ends with its signal between two pieces', async () => {
    const stop = new AbortController();
    const reading = (async () => {
      for await (const piece of pieces('count', 10, { signal: stop.signal })) if (piece === 2) stop.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await run('double', 'a')).toBe('aa');
  });
});
