// The event log against raw lmdb, in one run on one disk: appending durable batches, and scanning everything from the start.
// Raw lmdb: one value per record under its offset, one synchronous transaction per batch, a range scan that copies each value;
// the same bytes (key, headers and value of a record, joined) and the same commits. Medians of interleaved runs.
// For comparison, without a bar: raw lmdb behind a thread, which gets a batch's bytes in one transferred buffer. The log commits in a
// thread as well, so that no commit holds up the event loop; this is what the way there and back costs.
//   node test/performance/event-log.bench.mjs [--json] [--runs 5] [--records 20000] [--folder DIR]
// Bars: append >= 0.7, scan >= 0.5 of raw lmdb.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { Random } from '@seamstream/kernel';
import { openRaw } from './raw-lmdb.mjs';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
    records: { type: 'string', default: '20000' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const runs = Number(options.runs);
const count = Number(options.records);
const TOPIC = 'seam.experiences';

const random = Random.of('event-log.bench');
const headers = (index) => ({
  ce_id: `7d1f0c5e-0000-5000-8000-${String(index).padStart(12, '0')}`,
  ce_type: 'ExperienceGenerated',
  ce_source: 'generator',
  ce_time: '2026-01-01T00:00:00.000Z',
});
/** Records of 300 to 1000 bytes of value, one partition, so that both sides write one sequence. */
function makeRecords(withHeaders) {
  return Array.from({ length: count }, (_, index) => ({
    topic: TOPIC,
    key: `problem-${random.int(1000)}`,
    value: Uint8Array.from({ length: 300 + random.int(701) }, () => random.int(256)),
    ...(withHeaders ? { headers: headers(index) } : {}),
    partition: 0,
  }));
}
const joined = ({ key, headers: own, value }) =>
  Buffer.concat([Buffer.from(key), Buffer.from(own ? JSON.stringify(own) : ''), value]);

function inFolder(action) {
  const folder = mkdtempSync(join(options.folder, 'event-log-bench-'));
  return action(folder).finally(() => rmSync(folder, { recursive: true }));
}

const perSecond = (started) => (count / (performance.now() - started)) * 1000;

async function runLog(records, batch) {
  return inFolder(async (folder) => {
    const log = await LmdbEventLog.open({ folder });
    await log.createTopics([{ name: TOPIC, partitions: 1 }]);
    let started = performance.now();
    for (let at = 0; at < count; at += batch) await log.append(records.slice(at, at + batch));
    const append = perSecond(started);
    started = performance.now();
    let [seen, bytes] = [0, 0];
    for await (const chunk of log.read({ topic: TOPIC, partition: 0, from: 0 })) {
      seen += chunk.length;
      for (const record of chunk) bytes += record.value.length;
    }
    const scan = perSecond(started);
    await log.close();
    if (seen !== count) throw new Error(`read ${seen} of ${count} records`);
    return { append, scan, bytes };
  });
}

async function runRaw(values, batch) {
  return inFolder(async (folder) => {
    const { root, records } = openRaw(folder);
    let started = performance.now();
    for (let at = 0; at < count; at += batch) {
      const end = Math.min(at + batch, count);
      root.transactionSync(() => {
        for (let index = at; index < end; index++) records.putSync(index, values[index]);
      });
    }
    const append = perSecond(started);
    started = performance.now();
    let [seen, bytes] = [0, 0];
    for (const { value } of records.getRange()) {
      seen++;
      bytes += value.length;
    }
    const scan = perSecond(started);
    await root.close();
    if (seen !== count) throw new Error(`read ${seen} of ${count} values`);
    return { append, scan, bytes };
  });
}

async function runBehindThread(values, batch) {
  return inFolder(async (folder) => {
    const thread = new Worker(new URL('raw-lmdb.worker.mjs', import.meta.url), { workerData: folder });
    await once(thread, 'message');
    let buffer = new ArrayBuffer(4 * 1024 ** 2);
    const started = performance.now();
    for (let at = 0; at < count; at += batch) {
      const bytes = new Uint8Array(buffer);
      const ends = [];
      let end = 0;
      for (const value of values.slice(at, at + batch)) {
        bytes.set(value, end);
        ends.push((end += value.length));
      }
      thread.postMessage({ buffer, ends }, [buffer]);
      [buffer] = await once(thread, 'message');
    }
    const append = perSecond(started);
    thread.postMessage({});
    await once(thread, 'exit');
    return { append };
  });
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const results = [];
for (const withHeaders of [false, true]) {
  const records = makeRecords(withHeaders);
  const values = records.map(joined);
  for (const batch of [100, 1000]) {
    const [log, raw, behindThread] = [[], [], []];
    await runLog(records, batch); // warms the code; not counted
    for (let run = 0; run < runs; run++) {
      // Alternating order, so that neither side always pays for the other's dirty pages.
      if (run % 2 === 0) log.push(await runLog(records, batch));
      raw.push(await runRaw(values, batch));
      behindThread.push(await runBehindThread(values, batch));
      if (run % 2 === 1) log.push(await runLog(records, batch));
    }
    const of = (side, what) => Math.round(median(side.map((result) => result[what])));
    const ratioTo = (side, what) => Number(median(log.map((result, run) => result[what] / side[run][what])).toFixed(2));
    const ratio = (what) => ratioTo(raw, what);
    results.push({
      batch,
      headers: withHeaders,
      records: count,
      runs,
      append: { logPerSecond: of(log, 'append'), rawPerSecond: of(raw, 'append'), ratio: ratio('append'), bar: 0.7 },
      appendBehindThread: { rawPerSecond: of(behindThread, 'append'), ratio: ratioTo(behindThread, 'append') },
      scan: { logPerSecond: of(log, 'scan'), rawPerSecond: of(raw, 'scan'), ratio: ratio('scan'), bar: 0.5 },
    });
  }
}
if (options.json) {
  process.stdout.write(`${JSON.stringify({ benchmark: 'event-log', results }, undefined, 2)}\n`);
} else {
  for (const { batch, headers: withHeaders, append, appendBehindThread, scan } of results) {
    const line = (name, { logPerSecond, rawPerSecond, ratio, bar }) =>
      `${name} ${logPerSecond.toLocaleString('en')}/s, raw lmdb ${rawPerSecond.toLocaleString('en')}/s, ratio ${ratio} (bar ${bar})`;
    process.stdout.write(
      `batches of ${batch}, ${withHeaders ? '4 headers' : 'no headers'}: ${line('append', append)}, ratio ${appendBehindThread.ratio} to one behind a thread; ${line('scan', scan)}\n`,
    );
  }
}
if (results.some(({ append, scan }) => append.ratio < append.bar || scan.ratio < scan.bar)) process.exitCode = 1;
