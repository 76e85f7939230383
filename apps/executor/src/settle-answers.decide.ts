/**
 * What becomes of an answer that no verifier judges. It waits. The first feedback in the log that counts makes it a result. Without
 * feedback in time it is ungraded: no verdict, no reward, no part in a rate. Both have the id that a verifier's result would have, so an
 * attempt has one result, regardless of its source. Pure.
 *
 *   AnswerRecorded ─┬─ FeedbackGiven ─► OutcomeRecorded  ┐
 *                   └─ deadline ──────► AttemptUngraded  ┴─ AnswerSettled
 */
import {
  attemptIdOf,
  deriveMeta,
  type EventOf,
  FEEDBACK_SUCCESS,
  isAnsweredElsewhere,
  isConversation,
  leastTrusted,
  resultRole,
  type SeamEvent,
  tenantOf,
} from '@seamstream/events';
import {
  answersExperience,
  type ExpectedEnd,
  expectedEnd,
  gatewayAnswers,
  isJudged,
  type WrittenOrWithheld,
} from '@seamstream/evidence';
import { derivedId, excerpt } from '@seamstream/kernel';

const SOURCE = 'seam/executor';

/** Characters of a reason in a result. */
const REASON = 2_000;

type Answer = EventOf<'AnswerRecorded'>;
type Feedback = EventOf<'FeedbackGiven'>;

/** What is known of an attempt that waits. */
export interface OpenAnswer extends ExpectedEnd {
  readonly problemId: string;
  readonly tenant: string;
  /** Milliseconds since the Unix epoch. */
  readonly feedbackUntil: number;
  /** The adapter of a session answered: it is no answer of the frozen executor. */
  readonly isOfSession: boolean;
}

/** What is known of an attempt that waited and waits no longer. */
export type SettledAnswer = Pick<OpenAnswer, 'isOfSession'>;

/**
 * Whose answer a record is. `ours`: the log has the experience, which says the same. `early`: a gateway's, of an experience that is still
 * to come. `foreign`: of nothing that waits for feedback here, since a client with access to the topic may append any record.
 */
export type Standing = 'ours' | 'early' | 'foreign';

/** @param experience the one that the answer names, where the log has it */
export function standingOf(answer: Answer, experience: WrittenOrWithheld | undefined): Standing {
  const { meta, experienceId } = answer;
  if (isJudged(answer.problem)) return 'foreign';
  if (experience === undefined) {
    const isDerived = meta.causationId === experienceId && meta.messageId === derivedId(experienceId, 'answer');
    // What a gateway answers is tried once: an answer that names another attempt would wait in its place.
    return isDerived && isConversation(answer.executor) && answer.attemptId === null ? 'early' : 'foreign';
  }
  return answersAlone(answer, experience) || gatewayAnswers(answer, experience) ? 'ours' : 'foreign';
}

function answersAlone(answer: Answer, experience: WrittenOrWithheld): boolean {
  return !isAnsweredElsewhere(experience) && answersExperience(answer)(experience);
}

export function openAnswerOf(answer: Answer): OpenAnswer {
  const { problem, meta, feedbackUntil, sessionAdapter } = answer;
  const isOfSession = (sessionAdapter ?? null) !== null;
  return {
    ...expectedEnd(answer),
    ...{ problemId: problem.problemId, tenant: tenantOf(meta), feedbackUntil, isOfSession },
  };
}

export interface Refusal {
  readonly reason: EventOf<'FeedbackRefused'>['reason'];
  readonly detail: string;
}

/**
 * Why feedback does not count; undefined where it does. A client that may append feedback may say what one waiting attempt is worth,
 * between 0 and 1, once, in its time, and nothing else. Of an attempt of another tenant it learns what it learns of none.
 * @param open the attempt, where it waits
 * @param settled the same, where it is known to have waited and to wait no longer
 */
