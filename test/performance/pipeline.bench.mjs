// The pipeline without model time, events per second through all stages, exactly once: the real services (transport, codec,
// handlers, buffer fold and versions) with a generator and an executor that answer at once with canned text. Against a bare
// loop on the same storage that does the same transactions on the same bytes and nothing else:
//   lmdb    reads what each recorded transaction had consumed, writes what it had produced and the offset, one durable LMDB
//           transaction each, in the same order. Twice: one consumes, transforms and produces, as who writes such a loop by hand
//           would: avsc decodes every value that is consumed and encodes every one that is produced, the same bytes as ours. One
//           only copies: values are filler of the same length, nothing is decoded or encoded
//   kafka   kafkajs alone: three groups that consume, produce records of the same number and length as our stages did, and
//           commit offsets with them in one transaction per batch of the same size; a transactional producer per partition
// Counted as ours is everything that is not the models' own: transport, log and codec, ids, prompts, the entry's parsing and its
// two checks, the verdict, the buffer's fold, its versions and snapshots, logging and metrics, all three services in one thread.
// Not counted: tokenizer, grammar and compiling of schemas (canned, or done in the run that warms the code), publishing, the
// services' start but the generator's, the ledger's check.
// Interleaved runs, medians and spread. After each run of ours the ledger must balance and every id be there once.
//   npm run build && node test/performance/pipeline.bench.mjs [--log lmdb,kafka] [--runs 5] [--problems 1000] [--group 8]
//     [--commit-every 500] [--folder DIR] [--json]
//   … --apart     with --log lmdb: each service in a separate process, as deployed; the bare loop is still one thread
//   … --stages    instead: each stage alone on LMDB, processor time of all threads per record that it consumes
// Bar: >= 0.6 of the bare loop; on LMDB of the one that transforms. What the ratio to the other one costs: docs/explanation/scale.md. On Kafka the
// loop copies, and the bar is met all the same.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bufferService, bufferServiceConfigSchema } from '@seamstream/buffer';
import { startKafka } from '@seamstream/dev-servers';
import { KafkaEventLog } from '@seamstream/event-log-kafka';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { decodeEvent, encodeEvent, eventSchemas, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import { executorConfigSchema, executorService } from '@seamstream/executor';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { derivedId, newId, Random, sha256 } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { ledgerProjection } from '@seamstream/read-models';
import { startService } from '@seamstream/service-kit';
import avro from 'avsc';
import kafkajs from 'kafkajs';
import { open } from 'lmdb';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    stages: { type: 'boolean', default: false },
    apart: { type: 'boolean', default: false },
    /** For the processes of --apart: which service this one is. */
    service: { type: 'string' },
    log: { type: 'string', default: 'lmdb,kafka' },
    runs: { type: 'string', default: '5' },
    problems: { type: 'string', default: '1000' },
    group: { type: 'string', default: '8' },
    'commit-every': { type: 'string', default: '500' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const runs = Number(options.runs);
const numProblems = Number(options.problems);
const groupSize = Number(options.group);
const BAR = 0.6;
const STAGES = ['seam.generator', 'seam.executor', 'seam.buffer'];

// --- the world without models -----------------------------------------------------------------------------------------

const random = Random.of('pipeline.bench');
const words = Array.from({ length: 24 }, (_, index) => `w${index}`);
const schemaFor = entrySchemas({
  sums: domainEntrySchema({ concepts: { words }, strategy: { words }, pitfalls: { words } }),
});
const texts = new Map();
const canned = words.map((word) => {
  const text = JSON.stringify({ concepts: [word], strategy: [word], pitfalls: ['w0'] });
  const tokenIds = [...Buffer.from(text)];
  texts.set(tokenIds, text);
  return {
    tokenIds,
    logProbs: tokenIds.map(() => -0.5),
    legalMass: tokenIds.map(() => 0.25),
    forced: tokenIds.map((_, index) => index % 5 !== 0),
    finishReason: 'completed',
  };
});
/** Prompts of 45 tokens, entries of some 50: as the shipped model's. */
const promptTokenIds = Array.from({ length: 45 }, () => random.int(1024));
const model = {
  digest: sha256('none'),
  config: { maxPositions: 512 },
  tokenizer: {
    digest: sha256('bytes'),
    encode: () => promptTokenIds,
    decode: (ids) => texts.get(ids),
  },
  generate: async (requests) => requests.map(({ seeds }) => seeds.map((_, index) => canned[index % canned.length])),
  fingerprint: async () => sha256('probe'),
};
let asked = 0;
const executor = {
  identity: { model: 'none', revision: 'r', decoding: '{}' },
  answer: async (prompts) =>
    prompts.map(() => {
      const text = `17 × 24 = 408, 408 − 5 = 403.\n#### ${asked++ % 2 === 0 ? 403 : 7}`;
      return { status: 'answered', text, finished: true, promptTokens: 61, responseTokens: 20 };
    }),
};
const problems = Array.from({ length: numProblems }, (_, index) => {
  const problemId = `problem-${index}`;
  const prompt = `${Array.from({ length: 14 }, () => `v${random.int(5000)}`).join(' ')} ${index}: how many are left?`;
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
      domain: 'sums',
      prompt,
      reference: '403',
      verifier: { kind: 'numeric', version: '1', options: {} },
      metadata: {},
    },
    mode: 'explore',
    expiresAt: null,
  });
});

