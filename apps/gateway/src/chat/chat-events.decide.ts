/** The events of one request of a client: what is asked, and what followed. Pure: ids and time are given. */
import {
  type Assignment,
  deriveMeta,
  type EventOf,
  type ExecutorIdentity,
  experienceIdOf,
  groupIdOf,
  isControl,
  originMeta,
  type ProblemCopy,
  type ProblemPublished,
  resultRole,
} from '@seamstream/events';
import { type EntrySchemas, entryWorth } from '@seamstream/experience';
import type { ChatRequest } from '@seamstream/gateway-contract';
import { type ErrorCode, excerpt } from '@seamstream/kernel';
import { finalAnswer } from '@seamstream/verifiers';
import type { Principal } from '../access/principal.js';
import { tokensIn } from '../quotas/reported-tokens.js';
import { SOURCE } from '../source.js';
import type { Answered } from './answered.decide.js';
import { problemOf } from './conversation.decide.js';

/** Characters of a reason in a result. */
const REASON = 2_000;

type Generated = EventOf<'ExperienceGenerated'>;

/** Who asks, and when. */
export interface Asking {
  readonly problemId: string;
  /** Of the problem's event. */
  readonly messageId: string;
  readonly nowMs: number;
  readonly client: Pick<Principal, 'id' | 'tenant'>;
  readonly traceparent: string | null;
  readonly assignment: Assignment;
  readonly feedbackWithinMs: number;
  /** Free text: the request's id, its count of retries. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a request is counted with. */
export function domainOf({ seam }: ChatRequest): string {
  return seam?.domain ?? 'chat';
}

/** A request as the problem that it is: without a verifier, since what is right is not known yet. */
export function problemPublished(request: ChatRequest, asking: Asking): EventOf<'ProblemPublished'> {
  const { prompt, task, isCut } = problemOf(request.messages);
  const { problemId, messageId, client, nowMs, traceparent, assignment, feedbackWithinMs } = asking;
  return {
    type: 'ProblemPublished',
    meta: originMeta({
      ...{ messageId, correlationId: problemId, source: SOURCE, occurredAt: nowMs },
      ...{ sourceClass: 'user', subject: client.id, tenant: client.tenant, traceparent },
    }),
    problem: {
      ...{ problemId, domain: domainOf(request), prompt, reference: null, verifier: null },
      metadata: { ...asking.metadata, ...(isCut ? { cut: 'beginning' } : {}) },
    },
    mode: 'deploy',
    expiresAt: null,
    ...{ feedbackWithinMs, task, assignment, answeredBy: SOURCE },
  };
}

/** Why a treated request was asked without an entry. */
type WithoutEntry = 'late';

/** What the executor was asked with. */
export interface Treatment {
  readonly arm: 'control' | 'deploy';
  /** Null in the control arm, and where none came in time. */
  readonly experience: Generated | null;
  readonly withoutEntry: WithoutEntry | null;
}

/** The arm of a request, before anything is known of an experience. */
export function armOf(assignment: Assignment): Treatment['arm'] {
  return isControl(assignment) ? 'control' : 'deploy';
}

export function treatmentOf(arm: Treatment['arm'], experience: Generated | null): Treatment {
  const isLate = arm === 'deploy' && experience === null;
  return { arm, experience, withoutEntry: isLate ? 'late' : null };
}

/** What results are about: copied of the experience, or as it will be where none came yet. */
interface Subject {
  readonly published: ProblemPublished;
  /** As a generator would copy it. */
  readonly copy: ProblemCopy;
  readonly treatment: Treatment;
}

/** Meta of the experience, whose id follows from the problem's event, so that results can follow from one that is still to come. */
function experienceMeta({ published, treatment: { experience } }: Subject): ProblemPublished['meta'] {
  const { meta } = published;
  return experience?.meta ?? deriveMeta(meta, { role: 'experience', source: SOURCE, occurredAt: meta.occurredAt });
}

function identityOf({ published: { meta }, copy, treatment: { arm, experience } }: Subject) {
  return {
    problem: experience?.problem ?? copy,
    experienceId: experienceIdOf(meta.messageId, 0),
    groupId: groupIdOf(meta.messageId),
    candidateIndex: 0,
    groupSize: 1,
    arm,
    adapterDigest: experience?.adapterDigest ?? null,
    attemptId: null,
  };
}

/** What the executor did. */
export interface Execution {
  readonly answered: Answered;
  readonly executor: ExecutorIdentity;
  /** Executors that were asked before. */
  readonly failedTries: NonNullable<EventOf<'AnswerRecorded'>['failedTries']>;
  /** Null: no entry was waited for. */
  readonly entryMs: number | null;
  /** Of the executor. */
  readonly latencyMs: number;
  /** Of the gateway, until now. */
  readonly ownMs: number;
  readonly nowMs: number;
  readonly cutBy: 'client' | null;
  /** Digest of the adapter of a session that answered; null: the frozen executor did. */
  readonly sessionAdapter: string | null;
}

export function answerRecorded(
  subject: Subject,
  { answered, executor, failedTries, entryMs, latencyMs, ownMs, nowMs, cutBy, sessionAdapter }: Execution,
  schemaFor: EntrySchemas,
): EventOf<'AnswerRecorded'> {
  const { published, treatment } = subject;
  const { experience, withoutEntry } = treatment;
  const worth = experience === null ? undefined : entryWorth(experience, published.problem, schemaFor);
  const { text, finishReason, usage } = answered;
  return {
    type: 'AnswerRecorded',
    meta: deriveMeta(experienceMeta(subject), {
      role: 'answer',
      source: SOURCE,
      occurredAt: nowMs,
      sourceClass: 'model',
    }),
    ...identityOf(subject),
    entry: experience?.entry ?? null,
    promptTokenIds: experience?.promptTokenIds ?? [],
    tokenIds: experience?.tokenIds ?? [],
    forced: experience?.forced ?? [],
    baseModelDigest: experience?.baseModelDigest ?? null,
    executor,
    response: text,
    extractedAnswer: finalAnswer(text),
    faithful: worth?.faithful ?? null,
    unpaid: unpaidReason(withoutEntry, worth),
    promptTokens: tokensIn(usage, 'prompt_tokens'),
    responseTokens: tokensIn(usage, 'completion_tokens'),
    ...{ entryMs, latencyMs, ownMs },
    // Of what a session answered no feedback counts: its wait is over at once.
    feedbackUntil: sessionAdapter === null ? nowMs + (published.feedbackWithinMs ?? 0) : nowMs,
    sessionAdapter,
    ...{ withoutEntry, finishReason, cutBy, usage: usage === null ? null : JSON.stringify(usage) },
    failedTries: failedTries.length === 0 ? null : failedTries,
  };
}

function unpaidReason(
  withoutEntry: WithoutEntry | null,
  worth: ReturnType<typeof entryWorth> | undefined,
): string | null {
  if (withoutEntry !== null) return 'the executor was asked without an entry';
  if (worth === undefined) return null;
  return worth.isValid ? (worth.misquote ?? null) : 'the entry is not valid under its schema';
}

export interface ExecutionFault {
  readonly code: ErrorCode;
  readonly reason: string;
  /** Executors that were asked. */
  readonly attempts: number;
  readonly nowMs: number;
}

/** There is no answer: no verdict, and never a reward of 0. */
export function executionFailed(
  subject: Subject,
  { code, reason, attempts, nowMs }: ExecutionFault,
): EventOf<'ExecutionFailed'> {
  return {
    type: 'ExecutionFailed',
    meta: deriveMeta(experienceMeta(subject), {
      ...{ role: resultRole({ attemptId: null }), source: SOURCE, occurredAt: nowMs, sourceClass: 'model' },
    }),
    ...identityOf(subject),
    ...{ code, reason: excerpt(reason, REASON), attempts },
  };
}
