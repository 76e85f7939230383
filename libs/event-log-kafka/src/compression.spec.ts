import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { compressFrame } from 'lz4-napi';
import snappy from 'snappyjs';
import { compressionType, decompressed, mostBytes } from './compression.js';

const WRITERS = {
  none: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
  lz4: (bytes: Buffer) => compressFrame(bytes),
  snappy: (bytes: Buffer) => snappy.compress(bytes),
};

/** Bytes as they occur in records: noise, runs and repetitions. */
const texts = fc
  .array(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.tuple(fc.nat(255), fc.nat(70_000))), { maxLength: 6 })
  .map((pieces) =>
    Buffer.concat(pieces.map((each) => (each instanceof Uint8Array ? each : Buffer.alloc(each[1], each[0])))),
  );

describe.each(Object.entries(WRITERS))('what was written with %s', (name, write) => {
  const type = compressionType(name as keyof typeof WRITERS);

  it('comes back when it has as many bytes as it may, and is refused when it has one more', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const written = await write(text);
        expect((await decompressed(type, written, Math.max(1, text.length))).equals(text)).toBe(true);
        if (text.length > 1) await expect(decompressed(type, written, text.length - 1)).rejects.toThrow(RangeError);
      }),
      { numRuns: 60 },
    );
  });

  it('is refused with an error when it is damaged, or read as something', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(), fc.nat(255), fc.nat(), async (text, at, to, cut) => {
        const written = Buffer.from(await write(text));
        if (written.length === 0) return;
        written[at % written.length] = to;
        const bytes = written.subarray(0, written.length - (cut % 20));
        const read = await decompressed(type, bytes, 1_000_000).catch((error: unknown) => error);
        if (Buffer.isBuffer(read)) expect(read.length).toBeLessThanOrEqual(1_000_000);
        else expect(read).toHaveProperty('message'); // of another realm, for codecs that are not the runtime's
      }),
      { numRuns: 60 },
    );
  });
});

it('an unknown codec is refused', async () => {
  await expect(decompressed(5, Buffer.alloc(10), 100)).rejects.toThrow('number 5');
});

it('a batch may have 2 MiB by any ratio, 128 times its compressed bytes, and never more than the reader takes', () => {
  expect(mostBytes(100, 16_000_000)).toBe(2 * 1024 ** 2);
  expect(mostBytes(100_000, 16_000_000)).toBe(12_800_000);
  expect(mostBytes(200_000, 16_000_000)).toBe(16_000_000);
});
