/** The candidates of a problem: what was written, what became of it, and what the buffer made of it. */
import { attemptIdOf, type EventOf } from '@seamstream/events';
import { compareText, derivedId } from '@seamstream/kernel';
import type {
  Attempt,
  AttemptResult,
  BufferVerdict,
  Candidate,
  Decision,
  ProblemStoryState,
  Result,
} from './problem-story.types.js';
import { comparePlaces, placeOf } from './projection.js';

export function attemptsOf(state: ProblemStoryState): readonly Attempt[] {
  const results = Map.groupBy(state.results, ({ event }) => attemptIdOf(event));
  const feedback = Map.groupBy(state.feedback, ({ attemptId }) => attemptId);
  const decisions = Map.groupBy(state.decisions, ({ experienceId }) => experienceId);
  const sequences = sequencesOf(state);
  const ids = new Set([...state.candidates.keys(), ...state.answers.keys(), ...results.keys()]);
  const attempts = [...ids].map((attemptId): Attempt => {
    const candidate = state.candidates.get(attemptId);
    const answer = state.answers.get(attemptId);
    const own = (results.get(attemptId) ?? []).toSorted((a, b) => comparePlaces(a.position, b.position));
    return {
      attemptId,
      experienceId: (candidate ?? answer ?? own[0]!.event).experienceId,
      ...(candidate === undefined ? toldBy(answer ?? own[0]!.event) : writtenIn(candidate)),
      answer: answer === undefined ? null : answerOf(answer),
      feedback: (feedback.get(attemptId) ?? [])
        .map(({ meta, by, score, reason }) => ({
          ...{ at: meta.occurredAt, by, score, reason },
          refused: state.refusedFeedback.get(meta.messageId)?.detail ?? null,
        }))
        .sort((a, b) => a.at - b.at),
      results: own.map((each) => resultOf(each, state.refusals)),
      buffer: (decisions.get(attemptId) ?? [])
        .map((decision) => verdictOf(decision, sequences))
        .sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0) || a.at - b.at),
    };
  });
  const begun = new Map<string, number>();
  for (const { groupId, writtenAt, results: own } of attempts) {
    const at = writtenAt ?? own[0]?.at ?? 0;
    begun.set(groupId, Math.min(begun.get(groupId) ?? at, at));
  }
  return attempts.sort(
    (a, b) =>
      begun.get(a.groupId)! - begun.get(b.groupId)! ||
      compareText(a.groupId, b.groupId) ||
      a.candidateIndex - b.candidateIndex ||
      compareText(a.experienceId, b.experienceId),
  );
}

function answerOf(event: EventOf<'AnswerRecorded'>): Attempt['answer'] {
  const { meta, response, executor, feedbackUntil, failedTries, sessionAdapter = null } = event;
  const failed = (failedTries ?? []).map(({ model, code, reason }) => ({ model, code, reason }));
  return {
    ...{ at: meta.occurredAt, response, executor: executor.model, feedbackUntil },
    ...{ failedTries: failed, sessionAdapter },
  };
}

type Written = Omit<Attempt, 'attemptId' | 'experienceId' | 'answer' | 'feedback' | 'results' | 'buffer'>;

function writtenIn(candidate: Candidate): Written {
  const { groupId, meta } = candidate;
  if (candidate.type === 'ExperienceWithheld') {
    return {
      groupId,
      candidateIndex: 0,
      groupSize: 1,
      arm: 'control',
      adapterDigest: null,
      baseModelDigest: null,
      entry: null,
      writtenAt: meta.occurredAt,
      tokens: 0,
      temperature: null,
    };
  }
  const { candidateIndex, groupSize, arm, adapterDigest, baseModelDigest, entry, tokenIds, sampling } = candidate;
  return {
    ...{ groupId, candidateIndex, groupSize, arm, adapterDigest, baseModelDigest, entry },
    writtenAt: meta.occurredAt,
    tokens: tokenIds.length,
    temperature: sampling.temperature,
  };
}

/** What a result says of an experience that is not in the log. */
function toldBy({
  groupId,
  candidateIndex,
  groupSize,
  arm,
  adapterDigest,
}: Result | EventOf<'AnswerRecorded'>): Written {
  return {
    ...{ groupId, candidateIndex, groupSize, arm, adapterDigest },
    ...{ baseModelDigest: null, entry: null, writtenAt: null, tokens: 0, temperature: null },
  };
}

function resultOf(
  { event, position }: ProblemStoryState['results'][number],
  refusals: ProblemStoryState['refusals'],
): AttemptResult {
  const refusal = refusals.get(placeOf(position));
  const common = {
    messageId: event.meta.messageId,
    at: event.meta.occurredAt,
    source: event.meta.source,
    position,
    refused: refusal === undefined ? null : { reason: refusal.reason, detail: refusal.detail },
    toolCalls: event.type === 'OutcomeRecorded' ? (event.toolCalls ?? []) : [],
  };
  if (event.type !== 'OutcomeRecorded') {
    const none = { response: null, extractedAnswer: null, reward: null, executor: null, responseTokens: null };
    return event.type === 'ExecutionFailed'
      ? {
          ...{ ...common, ...none, verdict: 'failed' },
          reason: `${event.code} after ${event.attempts} attempts: ${event.reason}`,
        }
      : { ...common, ...none, verdict: 'ungraded', reason: 'no person judged it in time' };
  }
  const { success, response, extractedAnswer, reward, verifierDetail, executor, responseTokens } = event;
  return {
    ...common,
    verdict: success ? 'solved' : 'notSolved',
    ...{ response, extractedAnswer, reward, responseTokens },
    reason: verifierDetail,
    executor: executor.model,
  };
}

function verdictOf(decision: Decision, sequences: ReadonlyMap<string, number>): BufferVerdict {
  const { meta, stratum } = decision;
  const common = { sequence: sequences.get(meta.messageId) ?? null, at: meta.occurredAt, stratum };
  return decision.type === 'SuccessAdmitted'
    ? {
        ...common,
        ...{ decision: 'admitted', helpfulness: decision.helpfulness, reason: null, detail: '', duplicateOf: null },
      }
    : {
        ...common,
        ...{ decision: 'rejected', helpfulness: null },
        ...{ reason: decision.reason, detail: decision.detail, duplicateOf: decision.duplicateOf },
      };
}

/** By the id of a decision the version that it was taken for: an id is derived from the pair and its version's number. */
export function sequencesOf({ decisions, commits }: ProblemStoryState): ReadonlyMap<string, number> {
  const sequences = [...new Set(commits.map(({ sequence }) => sequence))];
  const found = new Map<string, number>();
  for (const { type, outcomeId, experienceId, meta } of decisions) {
    const role = `buffer:${type}:${experienceId}`;
    const own = sequences.find((sequence) => derivedId(outcomeId, role, sequence) === meta.messageId);
    if (own !== undefined) found.set(meta.messageId, own);
  }
  return found;
}
