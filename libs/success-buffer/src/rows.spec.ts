import { sha256 } from '@seamstream/kernel';
import {
  type BufferManifest,
  type BufferRow,
  bufferConfigSchema,
  decodeManifest,
  decodeRows,
  encodeManifest,
  encodeRows,
  manifestDigest,
  rowsDigest,
} from './index.js';

const rowNamed = (outcomeId: string, changes: Partial<BufferRow> = {}): BufferRow => ({
  outcomeId,
  experienceId: `experience-${outcomeId}`,
  problemId: 'problem',
  domain: 'timber',
  stratum: 'timber/hard',
  prompt: 'Für 3 Fässer „Eiche“ 🌳: how many boards?\n',
  entry: '{"concepts":["oak"]}',
  promptTokenIds: [1, 2, 511],
  tokenIds: [7, 8, 9],
  forced: [true, false, true],
  reward: 1,
  helpfulness: 0.1 + 0.2,
  adapterDigest: null,
  baseModelDigest: 'base',
  ...changes,
});
const rows = [
  rowNamed('a'),
  rowNamed('b', { adapterDigest: 'c'.repeat(64), promptTokenIds: [], tokenIds: [], forced: [] }),
];

describe('buffer rows', () => {
  it.each(['parquet', 'jsonl'] as const)(
    'come back unchanged from %s, whose bytes are the same each time',
    async (format) => {
      const bytes = encodeRows(rows, format);
      expect(await decodeRows(bytes)).toEqual(rows);
      expect(encodeRows(structuredClone(rows), format)).toEqual(bytes);
    },
  );

  it.each(['parquet', 'jsonl'] as const)('may be none (%s)', async (format) => {
    expect(await decodeRows(encodeRows([], format))).toEqual([]);
  });

  it('cross row groups in Parquet', async () => {
    const many = Array.from({ length: 10_003 }, (_, i) => rowNamed(String(i)));
    const decoded = await decodeRows(encodeRows(many, 'parquet'));
    expect(rowsDigest(decoded)).toBe(rowsDigest(many));
  });

  it('have the digest of their JSON Lines', () => {
    expect(rowsDigest(rows)).toBe(sha256(encodeRows(rows, 'jsonl')));
    expect(rowsDigest(rows)).not.toBe(rowsDigest([...rows].reverse()));
  });

  it('are refused when the bytes are of something else', async () => {
    await expect(decodeRows(encodeRows(rows, 'parquet').slice(0, 300))).rejects.toMatchObject({
      code: 'OBJECT_CORRUPT',
    });
    await expect(decodeRows(new TextEncoder().encode('{"outcomeId":"a"}\n'))).rejects.toThrow(
      /expected a Parquet or JSON Lines file/,
    );
  });
});

describe('a manifest', () => {
  const manifest: BufferManifest = {
    sequence: 1,
    bufferDigest: rowsDigest(rows),
    rows: 2,
    strata: { 'timber/hard': 2 },
    files: [{ key: 'buffer/1.parquet', sha256: 'a'.repeat(64), rows: 2, sizeBytes: 10 }],
    inputs: [{ topic: 'seam.outcomes', partition: 0, from: 0, to: 9 }],
    config: bufferConfigSchema.parse({}),
  };

  it('is stored as the bytes that its digest is taken of', () => {
    expect(sha256(encodeManifest(manifest))).toBe(manifestDigest(manifest));
    expect(decodeManifest(encodeManifest(manifest))).toEqual(manifest);
  });

  it('is refused with an unknown key', () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...manifest, extra: 1 }));
    expect(() => decodeManifest(bytes)).toThrow(/expected the canonical JSON of a manifest/);
  });
});
