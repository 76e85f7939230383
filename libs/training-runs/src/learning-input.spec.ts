import { InMemoryEventLog } from '@seamstream/event-log';
import { Random, sha256 } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import {
  type BufferManifest,
  bufferConfigSchema,
  encodeManifest,
  encodeVersion,
  rowsDigest,
} from '@seamstream/success-buffer';
import { bufferRow } from '@seamstream/testing/buffer-rows';
import { readLearningInput } from './learning-input.js';
import { RecordedEvents } from './recorded-events.js';

const rows = Array.from({ length: 12 }, (_, index) =>
  bufferRow(`o-${String(index).padStart(2, '0')}`, {
    stratum: index % 2 === 0 ? 'sums/hard' : 'sums/easy',
    tokenIds: [3, 4, index],
  }),
);

describe('the buffer as the input of a run', () => {
  it('is read from all partitions, in the order of ids', async () => {
    const { read } = await storedVersion();
    expect(await read()).toEqual({ reads: 'buffer', rows });
  });

  it('is the same from one shard or from several', async () => {
    const [one, two] = [await storedVersion(), await storedVersion(2)];
    expect(two.keys.length).toBeGreaterThan(one.keys.length);
    expect(await two.read()).toEqual(await one.read());
  });

  it.each([1, 2])(
    'R25: with a flipped bit or of another length it is refused before training, 100 of 100: %d shards',
    async (shards) => {
      const { objects, read, keys } = await storedVersion(shards);
      const random = Random.of('R25');
      for (let round = 0; round < 100; round++) {
        const key = keys[round % keys.length]!;
        const sound = await objects.get(key);
        let damaged = sound.slice();
        if (round % 5 === 3) damaged = sound.slice(0, random.int(sound.length));
        else if (round % 5 === 4) damaged = Uint8Array.from([...sound, 10]);
        else damaged[random.int(sound.length)]! ^= 1 << random.int(8);
        await objects.put(key, damaged);
        await expect(read()).rejects.toMatchObject({
          code: 'OBJECT_CORRUPT',
          details: expect.objectContaining({ key: expect.any(String), expected: expect.any(String) }),
        });
        await objects.put(key, sound);
      }
      expect(await read()).toEqual({ reads: 'buffer', rows });
    },
  );

  it('is refused when a file of it is missing', async () => {
    const { objects, read, keys } = await storedVersion();
    await objects.delete(keys[1]!);
    await expect(read()).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
  });
});

/** The rows as the versions of one shard, or divided between two. */
async function storedVersion(shards = 1) {
  const objects = new InMemoryObjectStore();
  const keys: string[] = [];
  const manifests: { key: string; digest: string }[] = [];
  for (let shard = 0; shard < shards; shard++) {
    const own = rows.filter((_, index) => index % shards === shard);
    const folder = `buffer/${shard}of${shards}`;
    const files: BufferManifest['files'] = [];
    for (const { path, stratum, body, rows: count } of encodeVersion(own, ['parquet'])) {
      const key = `${folder}/${path}`;
      keys.push(key);
      await objects.put(key, body);
      files.push({
        key,
        sha256: sha256(body),
        rows: count,
        sizeBytes: body.length,
        ...(stratum === undefined ? {} : { stratum }),
      });
    }
    const key = `${folder}/manifest.json`;
    const bytes = encodeManifest({
      formatVersion: 2,
      sequence: 1,
      bufferDigest: rowsDigest(own),
      rows: own.length,
      strata: Object.fromEntries(files.map(({ stratum, rows: count }) => [stratum, count])),
      files,
      inputs: [],
      config: bufferConfigSchema.parse({}),
    });
    await objects.put(key, bytes);
    keys.unshift(key);
    manifests.push({ key, digest: sha256(bytes) });
  }
  const read = () =>
    readLearningInput(
      new RecordedEvents(new InMemoryEventLog()),
      objects,
      { reads: 'buffer' },
      { inputs: [], manifests, runId: 'run' },
    );
  return { objects, read, keys };
}