const quiet = { logging: { level: 'silent' } };
const settings = {
  generator: generatorConfigSchema.parse({ ...quiet, generator: { groupSize, controlShare: 0.1 } }),
  executor: executorConfigSchema.parse(quiet),
  buffer: bufferServiceConfigSchema.parse({
    ...quiet,
    buffer: {
      commitEveryProblems: Number(options['commit-every']),
      rules: { uncappedSubjects: ['(nobody)'] },
    },
    ...(process.env.SEAM_EVIDENCE === undefined ? {} : { evidence: process.env.SEAM_EVIDENCE }),
  }),
};

// --- our pipeline --------------------------------------------------------------------------------------------------------

/** Bytes of a record: key, value, names and values of headers. Called while the clock runs, so it makes nothing. */
function bytesOf({ key, value, headers }) {
  let bytes = Buffer.byteLength(key ?? '') + (value?.length ?? 0);
  for (const name in headers) bytes += name.length + Buffer.byteLength(headers[name]);
  return bytes;
}

/** The log, and what was committed through it: by group, what each transaction consumed and produced. */
function recorded(log) {
  const transactions = [];
  const view = new Proxy(log, {
    get(target, name) {
      if (name === 'transact') {
        return async (transaction) => {
          const positions = await target.transact(transaction);
          const { consumed, records } = transaction;
          transactions.push({
            atMs: performance.timeOrigin + performance.now(),
            group: consumed?.claim.group,
            consumed: consumed?.offsets[0],
            produced: records.map((record, index) => ({ ...positions[index], bytes: bytesOf(record) })),
          });
          return positions;
        };
      }
      const member = target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { view, transactions };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function publish(log) {
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  const published = [];
  for (let at = 0; at < problems.length; at += 500) {
    const step = problems.slice(at, at + 500);
    (await log.append(step)).forEach((position, index) => published.push({ ...position, bytes: bytesOf(step[index]) }));
  }
  return published;
}

/** By group: how its service is started on a log. */
const starters = Object.fromEntries(
  [
    ['seam.generator', generatorService({ model, schemaFor }), settings.generator],
    ['seam.executor', executorService({ executor, schemaFor }), settings.executor],
    ['seam.buffer', bufferService({ schemaFor }), settings.buffer],
  ].map(([group, definition, config]) => [
    group,
    (log) =>
      startService(definition, { config, drivers: { log, objects: new InMemoryObjectStore() }, serveHttp: false }),
  ]),
);

/** Publishes everything, then starts the services and waits until the last outcome is folded. */
async function runOurs(log) {
  const published = await publish(log);
  const { view, transactions } = recorded(log);
  // Groups have a place before the clock starts: joining one costs Kafka seconds, and is not what is measured.
  const services = await Promise.all([starters['seam.buffer'](view), starters['seam.executor'](view)]);
  await pause(options.log.includes('kafka') ? 500 : 50);
  const startedCpu = process.cpuUsage();
  services.push(await starters['seam.generator'](view));
  while (transactions.length === 0) await pause(1);
  // From the first commit to the last one: the first batch is not counted.
  const started = performance.now();
  const first = eventCount(transactions);
  // What each stage has to reach, and what it has: kept up as transactions come, so that watching costs next to nothing.
  const goals = STAGES.map(() => new Map());
  const places = STAGES.map(() => new Map());
  for (const { partition, offset } of published) goals[0].set(partition, offset + 1);
  let looked = 0;
  const isDone = () => {
    for (; looked < transactions.length; looked++) {
      const { group, consumed, produced } = transactions[looked];
      const stage = STAGES.indexOf(group);
      places[stage].set(consumed.partition, consumed.nextOffset);
      for (const { partition, offset } of produced) goals[stage + 1]?.set(partition, offset + 1);
    }
    return goals.every((goal, stage) => [...goal].every(([partition, end]) => places[stage].get(partition) >= end));
  };
  let seconds;
  for (;;) {
    await pause(5);
    if (isDone()) {
      seconds = (performance.now() - started) / 1000;
      break;
    }
  }
  const { user, system } = process.cpuUsage(startedCpu);
  const events = eventCount(transactions);
  await Promise.all(services.map((each) => each.close()));
  return {
    perSecond: (events - first) / seconds,
    events,
    cpuMicroseconds: (user + system) / events,
    published,
    transactions,
    values: await check(log),
  };
}

/** One service in this process: starts it on a log when asked to, and reports what it committed when that is over. */
async function serveApart(group) {
  let finish;
  process.on('message', async (message) => {
    if (message.finish) {
      process.send(await finish());
      return;
    }
    const log = await LmdbEventLog.open({ folder: message.folder });
    const { view, transactions } = recorded(log);
    const startedCpu = process.cpuUsage();
    const service = await starters[group](view);
    finish = async () => {
      const { user, system } = process.cpuUsage(startedCpu);
      await service.close();
      await log.close();
      return { transactions, cpu: user + system };
    };
    process.send('started');
  });
  await once(process, 'disconnect');
}

/** Transactions of several processes by time; what one consumed was written before it, though its writer may have heard later. */
function inOrder(transactions, published) {
  const waiting = transactions.toSorted((a, b) => a.atMs - b.atMs);
  const ends = new Map();
  const written = (positions) => {
    for (const position of positions) ends.set(slotOf(position), position.offset + 1);
  };
  written(published);
  const ordered = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ consumed }) => consumed.nextOffset <= (ends.get(slotOf(consumed)) ?? 0));
    ordered.push(...waiting.splice(next, 1));
    written(ordered.at(-1).produced);
  }
  return ordered;
}

