// Encoding and decoding OutcomeRecorded, against bare avsc in the same run: prints the ratio of the pair's throughput (bar: 0.8).
// Rounds alternate between the two, so that a busy machine slows both alike; the median of the rounds' ratios counts.
import avro from 'avsc';
import { SCHEMAS } from '../../libs/events/dist/generated/schemas.generated.js';
import { decodeEvent, encodeEvent } from '../../libs/events/dist/index.js';

const ROUNDS = 31;
const EVENTS_PER_ROUND = 20_000;

const tokens = (count) => Array.from({ length: count }, (_, i) => (i * 37) % 1024);
const event = (i) => ({
  type: 'OutcomeRecorded',
  meta: {
    messageId: `6ba7b810-9dad-51d1-80b4-${String(i).padStart(12, '0')}`,
    correlationId: `problem-${i}`,
    causationId: `6ba7b810-9dad-51d1-80b5-${String(i).padStart(12, '0')}`,
    occurredAt: 1_767_225_600_000 + i,
    source: 'seam/executor',
    subject: null,
    sourceClass: 'model',
    traceparent: null,
    tenant: null,
  },
  problem: {
    problemId: `problem-${i}`,
    domain: 'arithmetic',
    prompt: 'A crate holds 24 bottles. How many bottles are in 17 crates after 5 were broken?',
    reference: '403',
    verifier: { kind: 'numeric', version: '1', options: {} },
    metadata: { level: '2' },
  },
  experienceId: `experience-${i}`,
  groupId: `group-${i >> 3}`,
  candidateIndex: i & 7,
  groupSize: 8,
  arm: 'explore',
  entry: '{"concepts":["product","difference"],"strategy":"multiply, then subtract","pitfalls":[]}',
  promptTokenIds: tokens(45),
  tokenIds: tokens(25),
  forced: tokens(25).map((token) => token % 5 !== 0),
  baseModelDigest: '23'.repeat(32),
  adapterDigest: '45'.repeat(32),
  executor: {
    model: 'executor',
    revision: '67'.repeat(32),
    template: 'plain@1',
    decoding: '{"maxTokens":24,"temperature":0}',
  },
  response: '17 × 24 = 408, 408 − 5 = 403. The answer is 403.',
  extractedAnswer: '403',
  success: true,
  reward: 1,
  verifierVersion: '1',
  verifierDetail: '403 equals 403',
  promptTokens: 61,
  responseTokens: 20,
  latencyMs: 7.25,
});

const events = Array.from({ length: 64 }, (_, i) => event(i));
const type = avro.Type.forSchema(JSON.parse(SCHEMAS.OutcomeRecorded.schema));
const subjects = {
  avsc: (i) => type.fromBuffer(type.toBuffer(events[i & 63])),
  events: (i) => {
    const { topic, value } = encodeEvent(events[i & 63]);
    return decodeEvent({ topic, partition: 0, offset: i, value });
  },
};

function microsecondsPerEvent(subject) {
  const started = performance.now();
  for (let i = 0; i < EVENTS_PER_ROUND; i++) subject(i);
  return ((performance.now() - started) * 1000) / EVENTS_PER_ROUND;
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const rounds = Array.from({ length: ROUNDS }, () => ({
  avsc: microsecondsPerEvent(subjects.avsc),
  events: microsecondsPerEvent(subjects.events),
})).slice(3);
const report = {
  bytes: type.toBuffer(events[0]).length,
  jsonBytes: Buffer.byteLength(JSON.stringify(events[0])),
  avscMicroseconds: Number(median(rounds.map((round) => round.avsc)).toFixed(2)),
  eventsMicroseconds: Number(median(rounds.map((round) => round.events)).toFixed(2)),
  ratio: Number(median(rounds.map((round) => round.avsc / round.events)).toFixed(3)),
};
process.stdout.write(`${JSON.stringify(report)}\n`);
