/**
 * Everything that the log holds about one problem: who published it, what was written for it, what became of each candidate,
 * what the buffer made of it and which training runs had it before them.
 *
 * Facts are kept as they come and put in order when they are read, since they are in six topics. Which version of the
 * buffer a decision belongs to is in the decision's id, and which version a run read is in the run's start: so what a run learned from
 * needs no file.
 */
import {
  type Arm,
  attemptIdOf,
  type EventMeta,
  type EventOf,
  type OffsetRange,
  type Problem,
  type SeamEvent,
  TOPIC,
  type ToolCall,
  tenantOf,
  tenantsAttempt,
} from '@seamstream/events';
import { settledAs, standingOfGroup } from '@seamstream/experience-groups';
import { compareText, derivedId } from '@seamstream/kernel';
import { shardOf } from '@seamstream/success-buffer/shards';
import { advance, type EventPosition, type FoldedOffsets, type Projection } from './projection.js';

/** Milliseconds since the Unix epoch where it says `at`. */
export interface Publication {
  readonly messageId: string;
  readonly at: number;
  readonly source: string;
  readonly mode: 'explore' | 'deploy';
  readonly expiresAt: number | null;
  readonly position: EventPosition;
}

/** An answer, or why there is none. */
export interface AttemptResult {
  readonly messageId: string;
  readonly at: number;
  readonly source: string;
  readonly position: EventPosition;
  readonly verdict: 'solved' | 'notSolved' | 'failed' | 'ungraded';
  /** The executor's whole answer; null where its infrastructure failed. */
  readonly response: string | null;
  readonly extractedAnswer: string | null;
  readonly reward: number | null;
  /** Why, in the verifier's words, or those of the failure. */
  readonly reason: string;
  readonly executor: string | null;
  readonly responseTokens: number | null;
  /** Calls of tools before the answer. */
  readonly toolCalls: readonly ToolCall[];
  /** What the buffer said against it; null where it said nothing. */
  readonly refused: { readonly reason: string; readonly detail: string } | null;
}

export interface BufferVerdict {
  readonly decision: 'admitted' | 'rejected';
  /** Version of the buffer (of its shard) that it was decided for; null where the log does not have that version. */
  readonly sequence: number | null;
  readonly at: number;
  readonly stratum: string;
  /** Of an admission. */
  readonly helpfulness: number | null;
  /** Of a rejection: its kind, and why in words. */
  readonly reason: string | null;
  readonly detail: string;
  /** outcomeId of the pair that stays instead. */
  readonly duplicateOf: string | null;
}

/** A candidate, or the place of one that was withheld. */
export interface Attempt {
  /** What results count by; the experience's id where that is tried once. */
  readonly attemptId: string;
  readonly experienceId: string;
  readonly groupId: string;
  readonly candidateIndex: number;
  readonly groupSize: number;
  readonly arm: Arm;
  /** Null: the bare base model, or the control arm, which has no entry. */
  readonly adapterDigest: string | null;
  readonly baseModelDigest: string | null;
  /** Null in the control arm, and where a result speaks of an experience that is not in the log. */
  readonly entry: string | null;
  /** When it was written; null where the log has no such experience. */
  readonly writtenAt: number | null;
  readonly tokens: number;
  readonly temperature: number | null;
  /** Where no verifier judges: the answer, whether or not a person has judged it since. */
  readonly answer: {
    readonly at: number;
    readonly response: string;
    readonly executor: string;
    readonly feedbackUntil: number;
    /** Executors that were asked before, and gave no answer. */
    readonly failedTries: readonly { readonly model: string; readonly code: string; readonly reason: string }[];
    /** Of the client's session, where it answered on top of the executor; null: the frozen executor did. */
    readonly sessionAdapter: string | null;
  } | null;
  /** What was said of the answer, in the order of its time. */
  readonly feedback: readonly {
    readonly at: number;
    readonly by: string;
    readonly score: number;
    readonly reason: string;
    /** Why it does not count; null where it does, or was not looked at yet. */
    readonly refused: string | null;
  }[];
  /** In the log's order; more than one is a repetition, or a contradiction. */
  readonly results: readonly AttemptResult[];
  /** In the order of the versions. */
  readonly buffer: readonly BufferVerdict[];
}

/** A training run that had the problem before it. */
export interface StoryRun {
  readonly runId: string;
  readonly algorithm: string;
  readonly startedAt: number;
  readonly status: 'running' | 'completed' | 'failed' | 'rejected' | 'cancelled';
  readonly adapterDigest: string | null;
  readonly reason: string | null;
  /** Results of the problem that it replayed; 0 for a run that reads the buffer. */
  readonly results: number;
  /** Pairs of the problem in the versions of the buffer that it read. */
  readonly pairs: number;
}

