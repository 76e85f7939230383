/**
 * Everything that the log holds about one problem: who published it, what was written for it, what became of each candidate,
 * what the buffer made of it and which training runs had it before them.
 *
 * Facts are kept as they come and put in order when they are read, since they are in six topics. Which version of the
 * buffer a decision belongs to is in the decision's id, and which version a run read is in the run's start: so what a run learned from
 * needs no file.
 */
import {
  attemptIdOf,
  type EventMeta,
  type EventOf,
  type SeamEvent,
  TOPIC,
  tenantOf,
  tenantsAttempt,
} from '@seamstream/events';
import { settledAs, standingOfGroup } from '@seamstream/experience-groups';
import type { Attempt, Candidate, ProblemStory, ProblemStoryState, RunFacts } from './problem-story.types.js';
import { advance, comparePlaces, type EventPosition, type Projection, placeOf } from './projection.js';
import { attemptsOf } from './story-attempts.js';
import { runsOf } from './story-runs.js';

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
