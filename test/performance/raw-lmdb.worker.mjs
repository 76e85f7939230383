/** Commits batches for another thread: values that end at `ends` in a transferred buffer, which goes back. Without a buffer it ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { openRaw } from './raw-lmdb.mjs';

const { root, records } = openRaw(workerData);
let next = 0;
parentPort.on('message', async ({ buffer, ends }) => {
  if (buffer === undefined) {
    await root.close();
    parentPort.close();
    return;
  }
  let from = 0;
  root.transactionSync(() => {
    for (const end of ends) {
      records.putSync(next++, Buffer.from(buffer, from, end - from));
      from = end;
    }
  });
  parentPort.postMessage(buffer, [buffer]);
});
parentPort.postMessage('ready');