/** As {@link runOurs}, each service in a separate process; `children` by group. */
async function runApart(folder, children) {
  const log = await LmdbEventLog.open({ folder });
  try {
    const published = await publish(log);
    const tell = async (group, message) => {
      children[group].send(message);
      return (await once(children[group], 'message'))[0];
    };
    await Promise.all(['seam.buffer', 'seam.executor'].map((group) => tell(group, { folder })));
    await pause(50);
    await tell('seam.generator', { folder });
    const inputs = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];
    for (let stage = 0; stage < STAGES.length; ) {
      // A stage that has read everything, when the one before it writes no more, is done.
      const committed = await log.committedOffsets(STAGES[stage]);
      const ends = await log.watermarks(inputs[stage]);
      const done = ends.every(
        ({ partition, high }) =>
          high === 0 ||
          committed.some(
            (place) => place.topic === inputs[stage] && place.partition === partition && place.nextOffset === high,
          ),
      );
      if (done) stage++;
      else await pause(5);
    }
    const told = await Promise.all(STAGES.map((group) => tell(group, { finish: true })));
    const transactions = inOrder(
      told.flatMap((each) => each.transactions),
      published,
    );
    const values = await check(log);
    const events = eventCount(transactions);
    const times = transactions.map(({ atMs }) => atMs);
    const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
    return {
      perSecond: (events - transactions[0].produced.length) / seconds,
      events,
      cpuMicroseconds: told.reduce((sum, { cpu }) => sum + cpu, 0) / events,
      published,
      transactions,
      values,
    };
  } finally {
    await log.close();
  }
}

