import { BlockMemory, type Slab } from './block-memory.js';

const filled = (slab: Slab, size: number, byte: number): Slab => {
  slab.plain.fill(byte, 0, size);
  slab.end = size;
  return slab;
};
const LARGE = 100_000;

describe('memory for blocks', () => {
  it('is the same again when it came home', () => {
    const memory = new BlockMemory();
    const { buffer, lent } = memory.send(filled(memory.take(), LARGE, 7));
    expect(lent).toBe(true);
    memory.bringHome([structuredClone(buffer, { transfer: [buffer] })]); // as a message to a thread and back moves it
    const again = memory.take();
    expect([again.end, again.bytes[LARGE - 1]]).toEqual([0, 7]);
  });

  it('of a few bytes is copied, and the slab stays', () => {
    const memory = new BlockMemory();
    const slab = filled(memory.take(), 100, 1);
    const { buffer, lent } = memory.send(slab);
    expect([lent, ...new Uint8Array(buffer)]).toEqual([false, ...new Array<number>(100).fill(1)]);
    expect([memory.take() === slab, slab.end]).toEqual([true, 0]);
  });

  it('is never lent to the last slab: what many appenders wrote stays apart, however many wait', () => {
    const memory = new BlockMemory();
    const sent = Array.from({ length: 10 }, (_, index) => memory.send(filled(memory.take(), LARGE, index)));
    expect(sent.filter(({ lent }) => lent).length).toBeLessThan(10);
    for (const [index, { buffer }] of sent.entries())
      expect(new Uint8Array(buffer).subarray(0, LARGE).every((byte) => byte === index)).toBe(true);
  });
});
