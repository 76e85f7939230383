// Replaying a log: `read` of a whole topic, oldest first, all partitions one after the other.
//   lmdb    events per second over N events, without and with decoding each; a figure, no bar
//   kafka   against kafkajs' own consumer on the same topic of the same broker, alternating, medians and spread. Bar: >= 0.7
// Records are ProblemPublished as the codec writes them. On LMDB the file is larger than what was read before only when N is:
// pages that the machine still holds in memory cost no disk, in replay as here.
//   npm run build && node test/performance/replay.bench.mjs [--log lmdb,kafka] [--events 1000000] [--kafka-events 200000]
//     [--runs 5] [--folder DIR] [--json]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startKafka } from '@seamstream/dev-servers';
import { KafkaEventLog } from '@seamstream/event-log-kafka';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { decodeEvent, encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import { derivedId, newId } from '@seamstream/kernel';
import kafkajs from 'kafkajs';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    log: { type: 'string', default: 'lmdb,kafka' },
    events: { type: 'string', default: '1000000' },
    'kafka-events': { type: 'string', default: '200000' },
    runs: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const PARTITIONS = 4;
const STEP = 5000;
const BAR = 0.7;

/** A thousand distinct events, taken in turn: what is measured is the log, not the making of events. */
const samples = Array.from({ length: 1000 }, (_, index) => {
  const problemId = `problem-${index}`;
  return encodeEvent({
    type: 'ProblemPublished',
    meta: originMeta({
      messageId: derivedId(problemId, 'problem'),
      correlationId: problemId,
      source: 'seam/bench',
      occurredAt: 1_767_225_600_000 + index,
      sourceClass: 'trusted',
    }),
    problem: {
      problemId,
      domain: 'arithmetic',
      prompt: `A crate holds ${index} bottles. How many bottles are in 17 crates after 5 were broken?`,
      reference: String(17 * index - 5),
      verifier: { kind: 'numeric', version: '1', options: {} },
      metadata: {},
    },
    mode: 'explore',
    expiresAt: null,
  });
});

async function fill(log, count) {
  await log.createTopics([{ name: TOPIC.problems, partitions: PARTITIONS }]);
  const started = performance.now();
  // Two steps under way: one is encoded while the other is written.
  let before = Promise.resolve();
  for (let at = 0; at < count; at += STEP) {
    const size = Math.min(STEP, count - at);
    const step = Array.from({ length: size }, (_, index) => samples[(at + index) % samples.length]);
    const now = log.append(step);
    await before;
    before = now;
  }
  await before;
  return (performance.now() - started) / 1000;
}

async function readAll(log, each) {
  const started = performance.now();
  const startedCpu = process.cpuUsage();
  let [records, bytes] = [0, 0];
  for (const { partition, low } of await log.watermarks(TOPIC.problems)) {
    for await (const chunk of log.read({ topic: TOPIC.problems, partition, from: low })) {
      records += chunk.length;
      for (const record of chunk) {
        bytes += record.value.length;
        each?.(record);
      }
    }
  }
  const { user, system } = process.cpuUsage(startedCpu);
  const seconds = (performance.now() - started) / 1000;
  return { records, bytes, seconds, perSecond: records / seconds, cpuMicroseconds: (user + system) / records };
}

const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const median = (numbers) => sorted(numbers)[numbers.length >> 1];
const rounded = (number) => Number(number.toFixed(2));

async function onLmdb() {
  const count = Number(options.events);
  const folder = mkdtempSync(join(options.folder, 'replay-bench-'));
  try {
    const log = await LmdbEventLog.open({ folder });
    const appendSeconds = await fill(log, count);
    const plain = await readAll(log);
    const decoded = await readAll(log, decodeEvent);
    await log.close();
    if (plain.records !== count) throw new Error(`read ${plain.records} of ${count} records`);
    return {
      log: 'lmdb',
      events: count,
      bytesPerEventOnDisk: Math.round(statSync(join(folder, 'data.mdb')).size / count),
      appendSeconds: rounded(appendSeconds),
      readSeconds: rounded(plain.seconds),
      readPerSecond: Math.round(plain.perSecond),
      readCpuMicroseconds: rounded(plain.cpuMicroseconds),
      decodedSeconds: rounded(decoded.seconds),
      decodedPerSecond: Math.round(decoded.perSecond),
      decodedCpuMicroseconds: rounded(decoded.cpuMicroseconds),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** kafkajs alone: a separate group from the beginning, which only counts what it reads. */
async function bareConsumption(bootstrap, topic, count) {
  const client = new kafkajs.Kafka({
    brokers: bootstrap.split(','),
    clientId: 'bare',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const consumer = client.consumer({ groupId: `bare-${newId()}`, readUncommitted: false });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let [records, bytes] = [0, 0];
  let started;
  const done = Promise.withResolvers();
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: true,
    partitionsConsumedConcurrently: PARTITIONS,
    eachBatch: async ({ batch }) => {
      // From the first batch on: joining a group is not reading. What came with it counts, as the time to fetch it does not.
      started ??= performance.now();
      for (const { value } of batch.messages) bytes += value.length;
      records += batch.messages.length;
      if (records >= count) done.resolve();
    },
  });
  await done.promise;
  const seconds = (performance.now() - started) / 1000;
  await consumer.disconnect();
  return { records, bytes, perSecond: records / seconds };
}

async function onKafka() {
  const count = Number(options['kafka-events']);
  const kafka = await startKafka();
  try {
    const prefix = `replay-${newId()}.`;
    // Without compression: kafkajs alone has no zstd.
    const log = await KafkaEventLog.open({ brokers: kafka.bootstrap.split(','), prefix, compression: 'none' });
    await fill(log, count);
    await readAll(log);
    const rounds = [];
    for (let run = 0; run < Number(options.runs); run++) {
      const first = run % 2 === 0 ? await readAll(log) : undefined;
      const bare = await bareConsumption(kafka.bootstrap, `${prefix}${TOPIC.problems}`, count);
      rounds.push({ ours: first ?? (await readAll(log)), bare });
    }
    await log.close();
    for (const { ours, bare } of rounds)
      if (ours.records !== count || bare.bytes !== ours.bytes) throw new Error('the two did not read the same');
    const ratios = rounds.map(({ ours, bare }) => ours.perSecond / bare.perSecond);
    return {
      log: 'kafka',
      events: count,
      runs: rounds.length,
      readPerSecond: Math.round(median(rounds.map(({ ours }) => ours.perSecond))),
      barePerSecond: Math.round(median(rounds.map(({ bare }) => bare.perSecond))),
      ratio: rounded(median(ratios)),
      ratioSpread: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))],
      bar: BAR,
    };
  } finally {
    await kafka.stop();
  }
}

const results = [];
for (const log of options.log.split(',')) results.push(await (log === 'lmdb' ? onLmdb() : onKafka()));
if (options.json) process.stdout.write(`${JSON.stringify({ benchmark: 'replay', results }, undefined, 2)}\n`);
else for (const each of results) process.stdout.write(`${JSON.stringify(each)}\n`);
process.exitCode = results.every(({ ratio }) => ratio === undefined || ratio >= BAR) ? 0 : 1;