const eventCount = (transactions) => transactions.reduce((sum, { produced }) => sum + produced.length, 0);

/** Nothing lost, nothing twice. @returns every record's value, by {@link keyOf} */
async function check(log) {
  let state = ledgerProjection.initialState();
  const ids = new Set();
  const values = new Map();
  for (const topic of new Set([
    ...ledgerProjection.topics,
    TOPIC.problems,
    TOPIC.experiences,
    TOPIC.outcomes,
    TOPIC.buffer,
  ])) {
    for (const { partition, low } of await log.watermarks(topic)) {
      for await (const chunk of log.read({ topic, partition, from: low })) {
        for (const record of chunk) {
          const event = decodeEvent(record);
          ids.add(event.meta.messageId);
          values.set(keyOf(record), record.value);
          state = ledgerProjection.evolve(state, event, record);
        }
      }
    }
  }
  const ledger = ledgerProjection.read(state);
  if (ids.size !== values.size) throw new Error(`${values.size - ids.size} of ${values.size} events are there twice`);
  if (!ledger.balanced) throw new Error(`the ledger does not balance: ${JSON.stringify(ledger)}`);
  return values;
}

/** The stages one after the other: what each costs by itself. Microseconds of processor time per consumed record, bytes per produced one. */
async function stagesAlone(folder) {
  const log = await LmdbEventLog.open({ folder });
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  for (let at = 0; at < problems.length; at += 500) await log.append(problems.slice(at, at + 500));
  const { view, transactions } = recorded(log);
  const topics = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];
  const costs = [];
  for (const [index, group] of STAGES.entries()) {
    const inputs = (await log.watermarks(topics[index])).reduce((sum, { high }) => sum + high, 0);
    const startedCpu = process.cpuUsage();
    const service = await starters[group](view);
    const consumed = async () => (await log.committedOffsets(group)).reduce((sum, each) => sum + each.nextOffset, 0);
    while ((await consumed()) < inputs) await pause(20);
    const { user, system } = process.cpuUsage(startedCpu);
    await service.close();
    const produced = transactions.filter((each) => each.group === group).flatMap((each) => each.produced);
    costs.push({
      group,
      inputs,
      produced: produced.length,
      producedBytes: Math.round(produced.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, produced.length)),
      cpuMicrosecondsPerInput: Math.round((user + system) / inputs),
    });
  }
  const events = problems.length + eventCount(transactions);
  await check(log);
  await log.close();
  const { size } = statSync(join(folder, 'data.mdb'));
  return {
    problems: problems.length,
    problemBytes: Math.round(problems.reduce((sum, each) => sum + bytesOf(each), 0) / problems.length),
    eventsPerProblem: Number((events / problems.length).toFixed(2)),
    fileBytesPerProblem: Math.round(size / problems.length),
    stages: costs,
  };
}

// --- the bare loops ------------------------------------------------------------------------------------------------------

const filler = Uint8Array.from({ length: 1_000_000 }, () => random.int(256));
const SLOTS = new Map();
/** One number per partition of a topic. */
const slotOf = ({ topic, partition }) => {
  const name = `${topic}/${partition}`;
  if (!SLOTS.has(name)) SLOTS.set(name, SLOTS.size);
  return SLOTS.get(name);
};
const keyOf = (position) => slotOf(position) * 2 ** 26 + position.offset;

/** avsc's own types by the fingerprint that values begin with. */
const avroTypes = new Map(
  eventSchemas().map(({ fingerprint, schema }) => [
    fingerprint,
    avro.Type.forSchema(JSON.parse(schema), { wrapUnions: 'never', registry: {} }),
  ]),
);
const AVRO_HEADER_BYTES = 10;
const avroTypeOf = (value) => avroTypes.get(Buffer.from(value).toString('hex', 2, AVRO_HEADER_BYTES));
const bodyOf = (value) => Buffer.from(value.buffer, value.byteOffset, value.length).subarray(AVRO_HEADER_BYTES);

