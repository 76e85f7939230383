/** Recorded groups of a made-up log: their experiences and results, for specs of algorithms that read the log. */
import type { EventMeta, ExperienceGenerated } from '@seamstream/events';
import type { LogInput, ResultEvent } from './index.js';

export const metaOf = (messageId: string): EventMeta => ({
  messageId,
  correlationId: 'problem',
  causationId: null,
  occurredAt: 0,
  source: 'seam/test',
  subject: null,
  sourceClass: 'model',
  traceparent: null,
  tenant: null,
});
const problem = {
  problemId: 'p',
  domain: 'timber',
  prompt: '?',
  reference: '',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
};

/** Token 10 is forced, 11 and 12 are choices logged at ln ½ and ln ¼. */
export function experience(
  group: string,
  candidateIndex: number,
  groupSize: number,
  changes: Partial<ExperienceGenerated> = {},
): ExperienceGenerated {
  return {
    meta: metaOf(`e-${group}-${candidateIndex}`),
    attemptId: null,
    feedbackWithinMs: null,
    problem,
    experienceId: `${group}-${candidateIndex}`,
    groupId: group,
    candidateIndex,
    groupSize,
    arm: 'explore',
    entry: '{}',
    entrySchema: 'schema',
    promptTokenIds: [1, 2, 3],
    tokenIds: [10, 11, 12],
    logProbs: [0, Math.log(1 / 2), Math.log(1 / 4)],
    legalMass: [1, 1, 1],
    forced: [true, false, false],
    sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 9, seed: 's' },
    tokenizerDigest: 'tokenizer',
    baseModelDigest: 'base',
    adapterDigest: 'a2',
    latencyMs: 0,
    ...changes,
  };
}

export function resultOf(from: ExperienceGenerated, reward: number | 'failed'): ResultEvent {
  const { problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest } = from;
  const facts = {
    meta: metaOf(`o-${experienceId}`),
    problem,
    experienceId,
    groupId,
    candidateIndex,
    groupSize,
    arm,
    adapterDigest,
  };
  if (reward === 'failed')
    return { type: 'ExecutionFailed', attemptId: null, ...facts, code: 'SESSION_FAILED', reason: 'gone', attempts: 3 };
  return {
    type: 'OutcomeRecorded',
    attemptId: null,
    feedbackId: null,
    measurement: null,
    ...facts,
    entry: from.entry,
    promptTokenIds: from.promptTokenIds,
    tokenIds: from.tokenIds,
    forced: from.forced,
    baseModelDigest: from.baseModelDigest,
    executor: { model: 'm', revision: 'r', template: 't', decoding: '{}' },
    response: '',
    extractedAnswer: null,
    success: reward > 0,
    reward,
    faithful: null,
    verifierVersion: '1',
    verifierDetail: '',
    promptTokens: 1,
    responseTokens: 1,
    latencyMs: 0,
  };
}

/** Groups by name: rewards of the members, and what is different about their experiences. */
export function logOf(
  groups: Readonly<Record<string, readonly (number | 'failed')[]>>,
  changes: Partial<ExperienceGenerated> = {},
): LogInput {
  const pairs = Object.entries(groups).flatMap(([group, rewards]) =>
    rewards.map((reward, i) => ({ reward, generated: experience(group, i, rewards.length, changes) })),
  );
  return {
    reads: 'log',
    experiences: pairs.map(({ generated }) => generated),
    results: pairs.map(({ generated, reward }) => resultOf(generated, reward)),
  };
}

export const together = (...logs: readonly LogInput[]): LogInput => ({
  reads: 'log',
  experiences: logs.flatMap(({ experiences }) => experiences),
  results: logs.flatMap(({ results }) => results),
});