export interface ProblemStory {
  readonly problem: Problem;
  /** Whose problem it is. */
  readonly tenant: string;
  readonly publications: readonly Publication[];
  readonly standing: 'solved' | 'notSolved' | 'ungraded' | 'expired' | 'deadLettered' | 'inFlight';
  /** By the time of their group, then by candidate. */
  readonly attempts: readonly Attempt[];
  readonly expiries: readonly { readonly at: number; readonly source: string }[];
  readonly deadLetters: readonly {
    readonly position: EventPosition;
    readonly group: string;
    readonly code: string;
    readonly reason: string;
    readonly at: number;
  }[];
  /** Results that were refused and have another key than the problem's, where no reader looks for them. */
  readonly refusedElsewhere: readonly {
    readonly position: EventPosition;
    readonly source: string;
    readonly reason: string;
    readonly detail: string;
  }[];
  /** By start. */
  readonly runs: readonly StoryRun[];
}

type Candidate = EventOf<'ExperienceGenerated'> | EventOf<'ExperienceWithheld'>;
type Result = EventOf<'OutcomeRecorded' | 'ExecutionFailed' | 'AttemptUngraded'>;
type Decision = EventOf<'SuccessAdmitted'> | EventOf<'SuccessRejected'>;

interface RunFacts {
  readonly start: EventOf<'TrainingRunStarted'>;
  status: StoryRun['status'];
  adapterDigest: string | null;
  reason: string | null;
}

export interface ProblemStoryState {
  readonly folded: FoldedOffsets;
  readonly published: { readonly event: EventOf<'ProblemPublished'>; readonly position: EventPosition }[];
  /** By tenant and attempt. */
  readonly candidates: Map<string, Candidate>;
  /** With the place of each. */
  readonly results: { readonly event: Result; readonly position: EventPosition }[];
  readonly expiries: EventOf<'ProblemExpired'>[];
  /** By tenant and attempt; of several the first in its partition. */
  readonly answers: Map<string, EventOf<'AnswerRecorded'>>;
  readonly feedback: EventOf<'FeedbackGiven'>[];
  /** By the feedback's id. */
  readonly refusedFeedback: Map<string, EventOf<'FeedbackRefused'>>;
  readonly decisions: Decision[];
  /** By the place that they speak of. */
  readonly refusals: Map<string, EventOf<'ResultRefused'>>;
  readonly commits: EventOf<'BufferCommitted'>[];
  readonly runs: Map<string, RunFacts>;
  readonly deadLetters: EventOf<'DeadLettered'>[];
}

const placeOf = ({ topic, partition, offset }: EventPosition): string => `${topic}/${partition}/${offset}`;

/** The story of the problem of this id; null where it was never published. */
export function problemStoryProjection(problemId: string): Projection<ProblemStoryState, ProblemStory | null> {
  return {
    topics: [
      TOPIC.problems,
      TOPIC.experiences,
      TOPIC.outcomes,
      TOPIC.answers,
      TOPIC.feedback,
      TOPIC.buffer,
      TOPIC.training,
      TOPIC.adapters,
      TOPIC.deadLetters,
    ],

    initialState: () => ({
      folded: new Map(),
      published: [],
      candidates: new Map(),
      results: [],
      expiries: [],
      answers: new Map(),
      feedback: [],
      refusedFeedback: new Map(),
      decisions: [],
      refusals: new Map(),
      commits: [],
      runs: new Map(),
      deadLetters: [],
    }),

    evolve(state, event, position) {
      if (advance(state.folded, position)) evolve(state, event, position, problemId);
      return state;
    },

    read: (state) => story(state),
  };
}