/** What a bare loop does with values: nothing, … */
const copying = {
  decode: (_position, bytes) => bytes.length,
  encode: (_position, bytes) => filler.subarray(0, bytes),
};

/** … or it decodes what it consumes, and encodes the events that ours had produced, key and headers as filler behind them. */
function transforming({ published, transactions, values }) {
  const types = new Map([...values].map(([key, value]) => [key, avroTypeOf(value)]));
  const events = new Map();
  for (const position of [...published, ...transactions.flatMap(({ produced }) => produced)]) {
    const key = keyOf(position);
    events.set(key, types.get(key).fromBuffer(bodyOf(values.get(key))));
  }
  const record = Buffer.from(filler);
  return {
    decode: (position, bytes) => {
      const key = keyOf(position);
      const end = values.get(key).length;
      return Object.keys(types.get(key).fromBuffer(bytes.subarray(AVRO_HEADER_BYTES, end))).length;
    },
    encode: (position, bytes) => {
      const key = keyOf(position);
      types.get(key).toBuffer(events.get(key)).copy(record, AVRO_HEADER_BYTES);
      return record.subarray(0, bytes);
    },
  };
}

async function runBareLmdb({ published, transactions }, folder, { decode, encode }) {
  const root = open({ path: folder, noSubdir: false, mapSize: 64 * 1024 ** 3, overlappingSync: false });
  const records = root.openDB({ name: 'records', encoding: 'binary', keyEncoding: 'uint32' });
  const offsets = root.openDB({ name: 'offsets', encoding: 'binary' });
  root.transactionSync(() => {
    for (const { bytes, ...position } of published) records.putSync(keyOf(position), encode(position, bytes));
  });
  const places = new Map();
  let [events, read] = [0, 0];
  const startedCpu = process.cpuUsage();
  const started = performance.now();
  for (const { group, consumed, produced } of transactions) {
    const place = `${group}/${consumed.topic}/${consumed.partition}`;
    for (let offset = places.get(place) ?? 0; offset < consumed.nextOffset; offset++) {
      const position = { ...consumed, offset };
      read += decode(position, records.getBinary(keyOf(position)));
    }
    root.transactionSync(() => {
      for (const { bytes, ...position } of produced) records.putSync(keyOf(position), encode(position, bytes));
      offsets.putSync(place, Buffer.from(String(consumed.nextOffset)));
    });
    places.set(place, consumed.nextOffset);
    events += produced.length;
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(startedCpu);
  await root.close();
  if (read === 0) throw new Error('nothing was read');
  return { perSecond: events / seconds, events, cpuMicroseconds: (user + system) / events };
}

/** Both bare loops after a run of ours. */
async function bareOnLmdb(ours) {
  const pair = { ours, bare: await inFolder((folder) => runBareLmdb(ours, folder, transforming(ours))) };
  pair.copying = await inFolder((folder) => runBareLmdb(ours, folder, copying));
  ours.values = undefined;
  return pair;
}

/** By stage: where from, where to, how many records of what length come of a consumed one, and how many a batch has. */
function stagesOf({ transactions, published }) {
  const inputs = { 'seam.generator': published.length };
  return STAGES.map((group) => {
    const own = transactions.filter((each) => each.group === group);
    const produced = own.flatMap((each) => each.produced);
    inputs[STAGES[STAGES.indexOf(group) + 1]] = produced.length;
    return {
      group,
      inputs: inputs[group],
      produced: produced.length,
      bytes: Math.round(produced.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, produced.length)),
      batch: Math.max(1, Math.round(inputs[group] / Math.max(1, own.length))),
    };
  });
}

