// Tasks that behave as strangers' data makes them.
import { answerTasks, BufferLimit } from '@seamstream/bounded-work';
import { SeamError } from '@seamstream/kernel';

let served = 0;
const buffers = new BufferLimit(1 << 20);
answerTasks(
  {
    double: (text) => text + text,
    served: () => ++served,
    environment: () => ({ ...process.env }),
    unspeakable: () => () => 1,
    wait: () => new Promise(() => {}),
    loop: () => {
      for (;;);
    },
    backtrack: () => /^(a+)+$/.test(`${'a'.repeat(50)}b`),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    fill: () => {
      const kept = [];
      for (;;) kept.push({ size: kept.length });
    },
    refuse: () => {
      throw new SeamError('INVALID_INPUT', 'Cannot read it: it is torn.', { details: { at: 3 } });
    },
    stumble: () => JSON.parse('{'),
    // One text, a thousand times: small in the heap, a gigabyte when serialised.
    bomb: () =>
      Array.from(
        { length: 1000 },
        (
          () => (text) => () =>
            text
        )()('x'.repeat(1 << 20)),
      ),
    failInParts: async () => {
      const parts = [1, 2, 3].map(async (part) => {
        await null;
        throw new TypeError(`part ${part}`);
      });
      return [await parts[0], await parts[1]];
    },
    buffer: (size) => new Float64Array(size / 8).length,
    buffers: (size) => [new ArrayBuffer(size), new Uint8Array(size)].length,
    leave: () => process.exit(3),
    *count(to) {
      for (let i = 1; i <= to; i++) yield i;
    },
    *countThenLoop() {
      yield 1;
      for (;;);
    },
  },
  buffers,
);