function evolve(state: ProblemStoryState, event: SeamEvent, position: EventPosition, problemId: string): void {
  switch (event.type) {
    case 'ProblemPublished':
      if (event.problem.problemId === problemId) state.published.push({ event, position });
      break;
    case 'ExperienceGenerated':
    case 'ExperienceWithheld':
      if (event.problem.problemId === problemId && !state.candidates.has(tenantsAttempt(event)))
        state.candidates.set(tenantsAttempt(event), event);
      break;
    case 'OutcomeRecorded':
    case 'ExecutionFailed':
    case 'AttemptUngraded':
      if (event.problem.problemId === problemId) state.results.push({ event, position });
      break;
    case 'AnswerRecorded':
      if (event.problem.problemId === problemId && !state.answers.has(tenantsAttempt(event)))
        state.answers.set(tenantsAttempt(event), event);
      break;
    case 'FeedbackGiven':
      if (event.problemId === problemId) state.feedback.push(event);
      break;
    case 'FeedbackRefused':
      if (event.problemId === problemId) state.refusedFeedback.set(event.feedbackId, event);
      break;
    case 'ProblemExpired':
      if (event.problem.problemId === problemId) state.expiries.push(event);
      break;
    case 'SuccessAdmitted':
    case 'SuccessRejected':
      if (event.problemId === problemId) state.decisions.push(event);
      break;
    case 'ResultRefused':
      if (event.problemId === problemId) state.refusals.set(placeOf(event), event);
      break;
    case 'BufferCommitted':
      state.commits.push(event);
      break;
    case 'TrainingRunStarted':
      if (!state.runs.has(event.runId))
        state.runs.set(event.runId, { start: event, status: 'running', adapterDigest: null, reason: null });
      break;
    case 'TrainingRunCompleted':
    case 'TrainingRunRejected':
    case 'TrainingRunFailed':
      endRun(state.runs.get(event.runId), event);
      break;
    case 'TrainingRunCancelled': {
      const run = state.runs.get(event.runId);
      if (run !== undefined)
        Object.assign(run, { status: 'cancelled', reason: `cancelled by ${event.cancelledBy}: ${event.reason}` });
      break;
    }
    case 'DeadLettered':
      if (event.key === problemId) state.deadLetters.push(event);
      break;
    default:
  }
}

function endRun(
  run: RunFacts | undefined,
  event: EventOf<'TrainingRunCompleted'> | EventOf<'TrainingRunRejected'> | EventOf<'TrainingRunFailed'>,
): void {
  if (run === undefined) return;
  switch (event.type) {
    case 'TrainingRunCompleted':
      if (run.status === 'running') run.status = 'completed';
      run.adapterDigest = event.adapterDigest;
      break;
    case 'TrainingRunRejected':
      run.status = 'rejected';
      run.adapterDigest = event.adapterDigest ?? run.adapterDigest;
      run.reason = event.reason;
      break;
    case 'TrainingRunFailed':
      run.status = 'failed';
      run.reason = `${event.code}: ${event.reason}`;
  }
}

/** Without what another tenant published, wrote, answered or said. */
function ofTenant(state: ProblemStoryState, tenant: string): ProblemStoryState {
  const isOwn = ({ meta }: { readonly meta: EventMeta }): boolean => tenantOf(meta) === tenant;
  const byAttempt = <E extends Candidate | EventOf<'AnswerRecorded'>>(all: ReadonlyMap<string, E>): Map<string, E> =>
    new Map([...all.values()].filter(isOwn).map((event) => [attemptIdOf(event), event]));
  return {
    ...state,
    candidates: byAttempt(state.candidates),
    results: state.results.filter(({ event }) => isOwn(event)),
    expiries: state.expiries.filter(isOwn),
    answers: byAttempt(state.answers),
    feedback: state.feedback.filter(isOwn),
  };
}

function story(all: ProblemStoryState): ProblemStory | null {
  const published = all.published.toSorted(
    (a, b) => a.event.meta.occurredAt - b.event.meta.occurredAt || comparePlaces(a.position, b.position),
  );
  const [first] = published;
  if (first === undefined) return null;
  const tenant = tenantOf(first.event.meta);
  const state = ofTenant(all, tenant);
  const attempts = attemptsOf(state);
  return {
    problem: first.event.problem,
    tenant,
    publications: published
      .filter(({ event }) => tenantOf(event.meta) === tenant)
      .map(({ event: { meta, mode, expiresAt }, position }) => ({
        messageId: meta.messageId,
        at: meta.occurredAt,
        source: meta.source,
        mode,
        expiresAt,
        position,
      })),
    standing: standingOf(state, attempts),
    attempts,
    expiries: state.expiries
      .map(({ expiredAt, meta }) => ({ at: expiredAt, source: meta.source }))
      .sort((a, b) => a.at - b.at),
    deadLetters: state.deadLetters
      .map(({ topic, partition, offset, group, code, reason, meta }) => ({
        position: { topic, partition, offset },
        group,
        code,
        reason,
        at: meta.occurredAt,
      }))
      .sort((a, b) => a.at - b.at || comparePlaces(a.position, b.position)),
    refusedElsewhere: refusedElsewhere(all),
    runs: runsOf(state, first.event.problem),
  };
}

function refusedElsewhere({ refusals, results }: ProblemStoryState): ProblemStory['refusedElsewhere'] {
  const known = new Set(results.map(({ position }) => placeOf(position)));
  return [...refusals]
    .filter(([place]) => !known.has(place))
    .map(([, { topic, partition, offset, source, reason, detail }]) => ({
      position: { topic, partition, offset },
      ...{ source, reason, detail },
    }))
    .sort((a, b) => comparePlaces(a.position, b.position));
}

