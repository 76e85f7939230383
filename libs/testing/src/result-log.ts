/** A problem, its experiences and results as the services write them, and every way to forge one result of these. For tests. */
import {
  copyOf,
  deriveMeta,
  type EventOf,
  experienceIdOf,
  groupIdOf,
  originMeta,
  type Problem,
  type ProblemPlace,
  promptOrName,
  type SeamEvent,
} from '@seamstream/events';
import type { Experience, Result } from '@seamstream/evidence';
import { derivedId, newId } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from './example-events.js';

export interface HonestResults {
  readonly published: EventOf<'ProblemPublished'>;
  readonly experiences: readonly EventOf<'ExperienceGenerated'>[];
  readonly outcomes: readonly EventOf<'OutcomeRecorded'>[];
}

export const all = ({ published, experiences, outcomes }: HonestResults): readonly SeamEvent[] => [
  published,
  ...experiences,
  ...outcomes,
];

/** A problem whose content no other one has. */
export function problemAbout(problemId: string): Problem {
  return {
    problemId,
    domain: 'sums',
    prompt: `Of ${problemId} what is half?`,
    reference: '4',
    verifier: { kind: 'exact', version: '1', options: {} },
    metadata: {},
  };
}

/** A person's publication of the problem, to be explored. */
export function publicationOf(problem: Problem, subject: string | null = null): EventOf<'ProblemPublished'> {
  return {
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task: null,
    meta: originMeta({
      messageId: derivedId(problem.problemId, 'published'),
      correlationId: problem.problemId,
      source: 'seam/cli',
      occurredAt: 1,
      sourceClass: 'user',
      subject,
    }),
    problem,
    mode: 'explore',
    expiresAt: null,
  };
}

/** Everything about one explored problem; the candidates whose index is in `solved` succeed. */
export function explored(
  problem: Problem,
  {
    groupSize = 4,
    solved = [0],
    entryOf = (index: number) => `{"n":${index}}`,
    subject = null,
    namedAt,
  }: {
    readonly groupSize?: number;
    readonly solved?: readonly number[];
    readonly entryOf?: (index: number) => string;
    readonly subject?: string | null;
    /** Where experiences and results say that the content is, which they name; absent: they copy it. */
    readonly namedAt?: ProblemPlace;
  } = {},
): HonestResults {
  const published = publicationOf(problem, subject);
  const { messageId } = published.meta;
  const copy = namedAt === undefined ? problem : copyOf(problem, namedAt, 0);
  const experiences = Array.from({ length: groupSize }, (_, candidateIndex): EventOf<'ExperienceGenerated'> => {
    const entry = entryOf(candidateIndex);
    const tokenIds = [...Buffer.from(entry)];
    return {
      type: 'ExperienceGenerated',
      attemptId: null,
      feedbackWithinMs: null,
      meta: deriveMeta(published.meta, {
        role: 'experience',
        index: candidateIndex,
        source: 'seam/generator',
        occurredAt: 2,
        sourceClass: 'model',
      }),
      problem: copy,
      experienceId: experienceIdOf(messageId, candidateIndex),
      groupId: groupIdOf(messageId),
      candidateIndex,
      groupSize,
      arm: 'explore',
      entry,
      entrySchema: 's',
      promptTokenIds: [1, 2, 3],
      tokenIds,
      logProbs: tokenIds.map(() => -0.5),
      legalMass: tokenIds.map(() => 0.5),
      forced: tokenIds.map((_id, at) => at % 2 === 0),
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 64, seed: 's' },
      tokenizerDigest: 't',
      baseModelDigest: 'base',
      adapterDigest: null,
      latencyMs: 1,
    };
  });
  return {
    published,
    experiences,
    outcomes: experiences.map((experience) => outcomeOf(experience, solved.includes(experience.candidateIndex))),
  };
}

export function outcomeOf(
  { meta, ...experience }: EventOf<'ExperienceGenerated'>,
  success: boolean,
): EventOf<'OutcomeRecorded'> {
  const { problem, experienceId, groupId, candidateIndex, groupSize, arm, entry } = experience;
  const { promptTokenIds, tokenIds, forced, baseModelDigest, adapterDigest } = experience;
  return {
    ...EXAMPLE_EVENTS.OutcomeRecorded,
    meta: deriveMeta(meta, { role: 'outcome', source: 'seam/executor', occurredAt: 3, sourceClass: 'model' }),
    ...{ problem, experienceId, groupId, candidateIndex, groupSize, arm, entry },
    ...{ promptTokenIds, tokenIds, forced, baseModelDigest, adapterDigest },
    success,
    reward: success ? 1 : 0,
  };
}

type Outcome = EventOf<'OutcomeRecorded'>;

