// Fills a small disk with a log and objects, makes room, continues; prints what happened as JSON.
//   full-disk.child.mjs FOLDER FILLER     FILLER is a file on the same disk that is removed to make room
import { rmSync } from 'node:fs';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { FsObjectStore } from '@seamstream/object-store-fs';

const [folder, filler] = process.argv.slice(2);
const log = await LmdbEventLog.open({ folder: `${folder}/log` });
const store = await FsObjectStore.open({ folder: `${folder}/objects` });
await log.createTopics([{ name: 't', partitions: 1 }]);
const codes = new Set();
const record = (index, size) => ({ topic: 't', key: null, value: new Uint8Array(size).fill(index % 256) });

/** Appends records of shrinking size until not even a small one fits, so that many write sites meet the end of the disk. */
async function fillWithRecords(first) {
  let count = first;
  for (const size of [90_000, 20_011, 5_003, 701]) {
    for (let refusals = 0; refusals < 5; ) {
      try {
        await log.append([record(count, size), record(count, size)]);
        count++;
      } catch (error) {
        codes.add(error.code);
        refusals++;
      }
    }
  }
  return count;
}

async function check(count) {
  let seen = 0;
  for await (const chunk of log.read({ topic: 't', partition: 0, from: 0 })) {
    for (const { offset, value } of chunk) {
      if (offset !== seen || value.some((byte) => byte !== Math.floor(seen / 2) % 256))
        throw new Error(`record ${seen} is not what was written`);
      seen++;
    }
  }
  if (seen !== count * 2) throw new Error(`${count} commits were acknowledged, ${seen} records of two each are there`);
  return seen;
}

await store.put('kept', new Uint8Array(1000).fill(1));
const before = await fillWithRecords(0);
const seenBefore = await check(before);
const storeCode = await store.put('large', new Uint8Array(3_000_000)).then(
  () => 'stored',
  (error) => error.code,
);
const kept = (await store.get('kept')).every((byte) => byte === 1);
rmSync(filler);
const putAfter = await store.put('large', new Uint8Array(3_000_000)).then(
  () => 'stored',
  (error) => error.code,
);
const after = await fillWithRecords(before);
await check(after);
await log.close();
const reopened = await LmdbEventLog.open({ folder: `${folder}/log`, readOnly: true });
const [{ high }] = await reopened.watermarks('t');
process.stdout.write(JSON.stringify({ codes: [...codes], before, after, seenBefore, high, storeCode, kept, putAfter }));
await reopened.close();