function comparePlaces(a: EventPosition, b: EventPosition): number {
  return compareText(a.topic, b.topic) || a.partition - b.partition || a.offset - b.offset;
}

/** As the ledger has it. Results that the buffer refused do not count. */
function standingOf(state: ProblemStoryState, attempts: readonly Attempt[]): ProblemStory['standing'] {
  const results = state.results.filter(({ position }) => !state.refusals.has(placeOf(position)));
  const byGroup = Map.groupBy(results, ({ event }) => event.groupId);
  const groups = Map.groupBy(attempts, ({ groupId }) => groupId);
  const settled = settledAs(
    [...groups].map(([groupId, [first]]) =>
      standingOfGroup(
        first!.groupSize,
        (byGroup.get(groupId) ?? []).map(({ event }) => event),
      ),
    ),
  );
  if (settled !== null) return settled === 'failed' ? 'notSolved' : settled;
  if (state.expiries.length > 0) return 'expired';
  return state.deadLetters.length > 0 ? 'deadLettered' : 'inFlight';
}

function attemptsOf(state: ProblemStoryState): readonly Attempt[] {
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

/** By the id of a decision the version that it was taken for: an id is derived from the pair and its version's number. */
function sequencesOf({ decisions, commits }: ProblemStoryState): ReadonlyMap<string, number> {
  const sequences = [...new Set(commits.map(({ sequence }) => sequence))];
  const found = new Map<string, number>();
  for (const { type, outcomeId, experienceId, meta } of decisions) {
    const role = `buffer:${type}:${experienceId}`;
    const own = sequences.find((sequence) => derivedId(outcomeId, role, sequence) === meta.messageId);
    if (own !== undefined) found.set(meta.messageId, own);
  }
  return found;
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

function runsOf(state: ProblemStoryState, { domain }: Problem): readonly StoryRun[] {
  const sequences = sequencesOf(state);
  const versions = new Map(state.commits.map((commit) => [commit.manifestDigest, commit]));
  return [...state.runs.values()]
    .map(({ start, status, adapterDigest, reason }): StoryRun => {
      const { runId, algorithm, manifestDigest, manifests, meta } = start;
      const digests = [...(manifestDigest === null ? [] : [manifestDigest]), ...manifests.map(({ digest }) => digest)];
      return {
        ...{ runId, algorithm, startedAt: meta.occurredAt, status, adapterDigest, reason },
        // The inputs of a run that reads the buffer are those of the buffer: all that it was ever folded from.
        results: digests.length > 0 ? 0 : state.results.filter((result) => isReplayed(result, start)).length,
        pairs: digests.reduce((sum, digest) => {
          const version = versions.get(digest);
          if (version === undefined) return sum;
          if (shardOf(domain, version.shards) !== version.shard) return sum;
          return sum + pairsIn(version.sequence, state.decisions, sequences);
        }, 0),
      };
    })
    .filter(({ results, pairs }) => results + pairs > 0)
    .sort((a, b) => a.startedAt - b.startedAt || compareText(a.runId, b.runId));
}

/** Within the offsets that the run replays, and not among what its plan leaves out. */
function isReplayed(
  { event, position }: ProblemStoryState['results'][number],
  { inputs, configuration }: EventOf<'TrainingRunStarted'>,
): boolean {
  const { excluded, refused } = leftOut(configuration);
  return isWithin(position, inputs) && !excluded.includes(event.groupId) && !isWithin(position, refused);
}

function isWithin({ topic, partition, offset }: EventPosition, ranges: readonly OffsetRange[]): boolean {
  return ranges.some(
    (range) => range.topic === topic && range.partition === partition && range.from <= offset && offset < range.to,
  );
}

/** Groups and places that a recorded plan names as not to be learned from; nothing where it is of another version. */
function leftOut(configuration: string): {
  readonly excluded: readonly string[];
  readonly refused: readonly OffsetRange[];
} {
  try {
    const { excluded = [], refused = [] } = JSON.parse(configuration) as {
      readonly excluded?: readonly string[];
      readonly refused?: readonly OffsetRange[];
    };
    return { excluded, refused };
  } catch {
    return { excluded: [], refused: [] };
  }
}

/** Pairs whose last decision up to a version let them in. */
function pairsIn(version: number, decisions: readonly Decision[], sequences: ReadonlyMap<string, number>): number {
  const known = decisions
    .flatMap((decision) => {
      const sequence = sequences.get(decision.meta.messageId);
      return sequence === undefined || sequence > version ? [] : [{ decision, sequence }];
    })
    .sort((a, b) => a.sequence - b.sequence);
  const within = new Map(known.map(({ decision }) => [decision.outcomeId, decision.type === 'SuccessAdmitted']));
  return [...within.values()].filter(Boolean).length;
}
