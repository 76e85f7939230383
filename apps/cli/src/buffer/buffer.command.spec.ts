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
import { bufferRow } from '@seamstream/testing/buffer-rows';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const meta = (id: string) =>
  originMeta({ messageId: id, correlationId: 'c', source: 'seam/buffer', occurredAt: 0, sourceClass: 'model' });

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

  it('never replaces a file without --force, and writes to standard output', async () => {
    const world = await withBuffer();
    world.files.set('rows.jsonl', Buffer.from('mine'));
    const args = ['buffer', 'export', '--format', 'jsonl', '--out'];
    expect(await world.seam(...args, 'rows.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot write rows.jsonl: expected no file of that name, got one.');
    expect(Buffer.from(world.files.get('rows.jsonl')!).toString()).toBe('mine');
    expect(await world.seam(...args, 'rows.jsonl', '--force')).toBe(0);
    const written = Buffer.from(world.files.get('rows.jsonl')!).toString();
    expect(written).toContain('"outcomeId":"o1"');
    world.takeOutput();
    expect(await world.seam(...args, '-')).toBe(0);
    expect([world.takeOutput(), world.takeErrors()]).toEqual([
      written,
      expect.stringMatching(/^wrote 2 rows of version 2 to standard output/),
    ]);
    expect(world.files.has('-')).toBe(false);
    expect(await world.seam(...args, '-', '--json')).toBe(2);
    expect(world.takeErrors()).toContain('got --out - and --json');
  });

  it('of a buffer in shards shows the newest version of each and exports the rows of all', async () => {
    const world = await fakeWorld();
    const [a, b, c] = [
      bufferRow('o1', { stratum: 'words/easy' }),
      bufferRow('o2', { stratum: 'sums/hard' }),
      bufferRow('o3', { stratum: 'words/hard' }),
    ];
    await commitVersions(world, [[], [b]], { shard: 1, shards: 2 });
    await world.seam('buffer');
    expect(world.takeOutput()).toMatch(/shard +1of2\nversion +2 of .*\nrows +1\n/);
    expect(await world.seam('buffer', 'export', '--out', 'x')).toBe(2);
    expect(world.takeErrors()).toContain('of each of 2 shards, got 1 of them');
    await commitVersions(world, [[a], [a], [a, c]], { shard: 0, shards: 2 });
    await world.seam('buffer');
    const output = world.takeOutput();
    expect(output).toMatch(/shard +0of2\nversion +3 of[^]*shard +1of2\nversion +2 of/);
    expect(output).toMatch(/sums\/hard +1 +33\.3 %\nwords\/easy +1 +33\.3 %\nwords\/hard +1 +33\.3 %/);
    await world.seam('buffer', 'export', '--format', 'jsonl', '--out', 'rows.jsonl');
    expect(world.takeOutput()).toMatch(/^wrote 3 rows of version 3, 2 of 2 shards to rows\.jsonl/);
    expect(await decodeRows(world.files.get('rows.jsonl')!)).toEqual([a, b, c]);
    const again = ['--out', 'rows.jsonl', '--force'];
    await world.seam('buffer', 'export', '--json', '--format', 'jsonl', ...again, '--sequence', '2');
    expect(world.takeJson()).toMatchObject([
      {
        sequence: 2,
        shards: [
          ['0of2', 2],
          ['1of2', 2],
        ],
        bufferDigest: rowsDigest([a, b]),
        rows: 2,
      },
    ]);
    expect(await world.seam('buffer', 'export', '--out', 'x', '--sequence', '3')).toBe(2);
    await world.seam('tail', 'buffer', '--limit', '10');
    expect(world.takeOutput()).toContain('version 2 of shard 1of2: 1 row in 1 stratum');
  });

  it('says when there is no such version', async () => {
    const world = await withBuffer();
    expect(await world.seam('buffer', 'export', '--out', 'x', '--sequence', '7')).toBe(2);
    expect(world.takeErrors()).toContain('expected a version up to 2, got 7');
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
    expect(world.takeErrors()).toContain('Cannot read buffer/2/rows.parquet: expected content with digest');
    expect(world.files.has('x')).toBe(false);
  });
});

/** A buffer of two versions; the last has two rows in two strata. */
async function withBuffer(): Promise<FakeWorld & { readonly rows: readonly BufferRow[] }> {
  const world = await fakeWorld();
  const rows = [bufferRow('o1', { stratum: 'sums/easy' }), bufferRow('o2', { stratum: 'sums/hard' })];
  await commitVersions(world, [rows.slice(0, 1), rows], { shard: 0, shards: 1 });
  return { ...world, rows };
}

async function commitVersions(
  world: FakeWorld,
  versions: readonly (readonly BufferRow[])[],
  { shard, shards }: { readonly shard: number; readonly shards: number },
): Promise<void> {
  const folder = shards === 1 ? 'buffer' : `buffer/${shard}of${shards}`;
  for (const [sequence, kept] of versions.entries()) {
    const body = encodeRows(kept, 'parquet');
    const key = `${folder}/${sequence + 1}/rows.parquet`;
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
    const manifestKey = `${folder}/${sequence + 1}/manifest.json`;
    await world.objects.put(manifestKey, encodeManifest(manifest));
    const events: SeamEvent[] = [
      {
        type: 'SuccessRejected',
        meta: meta(`r${shard}-${sequence}`),
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
        attestation: null,
        meta: meta(`c${shard}-${sequence}`),
        sequence: sequence + 1,
        manifestKey,
        manifestDigest: manifestDigest(manifest),
        bufferDigest: manifest.bufferDigest,
        rows: kept.length,
        rowsPerStratum: strata,
        inputs,
        shard,
        shards,
      },
    ];
    await world.log.append(events.map(encodeEvent));
  }
}
