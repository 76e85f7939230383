/** Problems as the services would have recorded them. */
import { type EventMeta, originMeta, type Problem, type SeamEvent } from '@seamstream/events';
import { DEFAULT_ENTRY_SCHEMA, schemaDigest } from '@seamstream/experience';
import { derivedId, Random } from '@seamstream/kernel';
import { FAKE_BASE_MODEL } from '@seamstream/training-contract/testing';

const GROUP_SIZE = 4;

const problemOf = (index: number): Problem => ({
  problemId: `p-${index}`,
  domain: index % 2 === 0 ? 'sums' : 'words',
  prompt: `Problem ${index}`,
  reference: '4',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
});

export interface ExploredOptions {
  readonly adapterDigest?: string | null;
  /** No entry of the group is right: it is without variance. */
  readonly alike?: boolean;
  readonly entrySchema?: string;
  readonly logProb?: number;
  /** Entries of a group that are right. */
  readonly solved?: number;
}

/** The experiences of one problem, each followed by its result. */
export function explored(index: number, options: ExploredOptions = {}): SeamEvent[] {
  return Array.from({ length: GROUP_SIZE }, (_, candidateIndex) => candidate(index, candidateIndex, options)).flat();
}

function candidate(index: number, candidateIndex: number, options: ExploredOptions): SeamEvent[] {
  const { adapterDigest = null, alike = false, entrySchema, logProb = -0.7, solved = 1 } = options;
  const problem = problemOf(index);
  const groupId = derivedId(problem.problemId, 'group');
  const experienceId = derivedId(groupId, 'experience', candidateIndex);
  const origin = (role: string): EventMeta =>
    originMeta({
      messageId: derivedId(experienceId, role),
      correlationId: problem.problemId,
      source: 'seam/test',
      occurredAt: 1_700_000_000_000,
      sourceClass: 'model',
    });
  const random = Random.of(experienceId);
  const tokenIds = Array.from({ length: 4 }, () => random.int(100));
  const copied = {
    ...{
      problem,
      experienceId,
      groupId,
      candidateIndex,
      groupSize: GROUP_SIZE,
      arm: 'explore' as const,
      adapterDigest,
    },
    ...{ promptTokenIds: [1, 2, index], tokenIds, forced: [true, false, false, true] },
    ...{ attemptId: null, baseModelDigest: FAKE_BASE_MODEL },
  };
  const success = !alike && (candidateIndex + GROUP_SIZE - (index % GROUP_SIZE)) % GROUP_SIZE < solved;
  return [
    {
      type: 'ExperienceGenerated',
      feedbackWithinMs: null,
      meta: origin('experience'),
      ...copied,
      entry: `{"n":${candidateIndex}}`,
      entrySchema: entrySchema ?? schemaDigest(DEFAULT_ENTRY_SCHEMA),
      logProbs: [0, logProb, logProb, 0],
      legalMass: [1, 1, 1, 1],
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 9, seed: 's' },
      tokenizerDigest: 't',
      latencyMs: 1,
    },
    {
      type: 'OutcomeRecorded',
      feedbackId: null,
      measurement: null,
      executor: { model: 'executor', revision: '1', template: 'plain', decoding: '{}' },
      response: 'The answer is 42.',
      extractedAnswer: '42',
      faithful: true,
      verifierVersion: '1',
      verifierDetail: '42 equals 42',
      promptTokens: 61,
      responseTokens: 8,
      latencyMs: 7,
      meta: origin('outcome'),
      ...copied,
      entry: '{}',
      success,
      reward: success ? 1 : 0,
    },
  ];
}
