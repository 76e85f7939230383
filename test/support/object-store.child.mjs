// One of several processes that race for objects.
//   object-store.child.mjs FOLDER NAME ROUNDS   for each round: tries to create race/<round>, and merges a row into manifest; prints both
import { writeSync } from 'node:fs';
import { FsObjectStore } from '@seamstream/object-store-fs';

const [folder, name, rounds] = process.argv.slice(2);
const store = await FsObjectStore.open({ folder });
const say = (line) => writeSync(1, `${line}\n`);
const bytes = (value) => new TextEncoder().encode(value);
const lost = (error) => {
  if (error.code !== 'PRECONDITION_FAILED') throw error;
  return false;
};

for (let round = 0; round < Number(rounds); round++) {
  if (await store.put(`race/${round}`, bytes(name), { ifMatch: 'absent' }).then(() => true, lost)) say(`won ${round}`);
  for (let merged = false; !merged; ) {
    const head = await store.head('manifest');
    const before = Buffer.from(await store.get('manifest')).toString();
    if ((await store.head('manifest')).etag !== head.etag) continue;
    merged = await store
      .put('manifest', bytes(`${before}${name} ${round}\n`), { ifMatch: { etag: head.etag } })
      .then(() => true, lost);
  }
  say(`merged ${round}`);
}
say('done');
