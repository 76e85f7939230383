// Bytes that a problem takes in the log with a group of 8: with its content in every event, and named by digest in what follows. Exact,
// not timed: the events are encoded as the services encode them. Entries of 48 tokens, answers of 300 characters, a token for four
// characters of the prompt.
import {
  copyOf,
  deriveMeta,
  encodeEvent,
  experienceIdOf,
  groupIdOf,
  originMeta,
} from '../../libs/events/dist/index.js';

const GROUP = 8;
const DIGEST = '23'.repeat(32);
const tokens = (count) => Array.from({ length: count }, (_, at) => (at * 37) % 32_000);

function outcomeOf(own, experience, derived) {
  return {
    ...own,
    type: 'OutcomeRecorded',
    meta: deriveMeta(experience.meta, { ...derived, role: 'outcome', source: 'seam/executor' }),
    executor: { model: 'executor', revision: DIGEST, template: `executor@${DIGEST}`, decoding: '{"maxTokens":24}' },
    response: 'x'.repeat(300),
    extractedAnswer: '403',
    success: true,
    reward: 1,
    faithful: true,
    verifierVersion: '2',
    verifierDetail: '403 equals 403',
    promptTokens: 61,
    responseTokens: 75,
    feedbackId: null,
  };
}

function bytesOfProblem(characters, inlineBytes) {
  const problemId = '6ba7b810-9dad-51d1-80b4-00c04fd430c8';
  const source = 'seam/cli';
  const meta = originMeta({
    messageId: problemId,
    correlationId: problemId,
    source,
    occurredAt: 1.8e12,
    sourceClass: 'user',
  });
  const prompt = 'Question. '.repeat(Math.ceil(characters / 10)).slice(0, characters);
  const verifier = { kind: 'numeric', version: '2', options: {} };
  const problem = { problemId, domain: 'arithmetic', prompt, reference: '403', verifier, metadata: { level: '2' } };
  const published = {
    type: 'ProblemPublished',
    meta,
    problem,
    mode: 'explore',
    expiresAt: null,
    feedbackWithinMs: null,
    task: null,
  };
  const copy = copyOf(problem, { partition: 3, offset: 1_000_000 }, inlineBytes);
  let bytes = encodeEvent(published).value.length;
  for (let index = 0; index < GROUP; index++) {
    const own = {
      problem: copy,
      experienceId: experienceIdOf(problemId, index),
      attemptId: null,
      groupId: groupIdOf(problemId),
      candidateIndex: index,
      groupSize: GROUP,
      arm: 'explore',
      entry: '{"concepts":["product"],"strategy":"multiply, then subtract","pitfalls":[]}',
      promptTokenIds: tokens(characters / 4),
      tokenIds: tokens(48),
      forced: tokens(48).map((id) => id % 5 === 0),
      baseModelDigest: DIGEST,
      adapterDigest: DIGEST,
      latencyMs: 7.25,
    };
    const derived = { source: 'seam/generator', occurredAt: 1.8e12, sourceClass: 'model' };
    const experience = {
      ...own,
      type: 'ExperienceGenerated',
      meta: deriveMeta(meta, { ...derived, role: 'experience', index }),
      feedbackWithinMs: null,
      entrySchema: DIGEST,
      logProbs: tokens(48),
      legalMass: tokens(48),
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 64, seed: `${problemId}/${index}` },
      tokenizerDigest: DIGEST,
    };
    const outcome = outcomeOf(own, experience, derived);
    bytes += encodeEvent(experience).value.length + encodeEvent(outcome).value.length;
  }
  return bytes;
}

console.log(`bytes of a problem in the log, group of ${GROUP}`);
for (const characters of [200, 1024, 4096, 16_384]) {
  const [copied, named] = [Number.POSITIVE_INFINITY, 1024].map((inline) => bytesOfProblem(characters, inline));
  const ratio = (copied / named).toFixed(2);
  console.log(
    `prompt of ${characters} characters: copied ${copied}, as configured by default ${named}, ratio ${ratio}`,
  );
}
