/**
 * Whether a record answers another one, or only names it as its cause. A service asks this before it believes that its work is done: any
 * client that may write to the topic of the answers can name any cause, also one of another tenant. A true answer says of its cause what
 * {@link doubtOf} expects of it. All that an answer says is compared as one digest, since any number of records may name one cause.
 *
 *   ProblemPublished ──► ExperienceGenerated, ExperienceWithheld, ProblemExpired
 *   ExperienceGenerated, ExperienceWithheld ──► OutcomeRecorded, ExecutionFailed, AttemptUngraded, AnswerRecorded
 *
 * Pure.
 */
import {
  type Answers,
  contentDigest,
  type EventMeta,
  type EventOf,
  experienceIdOf,
  groupIdOf,
  isAnsweredElsewhere,
  isControl,
  isConversation,
  isGraded,
  isWhole,
  type ProblemCopy,
  resultRole,
  type SeamEvent,
} from '@seamstream/events';
import { canonicalJson, derivedId, sha256 } from '@seamstream/kernel';
import {
  asCopied,
  COPIED_FIELDS,
  IDENTITY,
  isExperience,
  isPlaceInGroup,
  isReward,
  type WrittenOrWithheld,
} from './doubt.decide.js';

type Derived = Pick<EventMeta, 'messageId' | 'causationId' | 'correlationId' | 'subject' | 'tenant'>;
type Copied = Readonly<Record<string, unknown>>;

const NONE = (): boolean => false;

/** What an executor writes about an experience. One that a gateway answers asks nothing of it. */
export function answersExperience(answer: SeamEvent): Answers {
  const isAnswer = ofExecutor(answer);
  return (cause) => isExperience(cause) && (isAnsweredElsewhere(cause) || isAnswer(cause));
}

type AnswersExperience = (cause: WrittenOrWithheld) => boolean;

function ofExecutor(answer: SeamEvent): AnswersExperience {
  switch (answer.type) {
    case 'OutcomeRecorded':
      if (isConversation(answer.executor) || !isReward(answer.reward)) return NONE;
      return follows(digestOf(answer.meta, answer, COPIED_FIELDS), resultRole(answer), COPIED_FIELDS);
    case 'AnswerRecorded':
      if (isConversation(answer.executor) || isJudged(answer.problem)) return NONE;
      return follows(digestOf(answer.meta, answer, COPIED_FIELDS), 'answer', COPIED_FIELDS);
    case 'AttemptUngraded':
      if (isJudged(answer.problem)) return NONE;
      return follows(digestOf(answer.meta, answer, IDENTITY), resultRole(answer), IDENTITY);
    case 'ExecutionFailed':
      return follows(digestOf(answer.meta, answer, IDENTITY), resultRole(answer), IDENTITY);
    default:
      return NONE;
  }
}

/** No answer to such a problem waits for feedback. Of a copy that names its content this is not known. */
export function isJudged(problem: ProblemCopy): boolean {
  return isWhole(problem) && isGraded(problem);
}

/** @param digest of what the answer says. The function that is returned holds nothing else of it. */
function follows(digest: string, role: string, names: readonly string[]): AnswersExperience {
  return (cause) => digest === expectedOf(cause, role, names);
}

/** Of causes, by role and fields: any number of records may name one. */
const EXPECTED = new WeakMap<WrittenOrWithheld, Map<string, string>>();

function expectedOf(cause: WrittenOrWithheld, role: string, names: readonly string[]): string {
  const known = EXPECTED.get(cause) ?? new Map<string, string>();
  EXPECTED.set(cause, known);
  const key = `${names.length} ${role}`;
  let digest = known.get(key);
  if (digest === undefined) {
    const meta = derivedFrom(cause.meta, derivedId(cause.meta.messageId, role));
    known.set(key, (digest = digestOf(meta, asCopied(cause), names)));
  }
  return digest;
}

/**
 * Whether a gateway's answer is about an experience that the gateway was to answer. It may have answered before the experience was there,
 * and then copies nothing of it but what follows from the problem.
 */
