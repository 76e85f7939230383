// What it costs to believe a result: looking up the experience and the problem that it rests on, in a log of a thousand problems.
// The same results are read and decoded once without and once with that, in turns; processor time of one thread, medians and spread.
//   npm run build && node test/performance/evidence.bench.mjs [--runs 9] [--problems 1000] [--group 8] [--batch 256] [--folder DIR] [--json]
// Reference: reading and decoding the results alone. What it is of the whole pipeline: pipeline.bench.mjs with SEAM_EVIDENCE=none and without.
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
import { Evidence } from '@seamstream/evidence';
import { derivedId, Random } from '@seamstream/kernel';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '9' },
    problems: { type: 'string', default: '1000' },
    group: { type: 'string', default: '8' },
    batch: { type: 'string', default: '256' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const groupSize = Number(options.group);
const chunkRecords = Number(options.batch);
const random = Random.of('evidence.bench');
/** Prompts of 45 tokens, entries of 50: about the shipped model's. */
const ids = (length) => Array.from({ length }, () => random.int(1024));

function explored(index) {
  const problemId = `problem-${index}`;
  const problem = {
    problemId,
    domain: 'sums',
    prompt: `${Array.from({ length: 14 }, () => `v${random.int(5000)}`).join(' ')} ${index}: how many are left?`,
    reference: '403',
    verifier: { kind: 'numeric', version: '1', options: {} },
    metadata: {},
  };
  const meta = originMeta({
    messageId: derivedId(problemId, 'problem'),
    correlationId: problemId,
    source: 'seam/bench',
    occurredAt: 1_767_225_600_000 + index,
    sourceClass: 'trusted',
  });
  const { messageId } = meta;
  const candidates = Array.from({ length: groupSize }, (_, candidateIndex) => {
    const tokenIds = ids(50);
    const copied = {
      problem,
      experienceId: experienceIdOf(messageId, candidateIndex),
      ...{ groupId: groupIdOf(messageId), candidateIndex, groupSize, arm: 'explore' },
      entry: JSON.stringify({ concepts: [`w${candidateIndex}`], strategy: ['w3'], pitfalls: ['w0'] }),
      promptTokenIds: ids(45),
      tokenIds,
      forced: tokenIds.map((_id, at) => at % 5 !== 0),
      ...{ baseModelDigest: 'base', adapterDigest: null },
    };
    const own = deriveMeta(meta, {
      role: 'experience',
      index: candidateIndex,
      source: 'seam/generator',
      occurredAt: 2,
      sourceClass: 'model',
    });
    return {
      experience: {
        type: 'ExperienceGenerated',
        meta: own,
        ...copied,
        entrySchema: 's',
        logProbs: tokenIds.map(() => -0.5),
        legalMass: tokenIds.map(() => 0.25),
        sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 64, seed: 's' },
        tokenizerDigest: 't',
        latencyMs: 1,
      },
      outcome: {
        type: 'OutcomeRecorded',
        meta: deriveMeta(own, { role: 'outcome', source: 'seam/executor', occurredAt: 3, sourceClass: 'model' }),
        ...copied,
        executor: { model: 'none', revision: 'r', decoding: '{}', template: 't' },
        response: '17 × 24 = 408, 408 − 5 = 403.\n#### 403',
        extractedAnswer: '403',
        success: true,
        reward: 1,
        verifierVersion: '1',
        verifierDetail: '403 = 403',
        ...{ promptTokens: 61, responseTokens: 20, latencyMs: 1 },
      },
    };
  });
  const published = { type: 'ProblemPublished', meta, problem, mode: 'explore', expiresAt: null };
  return { published, candidates };
}

const folder = mkdtempSync(join(options.folder, 'seam-evidence-'));
try {
  const log = await LmdbEventLog.open({ folder });
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  const problems = Array.from({ length: Number(options.problems) }, (_, index) => explored(index));
  // In blocks of about the size that services commit.
  for (let at = 0; at < problems.length; at += 32) {
    const some = problems.slice(at, at + 32);
    const candidates = some.flatMap((each) => each.candidates);
    await log.append(some.map(({ published }) => encodeEvent(published)));
    await log.append(candidates.map(({ experience }) => encodeEvent(experience)));
    await log.append(candidates.map(({ outcome }) => encodeEvent(outcome)));
  }
  const results = problems.length * groupSize;

  /** Microseconds of this thread per result. */
  async function run(evidence) {
    const started = process.threadCpuUsage();
    for (const { partition } of await log.watermarks(TOPIC.outcomes))
      for await (const records of log.read({ topic: TOPIC.outcomes, partition, from: 0, chunkRecords })) {
        const placed = records.map((record) => ({ event: decodeEvent(record), position: record, value: record.value }));
        const doubts = await evidence?.doubts(placed);
        if (doubts?.size > 0) throw new Error(`An honest result is doubted: ${JSON.stringify([...doubts][0])}`);
      }
    const { user, system } = process.threadCpuUsage(started);
    return (user + system) / results;
  }
  await run(new Evidence(log));
  const [alone, believed] = [[], []];
  for (let index = 0; index < Number(options.runs); index++) {
    alone.push(await run(undefined));
    believed.push(await run(new Evidence(log)));
  }
  await log.close();
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
  const spread = (list) => `${Math.min(...list).toFixed(1)} … ${Math.max(...list).toFixed(1)}`;
  const figures = {
    results,
    decodingMicroseconds: median(alone),
    believingMicroseconds: median(believed) - median(alone),
    ratio: median(believed) / median(alone),
  };
  if (options.json) console.log(JSON.stringify(figures));
  else
    console.log(
      `${results} results: reading and decoding ${median(alone).toFixed(1)} µs each (${spread(alone)}), with what they rest on ${median(believed).toFixed(1)} µs (${spread(believed)}), ratio ${figures.ratio.toFixed(2)}`,
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
