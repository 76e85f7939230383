import { SeamError } from '@seamstream/kernel';
import { ConsumerLoop } from './consumer-loop.js';
import type { Claim, LogRecord, RecordBatch } from './event-log.js';

const record: LogRecord = {
  topic: 't',
  partition: 0,
  offset: 0,
  key: null,
  value: null,
  headers: {},
  timestampMs: 0,
};

function claim(token: number): Claim {
  return { group: 'g', memberId: 'm', token };
}

describe('a consumer loop', () => {
  it('begins with a partition that it got back only when the handler that was at it has returned, and then has one', async () => {
    const handler = heldHandler();
    const loop = await loopAtWork(handler);
    comeBack(loop, 2);
    // What was read meanwhile for the new claim.
    loop.wake('t', 0);
    await settled();
    expect(handler.begun).toEqual([1]);
    for (let turn = 0; turn < 3; turn++) {
      handler.letOneReturn();
      await settled();
      loop.wake();
      await settled();
    }
    expect(handler.begun).toEqual([1, 2, 2, 2]);
    expect(handler.most()).toBe(1);
    await end(loop, handler, 1);
  });

  it('waits for that handler also where the partition was lost a second time meanwhile', async () => {
    const handler = heldHandler();
    const loop = await loopAtWork(handler);
    for (const token of [2, 3]) comeBack(loop, token);
    await settled();
    expect(handler.begun).toEqual([1]);
    handler.letOneReturn();
    await settled();
    expect(handler.begun).toEqual([1, 3]);
    await end(loop, handler, 1);
  });

  it('serves other partitions while one waits for the handler that it had before', async () => {
    const handler = heldHandler();
    const loop = await loopAtWork(handler);
    comeBack(loop, 2);
    loop.grant('t', 1, claim(9));
    await settled();
    expect(handler.begun).toEqual([1, 9]);
    await end(loop, handler, 2);
  });

  it('serves a partition that it got back without having heard that it was lost, regardless of how the earlier handler ends', async () => {
    const handler = heldHandler();
    const signals: AbortSignal[] = [];
    const loop = await loopAtWork({
      onBatch: async (batch) => {
        signals.push(batch.signal);
        await handler.onBatch(batch);
        if (batch.claim.token === 1) throw new SeamError('FENCED', 'it was lost');
      },
    });
    loop.grant('t', 0, claim(2));
    expect(signals[0]!.aborted).toBe(true);
    handler.letOneReturn();
    await settled();
    expect(handler.begun).toEqual([1, 2]);
    expect(loop.assignment()).toEqual(['t/0']);
    await end(loop, handler, 1);
  });

  it('ends with the error of a handler once all have returned', async () => {
    const handler = heldHandler();
    const loop = await loopAtWork({
      onBatch: async (batch) => {
        if (batch.partition === 1) throw new SeamError('INTERNAL', 'it broke');
        await handler.onBatch(batch);
      },
    });
    loop.grant('t', 1, claim(2));
    await settled();
    let hasEnded = false;
    const ended = loop.closed.catch((error: unknown) => {
      hasEnded = true;
      return error;
    });
    await settled();
    expect(hasEnded).toBe(false);
    handler.letOneReturn();
    expect(await ended).toMatchObject({ code: 'INTERNAL', message: 'it broke' });
  });
});

/** A handler that returns when it is stopped, and what it has begun so far, by the token of its claim. */
function heldHandler() {
  const begun: unknown[] = [];
  const running: (() => void)[] = [];
  let most = 0;
  return {
    begun,
    /** Handlers that ever ran at once. */
    most: () => most,
    onBatch: async ({ claim: { token } }: RecordBatch) => {
      begun.push(token);
      await new Promise<void>((resolve) => {
        most = Math.max(most, running.push(resolve));
      });
    },
    letOneReturn: () => running.shift()!(),
  };
}

/** Long enough for a partition that may be served to be served. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function loopOf(handler: { onBatch: (batch: RecordBatch) => Promise<void> }): ConsumerLoop {
  return new ConsumerLoop(
    { group: 'g', topics: ['t'], from: 'earliest', maxBatchRecords: 1, onBatch: handler.onBatch },
    { fetch: async () => [record], handBack: async () => undefined, leave: async () => undefined },
  );
}

/** A loop whose handler is at partition 0, under claim 1. */
async function loopAtWork(handler: { onBatch: (batch: RecordBatch) => Promise<void> }): Promise<ConsumerLoop> {
  const loop = loopOf(handler);
  loop.grant('t', 0, claim(1));
  await settled();
  return loop;
}

/** Partition 0 is lost and granted again. */
function comeBack(loop: ConsumerLoop, token: number): void {
  loop.drop('t', 0);
  loop.grant('t', 0, claim(token));
}

/** Closes the loop; the handlers that are at work return. */
async function end(loop: ConsumerLoop, handler: { letOneReturn: () => void }, atWork: number): Promise<void> {
  const closing = loop.close();
  for (let count = 0; count < atWork; count++) handler.letOneReturn();
  await closing;
}
