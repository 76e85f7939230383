// Near-duplicate removal and commits of the success buffer, against their bars; one thread.
//   npm run build && PYTHON=path/to/python3 node --expose-gc test/performance/success-buffer.bench.mjs [rows] [--outcomes 40000] [--json]
// Bars (per core, 200,000 rows): ≥ 10,000 texts per second of processor time, recall ≥ 0.95 and precision ≥ 0.95 on planted near duplicates with 2 … 6 %
// of their words changed, ≤ 2 KiB of memory per text. Exit code 1 when one is missed.
// Pairs about Jaccard 0.8 with known answers, 20,000 documents: recall and precision >= 0.95, documents per second of processor time
// >= 5 times datasketch's (PyPI; the Python of PYTHON must have it) on the same documents, in alternating rounds of the same run.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '@seamstream/kernel';
import { NearDuplicateClusters } from '@seamstream/near-duplicates';
import {
  bufferConfigSchema,
  commit,
  decodeRows,
  decodeSnapshot,
  encodeRows,
  encodeSnapshot,
  evolve,
  initialState,
  withRules,
} from '@seamstream/success-buffer';

const { values: settings, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, outcomes: { type: 'string', default: '40000' } },
});
const rows = Number(positionals[0] ?? 200_000);
const remembered = Number(settings.outcomes);
const asJson = settings.json;
const THRESHOLD = 0.7;
const SHINGLE_WORDS = 3;
const random = Random.of('success-buffer.bench');
const vocabulary = Array.from({ length: 20_000 }, (_, i) => `w${i.toString(36)}`);
// Squared: frequent words are much more frequent, as in text.
const word = () => vocabulary[Math.floor(random.float() ** 2 * vocabulary.length)];

/** Every tenth text is a changed copy of the one before it. */
function plantedTexts(count) {
  const texts = [];
  for (let i = 0; i < count; i++) {
    if (i % 10 !== 9) {
      texts.push(Array.from({ length: 40 + random.int(61) }, word));
      continue;
    }
    const copy = [...texts[i - 1]];
    const changes = Math.max(1, Math.round(copy.length * (0.02 + 0.04 * random.float())));
    for (let change = 0; change < changes; change++) copy[random.int(copy.length)] = word();
    texts.push(copy);
  }
  return texts;
}

/** Exact Jaccard similarity of the word shingles, by strings: independent of what is measured. */
function similarity(a, b) {
  const shinglesOf = (words) =>
    new Set(words.slice(SHINGLE_WORDS - 1).map((_, i) => words.slice(i, i + SHINGLE_WORDS).join(' ')));
  const [first, second] = [shinglesOf(a), shinglesOf(b)];
  const shared = [...first].filter((shingle) => second.has(shingle)).length;
  return shared / (first.size + second.size - shared);
}

function deduplication() {
  const words = plantedTexts(rows);
  const texts = words.map((each) => each.join(' '));
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const clusters = new NearDuplicateClusters({ threshold: THRESHOLD, shingleWords: SHINGLE_WORDS });
  // Processor time, garbage collection included: the bar is per core, and a shared machine would falsify the clock.
  const started = process.cpuUsage();
  for (const text of texts) clusters.add(text);
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1e6;
  const memoryBytesPerText = (process.memoryUsage().rss - before) / rows;
  let planted = 0;
  let found = 0;
  const joined = new Set();
  for (let i = 9; i < rows; i += 10) {
    const together = clusters.clusterOf(i) === clusters.clusterOf(i - 1);
    if (similarity(words[i], words[i - 1]) < THRESHOLD) continue;
    planted++;
    if (together) {
      found++;
      joined.add(i);
    }
  }
  // Every join lowers the number of clusters by one, so this counts the false ones too.
  const joins = rows - new Set(texts.keys().map((id) => clusters.clusterOf(id))).size;
  return {
    textsPerSecond: rows / seconds,
    recall: found / planted,
    precision: joined.size / joins,
    planted,
    memoryBytesPerText,
  };
}

const JACCARD = 0.8;
const PAIR_DOCUMENTS = 20_000;
const ROUNDS = 5;
const REFERENCE = fileURLToPath(new URL('near-duplicates-reference.py', import.meta.url));

/** Every second document is a copy of the one before with so many words changed that half of the pairs lie on either side of 0.8. */
function pairedDocuments() {
  const documents = [];
  const similarities = [];
  while (documents.length < PAIR_DOCUMENTS) {
    const words = Array.from({ length: 40 + random.int(61) }, word);
    const copy = [...words];
    // A changed word changes three shingles: 0.7 % to 9 % of the words leave 0.96 to 0.57 of the union.
    const changes = Math.max(1, Math.round(copy.length * (0.007 + 0.083 * random.float())));
    for (let change = 0; change < changes; change++) copy[random.int(copy.length)] = word();
    documents.push(words.join(' '), copy.join(' '));
    similarities.push(similarity(words, copy));
  }
  return { documents, similarities };
}