export function refusalOf(
  { problemId, attemptId, score, meta }: Feedback,
  open: Pick<OpenAnswer, 'problemId' | 'tenant' | 'feedbackUntil' | 'isOfSession'> | undefined,
  settled: SettledAnswer | undefined,
): Refusal | undefined {
  if (!(score >= 0 && score <= 1)) return { reason: 'score', detail: `expected a score of 0 … 1, got ${score}` };
  // Its wait is over at once: that it is settled says less.
  if (settled?.isOfSession === true) return ofSession(attemptId);
  if (settled !== undefined) return { reason: 'settled', detail: `attempt ${attemptId} was settled before` };
  if (open?.problemId !== problemId || open.tenant !== tenantOf(meta))
    return {
      reason: 'unknown_attempt',
      detail: `no answer of attempt ${attemptId} to problem ${problemId} waits for feedback: a verifier judges it (a training that hears feedback may count it), it was settled long ago, or it was never given`,
    };
  if (open.isOfSession) return ofSession(attemptId);
  if (meta.occurredAt <= open.feedbackUntil) return undefined;
  const late = meta.occurredAt - open.feedbackUntil;
  return {
    reason: 'late',
    detail: `it came ${late} ms after the deadline ${new Date(open.feedbackUntil).toISOString()}`,
  };
}

function ofSession(attemptId: string): Refusal {
  return {
    reason: 'session_adapter',
    detail: `the adapter of a session answered attempt ${attemptId}: only what the frozen executor answers is judged`,
  };
}

export function refusedFeedback(feedback: Feedback, { reason, detail }: Refusal, nowMs: number): SeamEvent {
  const { problemId, attemptId, by, meta } = feedback;
  return {
    type: 'FeedbackRefused',
    meta: deriveMeta(meta, { role: 'refused', source: SOURCE, occurredAt: nowMs }),
    ...{ problemId, attemptId, feedbackId: meta.messageId, by, reason, detail },
  };
}

/** The result that feedback makes of an answer, and that it waits no longer. */
export function settledByFeedback(answer: Answer, feedback: Feedback, nowMs: number): readonly SeamEvent[] {
  const { unpaid } = answer;
  const { score, by, reason } = feedback;
  const said = `judged ${score} by ${by}${reason === '' ? '' : `: ${reason}`}`;
  const detail = excerpt(said, REASON);
  const outcome: EventOf<'OutcomeRecorded'> = {
    ...copiedOf(answer),
    type: 'OutcomeRecorded',
    meta: {
      ...resultMeta(answer, nowMs),
      sourceClass: leastTrusted(answer.meta.sourceClass, feedback.meta.sourceClass),
    },
    success: score >= FEEDBACK_SUCCESS,
    reward: unpaid === null ? score : 0,
    verifierVersion: 'feedback',
    verifierDetail: unpaid === null || score === 0 ? detail : `${detail}; no reward: ${unpaid}`,
    feedbackId: feedback.meta.messageId,
    measurement: null,
  };
  return [outcome, settled(answer, outcome, nowMs)];
}

/** What only an answer says. */
const OF_ANSWERS = [
  ...(['type', 'feedbackUntil', 'unpaid', 'usage', 'finishReason', 'cutBy'] as const),
  ...(['sessionAdapter', 'entryMs', 'ownMs'] as const),
] as const;

/** What a result says as the answer does. */
function copiedOf(answer: Answer): Omit<Answer, (typeof OF_ANSWERS)[number]> {
  const ended: ReadonlySet<string> = new Set(OF_ANSWERS);
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !ended.has(name))) as unknown as Answer;
}

/** What an answer becomes whose time is up, and that it waits no longer. */
export function ungradedAt(answer: Answer, nowMs: number): readonly SeamEvent[] {
  const { problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest, attemptId } = answer;
  const ungraded: EventOf<'AttemptUngraded'> = {
    type: 'AttemptUngraded',
    meta: resultMeta(answer, nowMs),
    ...{ problem, experienceId, groupId, candidateIndex, groupSize, arm, adapterDigest, attemptId },
    feedbackUntil: answer.feedbackUntil,
  };
  return [ungraded, settled(answer, ungraded, nowMs)];
}

function settled(
  answer: Answer,
  result: EventOf<'OutcomeRecorded'> | EventOf<'AttemptUngraded'>,
  nowMs: number,
): SeamEvent {
  return {
    type: 'AnswerSettled',
    meta: deriveMeta(answer.meta, { role: 'settled', source: SOURCE, occurredAt: nowMs }),
    problemId: answer.problem.problemId,
    attemptId: attemptIdOf(answer),
    resultId: result.meta.messageId,
    feedbackId: result.type === 'OutcomeRecorded' ? result.feedbackId : null,
  };
}

/** A result follows from its experience, as one that a verifier judged does; the answer follows from the same. */
function resultMeta(answer: Answer, nowMs: number): Answer['meta'] {
  const { meta } = answer;
  return {
    ...meta,
    messageId: derivedId(meta.causationId ?? '', resultRole(answer)),
    source: SOURCE,
    occurredAt: nowMs,
  };
}
