// What looking results up takes in memory while the log is flooded: honest problems, and between them records that no service asks for.
// Heap and pieces of memory after collecting garbage, against what libs/evidence counts itself (memory.ts) and against its limit.
//   npm run build && node --expose-gc test/performance/evidence-memory.bench.mjs [--junk 200000] [--bytes 1] [--key 24] [--honest 100]
//     [--limit MIB] [--folder DIR] [--json]
// Reference: the same honest results in a log without the flood.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import {
  decodeEvent,
  deriveMeta,
  encodeEvent,
  experienceIdOf,
  groupIdOf,
  originMeta,
  TOPIC,
  TOPICS,
} from '@seamstream/events';
import { Evidence, Memory } from '@seamstream/evidence';
import { derivedId, Random } from '@seamstream/kernel';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    junk: { type: 'string', default: '200000' },
    bytes: { type: 'string', default: '1' },
    key: { type: 'string', default: '24' },
    honest: { type: 'string', default: '100' },
    limit: { type: 'string', default: '64' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const [junk, honest] = [Number(options.junk), Number(options.honest)];
const random = Random.of('evidence-memory.bench');

/** A problem, its one experience and its result. */
function story(index) {
  const problemId = `problem-${index}`;
  const problem = {
    problemId,
    domain: 'sums',
    prompt: `What is ${index}?`,
    reference: String(index),
    verifier: { kind: 'exact', version: '1', options: {} },
    metadata: {},
  };
  const meta = originMeta({
    messageId: derivedId(problemId, 'problem'),
    correlationId: problemId,
    source: 'seam/bench',
    occurredAt: 1,
    sourceClass: 'trusted',
  });
  const own = deriveMeta(meta, {
    role: 'experience',
    index: 0,
    source: 'seam/generator',
    occurredAt: 2,
    sourceClass: 'model',
  });
  const tokenIds = Array.from({ length: 50 }, () => random.int(1024));
  const copied = {
    problem,
    experienceId: experienceIdOf(meta.messageId, 0),
    ...{ groupId: groupIdOf(meta.messageId), candidateIndex: 0, groupSize: 1, arm: 'explore', entry: '{"n":0}' },
    ...{
      promptTokenIds: [1, 2],
      tokenIds,
      forced: tokenIds.map(() => false),
      baseModelDigest: 'base',
      adapterDigest: null,
    },
  };
  return [
    { type: 'ProblemPublished', meta, problem, mode: 'explore', expiresAt: null },
    {
      type: 'ExperienceGenerated',
      meta: own,
      ...copied,
      ...{ entrySchema: 's', logProbs: tokenIds.map(() => -0.5), legalMass: tokenIds.map(() => 0.25) },
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 64, seed: 's' },
      ...{ tokenizerDigest: 't', latencyMs: 1 },
    },
    {
      type: 'OutcomeRecorded',
      meta: deriveMeta(own, { role: 'outcome', source: 'seam/executor', occurredAt: 3, sourceClass: 'model' }),
      ...copied,
      executor: { model: 'none', revision: 'r', decoding: '{}', template: 't' },
      ...{ response: '1', extractedAnswer: '1', success: true, reward: 1, verifierVersion: '1', verifierDetail: '1' },
      ...{ promptTokens: 61, responseTokens: 20, latencyMs: 1 },
    },
  ];
}

function junkOf(topic, index) {
  const key = `junk-${index}`.padEnd(Number(options.key), '.');
  return { topic, key, value: Buffer.alloc(Number(options.bytes), 7) };
}

/** Bytes of this process that are in use. */
function inUse() {
  for (let round = 0; round < 3; round++) globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What an Evidence takes after all results of a log with so much junk. */
async function taken(numJunk) {
  const folder = mkdtempSync(join(options.folder, 'seam-evidence-'));
  try {
    const log = await LmdbEventLog.open({ folder });
    await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
    const between = Math.floor(numJunk / honest);
    for (let index = 0; index < honest; index++) {
      const flood = Array.from({ length: between }, (_, at) => index * between + at);
      await log.append([
        ...flood.flatMap((at) => [junkOf(TOPIC.experiences, at), junkOf(TOPIC.problems, at)]),
        ...story(index).map(encodeEvent),
      ]);
    }
    const memory = new Memory(Number(options.limit) * 2 ** 20);
    const before = inUse();
    const evidence = new Evidence(log, new Map(), memory);
    for await (const records of log.read({ topic: TOPIC.outcomes, partition: 0, from: 0, chunkRecords: 8 })) {
      const placed = records.map((record) => ({ event: decodeEvent(record), position: record, value: record.value }));
      const doubts = await evidence.doubts(placed);
      if (doubts.size > 0) throw new Error(`An honest result is doubted: ${JSON.stringify([...doubts][0])}`);
    }
    const bytes = inUse() - before;
    const begin = evidence.places().get(`${TOPIC.experiences}/0`);
    await log.close();
    return { bytes, counted: memory.held, begin };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await taken(honest); // what is compiled and made once is not of interest
const without = await taken(0);
const flooded = await taken(junk);
const figures = {
  junk,
  withoutBytes: without.bytes,
  bytes: flooded.bytes,
  counted: flooded.counted,
  begin: flooded.begin,
};
if (options.json) console.log(JSON.stringify(figures));
else {
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);
  console.log(
    `${junk} records of ${options.bytes} bytes in each topic: ${mib(flooded.bytes)} MiB in use (${mib(without.bytes)} without), counted ${mib(flooded.counted)}, limit ${options.limit}; reading begins at ${flooded.begin} after a restart`,
  );
}