async function runBareKafka(ours, bootstrap) {
  const partitions = 4;
  const id = newId();
  const client = new kafkajs.Kafka({
    brokers: bootstrap.split(','),
    clientId: 'bare',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const stages = stagesOf(ours);
  const topics = [0, 1, 2, 3].map((index) => `bare-${id}-${index}`);
  const admin = client.admin();
  await admin.connect();
  await admin.createTopics({
    topics: topics.map((topic) => ({ topic, numPartitions: partitions })),
    waitForLeaders: true,
  });
  const closers = [() => admin.disconnect()];
  const publisher = client.producer();
  await publisher.connect();
  const size = Math.round(ours.published.reduce((sum, { bytes }) => sum + bytes, 0) / ours.published.length);
  const valueOf = (bytes) => Buffer.from(filler.buffer, 0, bytes);
  await publisher.send({
    topic: topics[0],
    messages: ours.published.map((_, index) => ({ partition: index % partitions, value: valueOf(size) })),
  });
  await publisher.disconnect();
  const consumed = stages.map(() => 0);
  const produced = stages.map(() => 0);
  let started;
  let startedCpu;
  let first = 0;
  const startStage = async (stage, index) => {
    const group = `bare-${id}-${stage.group}`;
    const producers = new Map();
    for (let partition = 0; partition < partitions; partition++) {
      const producer = client.producer({
        transactionalId: `${group}-${partition}`,
        idempotent: true,
        maxInFlightRequests: 1,
      });
      await producer.connect();
      closers.push(() => producer.disconnect());
      producers.set(partition, producer);
    }
    const consumer = client.consumer({ groupId: group, maxWaitTimeInMs: 50, readUncommitted: false });
    await consumer.connect();
    closers.push(() => consumer.disconnect());
    await consumer.subscribe({ topic: topics[index], fromBeginning: true });
    const perInput = stage.produced / stage.inputs;
    const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: partitions,
      eachBatch: async ({ batch, resolveOffset, heartbeat }) => {
        for (let at = 0; at < batch.messages.length; at += stage.batch) {
          const messages = batch.messages.slice(at, at + stage.batch);
          const transaction = await producers.get(batch.partition).transaction();
          const count =
            Math.round((consumed[index] + messages.length) * perInput) - Math.round(consumed[index] * perInput);
          consumed[index] += messages.length;
          if (count > 0) {
            const value = valueOf(stage.bytes);
            await transaction.send({
              topic: topics[index + 1],
              messages: Array.from({ length: count }, () => ({ partition: batch.partition, value })),
            });
          }
          const offset = String(BigInt(messages.at(-1).offset) + 1n);
          await transaction.sendOffsets({
            consumerGroupId: group,
            topics: [{ topic: batch.topic, partitions: [{ partition: batch.partition, offset }] }],
          });
          await transaction.commit();
          resolveOffset(messages.at(-1).offset);
          produced[index] += count;
          if (started === undefined) {
            started = performance.now();
            startedCpu = process.cpuUsage();
            first = count;
          }
          await heartbeat();
        }
      },
    });
    await joined;
  };
  try {
    for (const index of [2, 1]) await startStage(stages[index], index);
    await startStage(stages[0], 0);
    while (consumed[0] < stages[0].inputs || consumed[1] < produced[0] || consumed[2] < produced[1]) await pause(2);
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(startedCpu);
    const events = produced.reduce((sum, count) => sum + count, 0);
    return { perSecond: (events - first) / seconds, events, cpuMicroseconds: (user + system) / events };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

// --- runs ------------------------------------------------------------------------------------------------------------------

async function inFolder(action) {
  const folder = mkdtempSync(join(options.folder, 'pipeline-bench-'));
  try {
    return await action(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function pairApart(children) {
  const ours = await inFolder((folder) => runApart(folder, children));
  return bareOnLmdb(ours);
}

async function pairOnLmdb() {
  const ours = await inFolder(async (folder) => {
    const log = await LmdbEventLog.open({ folder });
    try {
      return await runOurs(log);
    } finally {
      await log.close();
    }
  });
  return bareOnLmdb(ours);
}

async function pairOnKafka(bootstrap) {
  // Without compression on either side: kafkajs alone has no zstd, and filler does not compress.
  const log = await KafkaEventLog.open({
    brokers: bootstrap.split(','),
    prefix: `bench-${newId()}.`,
    compression: 'none',
  });
  let ours;
  try {
    ours = await runOurs(log);
  } finally {
    await log.close();
  }
  return { ours, bare: await runBareKafka(ours, bootstrap) };
}

const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const median = (numbers) => sorted(numbers)[numbers.length >> 1];
const spread = (numbers) => [sorted(numbers)[0], sorted(numbers).at(-1)];

async function measure(log, pair) {
  await pair(); // warms the code; not counted
  const pairs = [];
  for (let run = 0; run < runs; run++) pairs.push(await pair());
  const ratios = pairs.map(({ ours, bare }) => ours.perSecond / bare.perSecond);
  const last = pairs.at(-1).ours;
  const copyingLoops = pairs.flatMap(({ ours, copying: loop }) => (loop === undefined ? [] : [{ ours, loop }]));
  const copyingRatios = copyingLoops.map(({ ours, loop }) => ours.perSecond / loop.perSecond);
  return {
    log,
    problems: numProblems,
    groupSize,
    runs,
    events: last.events,
    transactions: last.transactions.length,
    ourEventsPerSecond: Math.round(median(pairs.map(({ ours }) => ours.perSecond))),
    bareEventsPerSecond: Math.round(median(pairs.map(({ bare }) => bare.perSecond))),
    ourCpuMicrosecondsPerEvent: Math.round(median(pairs.map(({ ours }) => ours.cpuMicroseconds))),
    bareCpuMicrosecondsPerEvent: Math.round(median(pairs.map(({ bare }) => bare.cpuMicroseconds))),
    ratio: Number(median(ratios).toFixed(2)),
    ratioSpread: spread(ratios).map((ratio) => Number(ratio.toFixed(2))),
    bar: BAR,
    ...(copyingLoops.length === 0
      ? {}
      : {
          copying: {
            eventsPerSecond: Math.round(median(copyingLoops.map(({ loop }) => loop.perSecond))),
            cpuMicrosecondsPerEvent: Math.round(median(copyingLoops.map(({ loop }) => loop.cpuMicroseconds))),
            ratio: Number(median(copyingRatios).toFixed(2)),
            ratioSpread: spread(copyingRatios).map((ratio) => Number(ratio.toFixed(2))),
          },
        }),
    stages: stagesOf(last),
  };
}

if (options.service !== undefined) {
  await serveApart(options.service);
  process.exit();
}
if (options.stages) {
  await inFolder(stagesAlone); // warms the code; not counted
  process.stdout.write(`${JSON.stringify(await inFolder(stagesAlone), undefined, 2)}\n`);
  process.exit();
}
const results = [];
for (const log of options.log.split(',')) {
  if (log === 'lmdb' && options.apart) {
    const children = Object.fromEntries(
      STAGES.map((group) => [group, fork(import.meta.filename, [...process.argv.slice(2), '--service', group])]),
    );
    try {
      results.push(await measure('lmdb, services apart', () => pairApart(children)));
    } finally {
      for (const child of Object.values(children)) child.disconnect();
    }
  } else if (log === 'lmdb') results.push(await measure(log, pairOnLmdb));
  else {
    const kafka = await startKafka();
    try {
      results.push(await measure(log, () => pairOnKafka(kafka.bootstrap)));
    } finally {
      await kafka.stop();
    }
  }
}
if (options.json) process.stdout.write(`${JSON.stringify({ benchmark: 'pipeline', results }, undefined, 2)}\n`);
else {
  for (const each of results) {
    process.stdout.write(
      `${each.log}: ${each.ourEventsPerSecond.toLocaleString('en')} events/s through all stages (${each.events} events of ${each.problems} problems in ${each.transactions} transactions, ${each.ourCpuMicrosecondsPerEvent} µs of processor time each), bare loop ${each.bareEventsPerSecond.toLocaleString('en')}/s (${each.bareCpuMicrosecondsPerEvent} µs), ratio ${each.ratio} (${each.ratioSpread.join(' … ')}; bar ${each.bar})\n`,
    );
    if (each.copying === undefined) continue;
    const { eventsPerSecond, cpuMicrosecondsPerEvent, ratio, ratioSpread } = each.copying;
    process.stdout.write(
      `  a loop that only copies: ${eventsPerSecond.toLocaleString('en')}/s (${cpuMicrosecondsPerEvent} µs), ratio ${ratio} (${ratioSpread.join(' … ')})\n`,
    );
  }
}
process.exitCode = results.every(({ ratio }) => ratio >= BAR) ? 0 : 1;
