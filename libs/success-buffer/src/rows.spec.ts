import { sha256 } from '@seamstream/kernel';
import { bufferRow } from '@seamstream/testing/buffer-rows';
import {
  type BufferManifest,
  type BufferRow,
  bufferConfigSchema,
  decodeManifest,
  decodeRows,
  encodeManifest,
  encodeRows,
  encodeVersion,
  manifestDigest,
  readVersion,
  rowsDigest,
} from './index.js';

const rowNamed = (outcomeId: string, changes: Partial<BufferRow> = {}): BufferRow =>
  bufferRow(outcomeId, {
    domain: 'timber',
    prompt: 'Für 3 Fässer „Eiche“ 🌳: how many boards?\n',
    promptTokenIds: [1, 2, 511],
    forced: [true, false, true],
    helpfulness: 0.1 + 0.2,
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

describe('the files of a version', () => {
  const strata = ['timber/easy', 'timber/hard', 'a/b ü~/hard', `${'x'.repeat(300)}/medium`];
  const kept = Array.from({ length: 40 }, (_, index) => {
    const stratum = strata[index % strata.length]!;
    return rowNamed(String(index).padStart(3, '0'), { stratum, domain: stratum.slice(0, stratum.lastIndexOf('/')) });
  });
  const stored = (rows: readonly BufferRow[], formats: readonly ('parquet' | 'jsonl')[]) => {
    const files = encodeVersion(rows, formats);
    const bodies = new Map(files.map(({ path, body }) => [path, body]));
    const manifest: BufferManifest = {
      formatVersion: 2,
      sequence: 1,
      bufferDigest: rowsDigest(rows),
      rows: rows.length,
      strata: {},
      files: files.map(({ path, stratum, body, rows: count }) => ({
        key: path,
        sha256: sha256(body),
        rows: count,
        sizeBytes: body.length,
        ...(stratum === undefined ? {} : { stratum }),
      })),
      inputs: [],
      config: bufferConfigSchema.parse({}),
    };
    return { manifest, bodies, read: async (key: string) => bodies.get(key)! };
  };

  it('are one per stratum, under names that Hive, DuckDB and Arrow take apart', () => {
    expect(encodeVersion(kept, ['parquet', 'jsonl']).map(({ path, rows }) => [path, rows])).toEqual([
      ['domain=a%2Fb%20%C3%BC%7E/difficulty=hard/part-00000.parquet', 10],
      ['domain=timber/difficulty=easy/part-00000.parquet', 10],
      ['domain=timber/difficulty=hard/part-00000.parquet', 10],
      [`domain=sha256-${sha256('x'.repeat(300))}/difficulty=medium/part-00000.parquet`, 10],
      ['rows.jsonl', 40],
    ]);
  });

  it.each([[['parquet']], [['jsonl']], [['parquet', 'jsonl']]] as const)('%j give the rows again', async (formats) => {
    for (const rows of [kept, []]) {
      const { manifest, read } = stored(rows, formats);
      expect(await readVersion(decodeManifest(encodeManifest(manifest)), read)).toEqual(rows);
    }
  });

  it('of the first format, one file with all rows, are read as ever', async () => {
    const body = encodeRows(kept, 'parquet');
    const { manifest } = stored(kept, ['jsonl']);
    delete manifest.formatVersion;
    manifest.files = [{ key: 'rows.parquet', sha256: sha256(body), rows: kept.length, sizeBytes: body.length }];
    expect(await readVersion(decodeManifest(encodeManifest(manifest)), async () => body)).toEqual(kept);
  });

  it('are all or nothing: a missing, foreign or changed file is refused', async () => {
    const { manifest, read, bodies } = stored(kept, ['parquet']);
    const corrupt = { code: 'OBJECT_CORRUPT' };
    await expect(readVersion({ ...manifest, files: manifest.files.slice(1) }, read)).rejects.toMatchObject(corrupt);
    await expect(
      readVersion({ ...manifest, files: [...manifest.files, manifest.files[0]!] }, read),
    ).rejects.toMatchObject(corrupt);
    const [[path, body]] = [...bodies] as [[string, Uint8Array]];
    await expect(readVersion(manifest, async () => Uint8Array.of(1))).rejects.toMatchObject({
      details: { key: path, expected: sha256(body), came: sha256(Uint8Array.of(1)) },
    });
    for (let bit = 0; bit < body.length * 8; bit += 101) {
      const changed = body.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await expect(
        readVersion(manifest, async (key) => (key === path ? changed : bodies.get(key)!)),
      ).rejects.toMatchObject(corrupt);
    }
  });
});
