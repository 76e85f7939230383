// A process that uses an event log until it is killed.
//   write FOLDER TOPIC WRITER FIRST   appends rounds of four records over two partitions, one commit each; prints each round once acknowledged
//   copy FOLDER GROUP SOURCE SINK     copies SOURCE to SINK, record by record, each batch one commit; prints a line per batch
//   copy-slowly …                     the same, with a pause of 100 ms before each commit
//   block FOLDER GROUP SOURCE MS      joins a group, then blocks the event loop for MS milliseconds, then prints its assignment
import { writeSync } from 'node:fs';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';

const [mode, folder, ...rest] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`); // at once: a killed process flushes nothing
const log = await LmdbEventLog.open({ folder, sessionTimeoutMs: 1000 });
const text = (value) => new TextEncoder().encode(value);

if (mode === 'write') {
  const [topic, writer, first] = rest;
  say('ready');
  for (let round = Number(first); ; round++) {
    const value = (part) => text(JSON.stringify({ writer, round, part }));
    await log.append([0, 1, 2, 3].map((part) => ({ topic, key: null, partition: part % 2, value: value(part) })));
    say(`acknowledged ${round}`);
  }
} else {
  const [group, source, last] = rest;
  const subscription = await log.consume({
    group,
    topics: [source],
    from: 'earliest',
    maxBatchRecords: 7,
    onBatch: async ({ topic, partition, records, claim }) => {
      if (mode === 'block') return;
      const nextOffset = records.at(-1).offset + 1;
      say(`handling ${partition} ${records[0].offset}`);
      if (mode === 'copy-slowly') await new Promise((resolve) => setTimeout(resolve, 100));
      await log.transact({
        records: records.map((record) => ({ topic: last, key: record.key, value: record.value, partition })),
        consumed: { claim, offsets: [{ topic, partition, nextOffset }] },
      });
      say(`copied ${partition} ${nextOffset}`);
    },
  });
  say('ready');
  if (mode === 'block') {
    while (subscription.assignment().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    say('blocking');
    const until = performance.now() + Number(last);
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 50));
    say(`owns ${subscription.assignment().length}`);
    await log.close();
  }
  await subscription.closed;
}