/** Each takes a true result (and one of another problem) and gives a forged one that nothing in the log bears out. */
export const FORGERIES: Readonly<Record<string, (own: Outcome, other: Outcome) => Result>> = {
  'of an experience that was never written': (own) => ({ ...own, experienceId: newId() }),
  "of another problem's experience": (own, other) => ({ ...own, experienceId: other.experienceId }),
  'of a problem that was never published': (own) => {
    const problemId = newId();
    return { ...own, problem: { ...own.problem, problemId }, experienceId: newId(), groupId: newId() };
  },
  'of another problem': (own, other) => ({ ...own, problem: other.problem }),
  'with another reference': (own) => ({ ...own, problem: { ...own.problem, reference: 'mine' } }),
  'with the digest of other content': (own, other) => ({
    ...own,
    problem: copyOf({ ...own.problem, prompt: promptOrName(other.problem) }, { partition: 0, offset: 0 }, 0),
  }),
  'with another prompt': (own) => ({ ...own, problem: { ...own.problem, prompt: 'mine' } }),
  'with another verifier': (own) => ({
    ...own,
    problem: { ...own.problem, verifier: { ...own.problem.verifier!, version: '999' } },
  }),
  'in another group': (own) => ({ ...own, groupId: newId() }),
  'in a group of another size': (own) => ({ ...own, groupSize: own.groupSize + 1 }),
  'as another candidate': (own) => ({ ...own, candidateIndex: own.candidateIndex + 1 }),
  'of another arm': (own) => ({ ...own, arm: 'deploy' }),
  'with another entry': (own) => ({ ...own, entry: `${own.entry} ` }),
  'without an entry': (own) => ({ ...own, entry: null }),
  'with other tokens': (own) => ({ ...own, tokenIds: own.tokenIds.map((id) => id + 1) }),
  'with a token more': (own) => ({ ...own, tokenIds: [...own.tokenIds, 666], forced: [...own.forced, false] }),
  'with another prompt of the generator': (own) => ({ ...own, promptTokenIds: [] }),
  'with other tokens forced': (own) => ({ ...own, forced: own.forced.map((each) => !each) }),
  'by another adapter': (own) => ({ ...own, adapterDigest: 'a'.repeat(64) }),
  'by another base model': (own) => ({ ...own, baseModelDigest: 'b'.repeat(64) }),
  'with a reward beyond all measure': (own) => ({ ...own, reward: 1000 }),
  'under another id': (own) => ({ ...own, meta: { ...own.meta, messageId: newId() } }),
  'caused by something else': (own, other) => ({ ...own, meta: { ...own.meta, causationId: other.meta.causationId } }),
  'in the name of another person': (own) => ({ ...own, meta: { ...own.meta, subject: 'eve' } }),
  'in the name of another tenant': (own) => ({ ...own, meta: { ...own.meta, tenant: 'eve' } }),
  'that failed, of an experience that was never written': (own) => ({ ...failureOf(own), experienceId: newId() }),
  'that failed, in another group': (own) => ({ ...failureOf(own), groupId: newId() }),
  'that expired, though it had no end': ({ problem, meta }) => ({
    type: 'ProblemExpired',
    meta: { ...meta, causationId: derivedId(problem.problemId, 'published') },
    problem,
    expiredAt: 9,
  }),
};

function failureOf(own: Outcome): EventOf<'ExecutionFailed'> {
  const { meta, problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest } = own;
  return {
    ...EXAMPLE_EVENTS.ExecutionFailed,
    ...{ meta, problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest },
  };
}

/** Experiences that another writer wrote, and results that agree with them in everything. */
export const FORGED_EXPERIENCES: Readonly<
  Record<string, (own: EventOf<'ExperienceGenerated'>) => EventOf<'ExperienceGenerated'>>
> = {
  'of a problem that was never published': (own) => ({ ...own, problem: { ...own.problem, problemId: newId() } }),
  'of a problem with another reference': (own) => ({ ...own, problem: { ...own.problem, reference: 'mine' } }),
  'of a problem with other content': (own) => ({
    ...own,
    problem: copyOf({ ...own.problem, prompt: 'mine' }, { partition: 0, offset: 0 }, 0),
  }),
  'under another id': (own) => ({ ...own, experienceId: newId() }),
  'in the name of another tenant': (own) => ({ ...own, meta: { ...own.meta, tenant: 'eve' } }),
  'under other ids': (own) => {
    const experienceId = newId();
    return { ...own, experienceId, meta: { ...own.meta, messageId: experienceId } };
  },
  'in another group': (own) => ({ ...own, groupId: newId() }),
  'of another arm': (own) => ({ ...own, arm: 'deploy' }),
  'in a separate group': (own) => ({ ...own, experienceId: newId(), groupId: newId() }),
  'beyond its group': (own) => ({
    ...own,
    candidateIndex: own.groupSize,
    experienceId: experienceIdOf(own.meta.causationId!, own.groupSize),
    meta: { ...own.meta, messageId: derivedId(own.meta.causationId!, 'experience', own.groupSize) },
  }),
  'by an adapter that was never published': (own) => ({ ...own, adapterDigest: 'a'.repeat(64) }),
  'caused by nothing': (own) => ({ ...own, experienceId: newId(), meta: { ...own.meta, causationId: null } }),
};

export type { Experience };