/** Recall and precision of pairs of documents, each pair as [first, second]. */
function scored(pairs, similarities) {
  const isTrue = ([first, second]) => second === first + 1 && first % 2 === 0 && similarities[first / 2] >= JACCARD;
  const found = pairs.filter(isTrue).length;
  return {
    recall: found / similarities.filter((each) => each >= JACCARD).length,
    precision: found / pairs.length,
  };
}

function ourPairs(documents) {
  const clusters = new NearDuplicateClusters({ threshold: JACCARD, shingleWords: SHINGLE_WORDS });
  const started = process.cpuUsage();
  for (const document of documents) clusters.add(document);
  const { user, system } = process.cpuUsage(started);
  const members = new Map();
  for (let id = 0; id < documents.length; id++) {
    const root = clusters.clusterOf(id);
    members.set(root, [...(members.get(root) ?? []), id]);
  }
  // Every pair within a cluster counts, also those that are joined through others only.
  const pairs = [...members.values()].flatMap((ids) =>
    ids.flatMap((first, index) => ids.slice(index + 1).map((second) => [first, second])),
  );
  return { perSecond: documents.length / ((user + system) / 1e6), pairs };
}

function referencePairs(file, count) {
  const python = process.env.PYTHON ?? 'python3';
  const { status, stdout, stderr } = spawnSync(python, [REFERENCE, file, String(JACCARD), String(SHINGLE_WORDS)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) {
    const why = (stderr ?? '').trim().split('\n').at(-1);
    throw new Error(
      `the reference did not run with ${python} (${why}): set PYTHON to a Python with datasketch (pip install datasketch)`,
    );
  }
  const { version, seconds, pairs } = JSON.parse(stdout);
  return { version, perSecond: count / seconds, pairs };
}

function againstReference() {
  const { documents, similarities } = pairedDocuments();
  const folder = mkdtempSync(join(tmpdir(), 'near-duplicates-'));
  const file = join(folder, 'documents.txt');
  try {
    writeFileSync(file, documents.join('\n'));
    ourPairs(documents.slice(0, 2000)); // warms the code; not counted
    const rounds = Array.from({ length: ROUNDS }, () => ({
      ours: ourPairs(documents),
      reference: referencePairs(file, documents.length),
    }));
    const ratios = rounds.map(({ ours, reference }) => ours.perSecond / reference.perSecond);
    const { ours, reference } = rounds[0];
    return {
      documents: documents.length,
      truePairs: similarities.filter((each) => each >= JACCARD).length,
      ours: { perSecond: median(rounds.map((round) => round.ours.perSecond)), ...scored(ours.pairs, similarities) },
      datasketch: {
        version: reference.version,
        perSecond: median(rounds.map((round) => round.reference.perSecond)),
        ...scored(reference.pairs, similarities),
      },
      ratio: median(ratios),
      ratioSpread: [Math.min(...ratios), Math.max(...ratios)],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const meta = {
  correlationId: 'p',
  causationId: null,
  occurredAt: 0,
  source: 'bench',
  subject: null,
  sourceClass: 'model',
  traceparent: null,
  tenant: null,
};

/** Groups of 8 with 3 successes in 4 domains; entries of 40 kinds. */
function outcomes(count, from = 0) {
  return Array.from({ length: count }, (_, index) => {
    const i = from + index;
    const group = Math.floor(i / 8);
    const domain = `domain-${group % 4}`;
    return {
      type: 'OutcomeRecorded',
      meta: { ...meta, messageId: `outcome-${i}` },
      problem: {
        problemId: `problem-${group}`,
        domain,
        prompt: `${Array.from({ length: 45 }, word).join(' ')} ${group}`,
        reference: '',
        verifier: { kind: 'exact', version: '1', options: {} },
        metadata: {},
      },
      experienceId: `experience-${i}`,
      groupId: `group-${group}`,
      groupSize: 8,
      arm: 'explore',
      entry: `{"concepts":["c${random.int(10)}","c${random.int(4)}"]}`,
      promptTokenIds: Array.from({ length: 45 }, () => random.int(512)),
      tokenIds: Array.from({ length: 25 }, () => random.int(512)),
      forced: Array.from({ length: 25 }, (_, at) => at % 5 !== 0),
      baseModelDigest: 'base',
      adapterDigest: null,
      success: i % 8 < 3,
      reward: i % 8 < 3 ? 1 : 0,
    };
  });
}

/** Bytes of live objects. */
const inUse = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Rounds of as many outcomes as one version takes in, on top of `remembered` ones. */
const ROUND = 512;
const MEASURED_ROUNDS = 9;

async function commits() {
  const memoryBefore = inUse();
  let events = outcomes(remembered);
  const options = { validateEntry: () => undefined };
  const timed = (work) => {
    const started = performance.now();
    const result = work();
    return [result, performance.now() - started];
  };
  const fold = (state, batch, from) =>
    batch.forEach((event, i) => evolve(state, event, { topic: 'seam.outcomes', partition: 0, offset: from + i }));
  let state = initialState(bufferConfigSchema.parse({ capacityPerStratum: 5000 }));
  const [, foldMs] = timed(() => fold(state, events, 0));
  const [first, firstCommitMs] = timed(() => commit(state, options));
  state = first.state;
  const [bytes, snapshotMs] = timed(() => encodeSnapshot({ state, inputs: [], writtenAt: 0 }));
  const [, restoreMs] = timed(() => decodeSnapshot(bytes));
  const [parquet, parquetMs] = timed(() => encodeRows(first.rows, 'parquet'));
  const rowsKept = (await decodeRows(parquet)).length;
  events = undefined; // the state alone is what a service holds
  const { rows: _, ...facts } = first;
  const stateBytesPerOutcome = (inUse() - memoryBefore - bytes.length - parquet.length) / remembered;
  let folded = remembered;
  const rounds = (config) => {
    state = withRules(state, bufferConfigSchema.parse({ capacityPerStratum: 5000, ...config }));
    state = commit(state, options).state;
    const times = Array.from({ length: MEASURED_ROUNDS }, () => {
      fold(state, outcomes(ROUND, folded), folded);
      folded += ROUND;
      const [round, ms] = timed(() => commit(state, options));
      state = round.state;
      return ms;
    });
    return median(times);
  };
  return {
    outcomesRemembered: remembered,
    stateBytesPerOutcome,
    rowsKept,
    decisions: facts.decisions.length,
    foldedPerSecond: (remembered / foldMs) * 1000,
    firstCommitMs,
    roundCommitMs: rounds({}),
    // From here on as much is forgotten with each round as comes.
    agingRoundCommitMs: rounds({ maxAgeRecords: remembered }),
    snapshotMs,
    snapshotBytes: bytes.length,
    restoreMs,
    parquetMs,
    parquetBytes: parquet.length,
  };
}

/** What an outcome costs in a shard that does not keep its domain, once it is decoded. */
function elsewhere() {
  // Timber is kept by shard 0.
  const state = initialState(bufferConfigSchema.parse({}), { index: 1, of: 2 });
  const result = (group) => ({
    type: 'ExecutionFailed',
    problem: { domain: 'timber' },
    experienceId: randomUUID(),
    groupId: group,
    groupSize: 8,
  });
  const memoryBefore = inUse();
  let microseconds = 0;
  let folded = 0;
  for (let part = 0; part < 50; part++) {
    const events = Array.from({ length: 500 }, () => randomUUID()).flatMap((group) =>
      Array.from({ length: 8 }, () => result(group)),
    );
    const started = process.cpuUsage();
    for (const event of events) evolve(state, event, { topic: 'seam.outcomes', partition: 0, offset: folded++ });
    const { user, system } = process.cpuUsage(started);
    microseconds += user + system;
  }
  const elsewhereBytes = (inUse() - memoryBefore) / folded;
  if (state.elsewhere.size === 0) throw new Error('expected the domain to be the other shard’s');
  return { elsewhereUs: microseconds / folded, elsewhereBytes };
}

// What little it takes would drown in what the others leave behind.
const inOtherShards = elsewhere();
const dedup = deduplication();
const pairs = againstReference();
const buffer = { ...inOtherShards, ...(await commits()) };
const bars = [
  ['near duplicates: texts/s', dedup.textsPerSecond, 10_000, 'at least'],
  ['near duplicates: recall', dedup.recall, 0.95, 'at least'],
  ['near duplicates: precision', dedup.precision, 0.95, 'at least'],
  ['near duplicates: bytes/text', dedup.memoryBytesPerText, 2048, 'at most'],
  ['pairs at 0.8: recall', pairs.ours.recall, 0.95, 'at least'],
  ['pairs at 0.8: precision', pairs.ours.precision, 0.95, 'at least'],
  ['pairs at 0.8: times datasketch', pairs.ratio, 5, 'at least'],
].map(([name, value, bar, side]) => ({
  name,
  value,
  bar,
  side,
  reached: side === 'at least' ? value >= bar : value <= bar,
}));
if (asJson) {
  process.stdout.write(`${JSON.stringify({ rows, dedup, pairs, buffer, bars }, null, 2)}\n`);
} else {
  for (const { name, value, bar, side, reached } of bars) {
    process.stdout.write(
      `${reached ? 'reached' : 'MISSED '}  ${name.padEnd(30)} ${value.toPrecision(5).padStart(10)}  (${side} ${bar})\n`,
    );
  }
  const { ours, datasketch, ratioSpread } = pairs;
  for (const [name, { perSecond, recall, precision }] of Object.entries({
    ours,
    [`datasketch ${datasketch.version}`]: datasketch,
  }))
    process.stdout.write(
      `         pairs at 0.8, ${name}: ${Math.round(perSecond)} documents/s, recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}\n`,
    );
  process.stdout.write(`         times datasketch: ${ratioSpread.map((each) => each.toFixed(1)).join(' … ')}\n`);
  for (const [name, value] of Object.entries({ rows, ...buffer }))
    process.stdout.write(`         ${name.padEnd(30)} ${value.toPrecision(5).padStart(10)}\n`);
}
process.exitCode = bars.every(({ reached }) => reached) ? 0 : 1;
