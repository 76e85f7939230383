import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { decodeSafetensors, encodeSafetensors, readSafetensorsHeader, readTensor } from './safetensors.js';

/** A file from a header and data, as any writer could make it. */
function file(header: unknown, data: Uint8Array = new Uint8Array(0), claimedLength?: bigint): Uint8Array {
  const text = typeof header === 'string' ? Buffer.from(header) : Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(claimedLength ?? BigInt(text.length));
  return Buffer.concat([length, text, data]);
}

const entry = (shape: number[], begin: number, end: number, dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

describe('safetensors', () => {
  it('writes names sorted after the metadata, back to back, behind a header padded to 8 bytes', () => {
    const bytes = encodeSafetensors(
      new Map([
        ['b', { shape: [2], data: Float32Array.of(1, -2) }],
        ['a', { shape: [], data: Float32Array.of(0.5) }],
      ]),
      { z: '1', format: 'pt' },
    );
    const length = Number(Buffer.from(bytes.subarray(0, 8)).readBigUInt64LE());
    expect(length % 8).toBe(0);
    expect(
      Buffer.from(bytes.subarray(8, 8 + length))
        .toString()
        .trimEnd(),
    ).toBe(
      '{"__metadata__":{"format":"pt","z":"1"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}',
    );
    // 0.5, 1, −2 as IEEE 754 singles, little-endian.
    expect(Buffer.from(bytes.subarray(8 + length)).toString('hex')).toBe('0000003f0000803f000000c0');
  });

  it('gives back what was written, in equal bytes for any order of the map', () => {
    const tensors = fc.array(fc.tuple(fc.string(), fc.array(fc.float({ noNaN: true }), { maxLength: 6 })), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(tensors, (list) => {
        const map = new Map(
          list
            .filter(([name]) => name !== '__metadata__')
            .map(([name, values]) => [name, { shape: [values.length], data: Float32Array.from(values) }]),
        );
        const bytes = encodeSafetensors(map, { k: 'v' });
        const { tensors: read, metadata } = decodeSafetensors(bytes, 'x');
        expect(metadata).toEqual({ k: 'v' });
        expect(new Map([...read].sort())).toEqual(new Map([...map].sort()));
        expect(encodeSafetensors(new Map([...map].reverse()), { k: 'v' })).toEqual(bytes);
      }),
      { examples: [[[['__proto__', [1]]]]] },
    );
  });

  it('widens bf16 and f16 exactly, also at odd offsets', () => {
    // bf16: 1, −2.5, 2^−133 (subnormal), ∞. f16: 1, −2, 2^−24, 65504, −∞, 0.333251953125.
    const bf16 = Uint16Array.of(0x3f80, 0xc020, 0x0001, 0x7f80);
    const f16 = Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff, 0xfc00, 0x3555);
    const data = Buffer.concat([new Uint8Array(bf16.buffer), new Uint8Array(f16.buffer)]);
    const odd = { a: entry([4], 0, 8, 'BF16'), b: entry([2, 3], 8, 20, 'F16'), __metadata__: { pad: '' } };
    for (const pad of ['', 'x']) {
      const { tensors } = decodeSafetensors(file({ ...odd, __metadata__: { pad } }, data), 'x');
      expect([...tensors.get('a')!.data]).toEqual([1, -2.5, 2 ** -133, Number.POSITIVE_INFINITY]);
      expect([...tensors.get('b')!.data]).toEqual([1, -2, 2 ** -24, 65504, Number.NEGATIVE_INFINITY, 0.333251953125]);
      expect(tensors.get('b')!.shape).toEqual([2, 3]);
    }
  });

  it('reads the same from disk as from memory, and says where each tensor lies', async () => {
    const bytes = encodeSafetensors(new Map([['w', { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) }]]));
    const path = join(await mkdtemp(join(tmpdir(), 'safetensors-')), 'model.safetensors');
    await writeFile(path, bytes);
    const { locations, metadata } = await readSafetensorsHeader(path);
    const place = locations.get('w')!;
    expect({ tensors: new Map([['w', await readTensor(path, 'w', place)]]), metadata }).toEqual(
      decodeSafetensors(bytes, 'x'),
    );
    expect(place).toEqual({
      dtype: 'F32',
      shape: [2, 2],
      offsetBytes: bytes.length - 16,
      lengthBytes: 16,
    });
    await writeFile(path, bytes.subarray(0, bytes.length - 1));
    const cut = { code: 'CHECKPOINT_INVALID', details: { file: 'model.safetensors', tensor: 'w' } };
    await expect(readSafetensorsHeader(path)).rejects.toMatchObject(cut);
    await expect(readTensor(path, 'w', place)).rejects.toMatchObject(cut);
    await expect(readSafetensorsHeader(`${path}.absent`)).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
    await expect(readTensor(`${path}.absent`, 'w', place)).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
  });

  it.each<[string, Uint8Array, RegExp, string | null]>([
    ['an empty file', new Uint8Array(0), /at least 8 bytes/, null],
    ['a header longer than the file', file({}, new Uint8Array(0), 1000n), /truncated/, null],
    ['a header of absurd length', file({}, new Uint8Array(0), 2n ** 63n), /at most 100000000/, null],
    ['a header that is not JSON', file('{"a":'), /not JSON/, null],
    ['a header that is a list', file([]), /not a JSON object/, null],
    ['an unknown type', file({ t: entry([1], 0, 8, 'I64') }, Buffer.alloc(8)), /"I64" is not one of/, 't'],
    ['a negative size', file({ t: entry([-1], 0, 4) }, Buffer.alloc(4)), /not a list of sizes/, 't'],
    ['a shape that overflows', file({ t: entry([2 ** 40, 2 ** 40], 0, 4) }, Buffer.alloc(4)), /too many values/, 't'],
    [
      'a shape that needs more bytes than the span',
      file({ t: entry([1000000], 0, 4) }, Buffer.alloc(4)),
      /needs 4000000 bytes/,
      't',
    ],
    ['truncated data', file({ t: entry([2], 0, 8) }, Buffer.alloc(7)), /truncated/, 't'],
    ['reversed offsets', file({ t: entry([1], 8, 4) }, Buffer.alloc(8)), /data_offsets span -4/, 't'],
    ['overlapping tensors', file({ s: entry([2], 0, 8), t: entry([2], 4, 12) }, Buffer.alloc(12)), /overlaps/, 't'],
    ['a hole', file({ s: entry([1], 0, 4), t: entry([1], 8, 12) }, Buffer.alloc(12)), /hole/, 't'],
    [
      'bytes that no tensor owns',
      file({ s: entry([1], 0, 4) }, Buffer.alloc(12)),
      /8 bytes after the last tensor/,
      null,
    ],
    ['metadata that is not text', file({ __metadata__: { a: 1 } }), /__metadata__\.a/, null],
  ])('refuses %s, naming file and tensor', (_, bytes, message, tensor) => {
    expect(() => decodeSafetensors(bytes, 'some.safetensors')).toThrow(message);
    expect(() => decodeSafetensors(bytes, 'some.safetensors')).toThrow(
      expect.objectContaining({
        code: 'CHECKPOINT_INVALID',
        details: { file: 'some.safetensors', ...(tensor === null ? {} : { tensor }) },
      }) as Error,
    );
  });

  it('survives any damage with a typed error or a sound result', () => {
    const good = encodeSafetensors(new Map([['w', { shape: [3], data: Float32Array.of(1, 2, 3) }]]));
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, value) => {
        const bytes = Uint8Array.from(good);
        bytes[at] = value;
        try {
          for (const { shape, data } of decodeSafetensors(bytes, 'x').tensors.values())
            expect(data).toHaveLength(shape.reduce((a, b) => a * b, 1));
        } catch (error) {
          expect(error).toMatchObject({ code: 'CHECKPOINT_INVALID' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('does not write a tensor whose shape does not describe its data', () => {
    expect(() => encodeSafetensors(new Map([['w', { shape: [3], data: Float32Array.of(1) }]]))).toThrow(
      /tensor w: shape \[3\]/,
    );
  });
});
