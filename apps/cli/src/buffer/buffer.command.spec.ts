import { encodeEvent, originMeta, type SeamEvent } from '@seamstream/events';
import { sha256 } from '@seamstream/kernel';
import {
  type BufferManifest,
  type BufferRow,
  bufferConfigSchema,
  decodeRows,
  encodeManifest,
  encodeRows,
  manifestDigest,
  rowsDigest,
} from '@seamstream/success-buffer';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const row = (id: string, stratum: string): BufferRow => ({
  outcomeId: id,
  experienceId: `e-${id}`,
  problemId: `p-${id}`,
  domain: 'sums',
  stratum,
  prompt: '2 + 3?',
  entry: '{"strategy":"add"}',
  promptTokenIds: [1, 2],
  tokenIds: [3, 4],
  forced: [true, false],
  reward: 1,
  helpfulness: 0.5,
  adapterDigest: null,
  baseModelDigest: 'b'.repeat(64),
});
const meta = (id: string) =>
  originMeta({ messageId: id, correlationId: 'c', source: 'seam/buffer', occurredAt: 0, sourceClass: 'model' });

/** A buffer of two versions; the last has two rows in two strata. */
async function withBuffer(): Promise<FakeWorld & { readonly rows: readonly BufferRow[] }> {
  const world = await fakeWorld();
  const rows = [row('o1', 'sums/easy'), row('o2', 'sums/hard')];
  for (const [sequence, kept] of [rows.slice(0, 1), rows].entries()) {
    const body = encodeRows(kept, 'parquet');
    const key = `buffer/${sequence + 1}/rows.parquet`;
    await world.objects.put(key, body);
    const strata = Object.fromEntries(kept.map(({ stratum }) => [stratum, 1]));
    const inputs = [{ topic: 'seam.outcomes', partition: 0, from: 0, to: 9 }];
    const manifest: BufferManifest = {
      sequence: sequence + 1,
      bufferDigest: rowsDigest(kept),
      rows: kept.length,
      strata,
      files: [{ key, sha256: sha256(body), rows: kept.length, sizeBytes: body.length }],
      inputs,
      config: bufferConfigSchema.parse({}),
    };
    const manifestKey = `buffer/${sequence + 1}/manifest.json`;
    await world.objects.put(manifestKey, encodeManifest(manifest));
    const events: SeamEvent[] = [
      {
        type: 'SuccessRejected',
        meta: meta(`r${sequence}`),
        stratum: 'sums/easy',
        outcomeId: 'x',
        experienceId: 'y',
        problemId: 'z',
        reason: 'near_duplicate',
        detail: 'd',
        duplicateOf: null,
      },
      {
        type: 'BufferCommitted',
        meta: meta(`c${sequence}`),
        sequence: sequence + 1,
        manifestKey,
        manifestDigest: manifestDigest(manifest),
        bufferDigest: manifest.bufferDigest,
        rows: kept.length,
        rowsPerStratum: strata,
        inputs,
      },
    ];
    await world.log.append(events.map(encodeEvent));
  }
  return { ...world, rows };
}

describe('seam buffer', () => {
  it('shows the last version, its strata and why successes were rejected', async () => {
    const world = await withBuffer();
    expect(await world.seam('buffer')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/version +2 of 1970-01-01T00:00:00\.000Z/);
    expect(output).toMatch(/rejected +near_duplicate 2/);
    expect(output).toMatch(/sums\/easy +1 +50\.0 %\nsums\/hard +1 +50\.0 %/);
    await world.seam('buffer', '--json');
    expect(world.takeJson()).toMatchObject([{ rejected: { near_duplicate: 2 }, last: { sequence: 2, rows: 2 } }]);
  });

  it('exports the rows of a version in either format', async () => {
    const world = await withBuffer();
    expect(await world.seam('buffer', 'export', '--format', 'jsonl', '--out', 'rows.jsonl')).toBe(0);
    expect(world.takeOutput()).toMatch(/^wrote 2 rows of version 2 to rows\.jsonl \(\d+ B\)\n$/);
    const lines = Buffer.from(world.files.get('rows.jsonl')!).toString().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(world.rows);
    await world.seam('buffer', 'export', '--out', 'rows.parquet', '--sequence', '1');
    expect(await decodeRows(world.files.get('rows.parquet')!)).toEqual(world.rows.slice(0, 1));
  });

  it('says when there is no such version', async () => {
    const world = await withBuffer();
    expect(await world.seam('buffer', 'export', '--out', 'x', '--sequence', '7')).toBe(2);
    expect(world.takeErrors()).toContain('expected a version up to 2, came 7');
    const empty = await fakeWorld();
    await empty.seam('buffer');
    expect(empty.takeOutput()).toContain('The buffer has no version yet.');
    expect(await empty.seam('buffer', 'export', '--out', 'x')).toBe(2);
    expect(await empty.seam('buffer', 'export')).toBe(2);
    expect(empty.takeErrors()).toContain("required option '--out <file>' not specified");
  });

  it('writes nothing when a stored object is not what the log says', async () => {
    const world = await withBuffer();
    await world.objects.put('buffer/2/rows.parquet', Buffer.from('other'));
    expect(await world.seam('buffer', 'export', '--out', 'x')).toBe(70);
    expect(world.takeErrors()).toContain('Reading buffer/2/rows.parquet: expected content with digest');
    expect(world.files.has('x')).toBe(false);
  });
});
