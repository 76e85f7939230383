import { ManualClock } from '@seamstream/kernel';
import { RequestParts } from './request-parts.js';

describe('the parts of the time of a request', () => {
  it('are the waits for the entry and the executor, and the rest is the own time of the gateway', async () => {
    const clock = new ManualClock(1_000);
    const parts = new RequestParts(clock);
    clock.advance(3);
    expect(await parts.during('entry', () => after(clock, 40, 'entry'))).toBe('entry');
    clock.advance(2);
    await parts.during('executor', () => after(clock, 500, null));
    clock.advance(5);
    expect([parts.entryMs, parts.executorMs, parts.ownMs]).toEqual([40, 500, 10]);
    expect(parts.seconds).toEqual({ entry: 0.04, executor: 0.5, own: 0.01 });
  });

  it('have none of an entry that was not waited for, and the time of a wait that failed', async () => {
    const clock = new ManualClock(0);
    const parts = new RequestParts(clock);
    const failing = parts.during('executor', async () => {
      clock.advance(7);
      throw new Error('away');
    });
    await expect(failing).rejects.toThrow('away');
    expect(parts.seconds).toEqual({ entry: null, executor: 0.007, own: 0 });
  });

  it('count a stream as the waits for its chunks, and the time in which the client does not read as no part', async () => {
    const clock = new ManualClock(0);
    const parts = new RequestParts(clock);
    const frames: string[] = [];
    for await (const chunk of parts.eachOf(chunksOf(clock, ['a', 'b', 'c'], 100)))
      for (const frame of parts.toClient([chunk])) {
        clock.advance(1_000);
        frames.push(frame);
      }
    expect(frames).toEqual(['a', 'b', 'c']);
    expect(parts.seconds).toEqual({ entry: null, executor: 0.3, own: 0 });
  });

  it('end the stream of the executor with that of the client', async () => {
    const parts = new RequestParts(new ManualClock(0));
    let isEnded = false;
    const endless = async function* () {
      try {
        for (;;) yield 'chunk';
      } finally {
        isEnded = true;
      }
    };
    for await (const chunk of parts.eachOf(endless())) if (chunk === 'chunk') break;
    expect(isEnded).toBe(true);
  });
});

const after = async <T>(clock: ManualClock, ms: number, value: T): Promise<T> => {
  clock.advance(ms);
  return value;
};

async function* chunksOf(clock: ManualClock, chunks: readonly string[], everyMs: number): AsyncGenerator<string> {
  for (const chunk of chunks) yield await after(clock, everyMs, chunk);
}