export function gatewayAnswers(answer: EventOf<'AnswerRecorded'>, experience: WrittenOrWithheld): boolean {
  const { meta, experienceId, groupId } = experience;
  return (
    isAnsweredElsewhere(experience) &&
    isConversation(answer.executor) &&
    answer.experienceId === experienceId &&
    // What it is tried for is part of which attempt it ends.
    answer.attemptId === experience.attemptId &&
    answer.groupId === groupId &&
    problemDigest(answer.meta, answer.problem) ===
      problemDigest(derivedFrom(meta, derivedId(meta.messageId, 'answer')), experience.problem)
  );
}

/**
 * Whether a gateway's answer follows from what was published for it, in the arm that was drawn there. It copies of its experience, which may
 * never come, what follows from the problem.
 */
export function answersUnwritten(answer: EventOf<'AnswerRecorded'>, published: EventOf<'ProblemPublished'>): boolean {
  const { meta, problem, assignment = null, answeredBy = null } = published;
  const experienceId = experienceIdOf(meta.messageId, 0);
  const experience = { ...meta, messageId: experienceId };
  return (
    answeredBy !== null &&
    isConversation(answer.executor) &&
    answer.experienceId === experienceId &&
    answer.groupId === groupIdOf(meta.messageId) &&
    answer.attemptId === null &&
    answer.adapterDigest === null &&
    (assignment === null || answer.arm === (isControl(assignment) ? 'control' : 'deploy')) &&
    problemDigest(answer.meta, answer.problem) ===
      problemDigest(derivedFrom(experience, derivedId(experienceId, 'answer')), problem)
  );
}

/** What a generator writes about a problem; undefined for all else. */
export function answersProblem(answer: SeamEvent): Answers | undefined {
  switch (answer.type) {
    case 'ExperienceGenerated':
      return ofProblem(answer, answer, answer.arm);
    case 'ExperienceWithheld':
      return ofProblem(answer, { candidateIndex: 0, groupSize: 1 }, null);
    case 'ProblemExpired':
      return ofExpiry(problemDigest(answer.meta, answer.problem), answer.expiredAt);
    default:
      return undefined;
  }
}

function ofProblem(
  { meta, problem, experienceId, groupId }: WrittenOrWithheld,
  place: { readonly candidateIndex: number; readonly groupSize: number },
  mode: string | null,
): Answers {
  const causeId = meta.causationId ?? '';
  const isConsistent =
    isPlaceInGroup(place.candidateIndex, place.groupSize) &&
    experienceId === experienceIdOf(causeId, place.candidateIndex) &&
    meta.messageId === experienceId &&
    groupId === groupIdOf(causeId);
  return isConsistent ? ofMode(problemDigest({ ...meta, messageId: '' }, problem), mode) : NONE;
}

function ofMode(digest: string, mode: string | null): Answers {
  return (cause) =>
    cause.type === 'ProblemPublished' &&
    (mode === null || mode === cause.mode) &&
    digest === problemDigest(derivedFrom(cause.meta, ''), cause.problem);
}

function ofExpiry(digest: string, expiredAt: number): Answers {
  return (cause) =>
    cause.type === 'ProblemPublished' &&
    cause.expiresAt !== null &&
    cause.expiresAt <= expiredAt &&
    digest === problemDigest(derivedFrom(cause.meta, derivedId(cause.meta.messageId, 'expired')), cause.problem);
}

/** The same of the problem and of its copies, which may name their content and say where they found it. */
function problemDigest(meta: Derived, problem: ProblemCopy): string {
  const { prompt, reference } = problem;
  const named =
    typeof prompt === 'string'
      ? { ...problem, prompt: contentDigest({ prompt, reference }), reference: null }
      : { ...problem, prompt: prompt.digest };
  return digestOf(meta, { problem: named }, ['problem']);
}

function derivedFrom({ messageId, correlationId, subject, tenant }: EventMeta, id: string): Derived {
  return { messageId: id, causationId: messageId, correlationId, subject, tenant };
}

function digestOf(meta: Derived, event: Copied | SeamEvent, names: readonly string[]): string {
  const { messageId, causationId, correlationId, subject, tenant } = meta;
  const copied = names.map((name) => (event as Copied)[name] ?? null);
  return sha256(canonicalJson([messageId, causationId, correlationId, subject, tenant ?? null, copied]));
}
