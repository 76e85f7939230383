/** A problem's story as the log records it, and which of its results the rest of the log bears out. */

import type { EventLog, LogRecord } from '@seamstream/event-log';
import { type EventOf, type SeamEvent, TOPIC, tenantOf } from '@seamstream/events';
import {
  answersProblem,
  type Doubt,
  Evidence,
  isBelievedAnswer,
  isResult,
  type PlacedEvent,
  type WrittenOrWithheld,
} from '@seamstream/evidence';
import { SeamError } from '@seamstream/kernel';
import { foldProjection, type ReadingProgress } from '@seamstream/log-reader';
import {
  type AdapterLineage,
  adapterLineageProjection,
  type EventPosition,
  type ProblemStory,
  type Projection,
  problemStoryProjection,
} from '@seamstream/read-models';
import { type ProblemCost, problemCostOf } from '../cost/problem-cost.js';
import { readDeclaredLimits } from '../quotas/index.js';
import { type AgainstBase, againstBase } from './against-base.js';
import { placeName, type ToldStory } from './told-story.js';

/** Of these the key is the problem's id, and they are most of a log: what has another key is not opened. */
const KEYED_BY_PROBLEM: ReadonlySet<string> = new Set([
  TOPIC.experiences,
  TOPIC.outcomes,
  TOPIC.answers,
  TOPIC.feedback,
]);

/**
 * @param tenant whose problem it has to be; of any tenant where it is undefined
 * @throws NOT_FOUND where the log has no such problem, in the same words where another tenant has it
 */
export async function readStory(
  log: EventLog,
  problemId: string,
  {
    tenant,
    ...options
  }: {
    readonly signal: AbortSignal;
    readonly progress: (total: number) => ReadingProgress;
    readonly tenant?: string | undefined;
  },
): Promise<ToldStory> {
  const wants = ({ topic, key }: LogRecord): boolean => !KEYED_BY_PROBLEM.has(topic) || key === problemId;
  const results: PlacedEvent[] = [];
  const paid: PaidAt[] = [];
  const published: EventOf<'ProblemPublished'>[] = [];
  const experiences: WrittenOrWithheld[] = [];
  const story = problemStoryProjection(problemId);
  const both: Projection<
    [ReturnType<typeof story.initialState>, ReturnType<typeof adapterLineageProjection.initialState>],
    [ProblemStory | null, AdapterLineage]
  > = {
    topics: story.topics,
    initialState: () => [story.initialState(), adapterLineageProjection.initialState()],
    evolve([own, lineage], event, position) {
      if (isResult(event) && event.problem.problemId === problemId) results.push({ event, position });
      if (isPaid(event) && event.problem.problemId === problemId) paid.push({ event, position });
      if (event.type === 'ProblemPublished' && event.problem.problemId === problemId) published.push(event);
      if (isExperience(event) && event.problem.problemId === problemId) experiences.push(event);
      return [story.evolve(own, event, position), adapterLineageProjection.evolve(lineage, event, position)];
    },
    read: ([own, lineage]) => [story.read(own), adapterLineageProjection.read(lineage)],
  };
  const [told, lineage] = (await foldProjection(log, both, { ...options, wants })).answer;
  if (told === null || (tenant !== undefined && told.tenant !== tenant)) {
    throw new SeamError('NOT_FOUND', `Cannot show ${problemId}: expected a published problem, got none of this id.`);
  }
  const own = results.filter(({ event }) => tenantOf(event.meta) === told.tenant);
  const found = await new Evidence(log).doubts(own);
  const doubts = new Map([...found].map(([index, doubt]) => [placeName(own[index]!.position), doubt]));
  const followsFrom = (event: SeamEvent): boolean => published.some((each) => answersProblem(event)?.(each));
  const known = { published, experiences: experiences.filter(followsFrom) };
  const isBelieved = ({ event, position }: PaidAt): boolean => {
    if (event.type === 'ExperienceGenerated') return followsFrom(event);
    return event.type === 'AnswerRecorded' ? isBelievedAnswer(event, known) : !doubts.has(placeName(position));
  };
  const believed = paid
    .filter((each) => tenantOf(each.event.meta) === told.tenant && isBelieved(each))
    .map(({ event }) => event);
  return {
    story: tenant === undefined ? told : withoutOthers(told),
    lineage,
    knowsServed:
      tenant === undefined ||
      (lineage.served !== null && told.attempts.some(({ adapterDigest }) => adapterDigest === lineage.served)),
    cost: problemCostOf(
      believed.sort((a, b) => Number(b.type === 'AnswerRecorded') - Number(a.type === 'AnswerRecorded')),
      await readDeclaredLimits(log),
    ),
    doubts,
  };
}

type Paid = EventOf<'ExperienceGenerated'> | EventOf<'AnswerRecorded'> | EventOf<'OutcomeRecorded'>;
interface PaidAt {
  readonly event: Paid;
  readonly position: EventPosition;
}

const isExperience = (event: SeamEvent): event is WrittenOrWithheld =>
  event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';

function isPaid(event: SeamEvent): event is Paid {
  return event.type === 'ExperienceGenerated' || event.type === 'AnswerRecorded' || event.type === 'OutcomeRecorded';
}

/** Without what names other tenants' events: the pair that stays instead of a near duplicate, why a run that all share ended. */
function withoutOthers(story: ProblemStory): ProblemStory {
  return {
    ...story,
    attempts: story.attempts.map((attempt) => ({
      ...attempt,
      buffer: attempt.buffer.map((verdict) => ({ ...verdict, detail: '', duplicateOf: null })),
    })),
    runs: story.runs.map((run) => ({ ...run, reason: null })),
  };
}

type StoryAttempt = ProblemStory['attempts'][number];

/** A story in which each result says why it does not count; null where it does. */
interface StoryWithDoubts extends Omit<ProblemStory, 'attempts'> {
  readonly attempts: readonly (Omit<StoryAttempt, 'results'> & {
    readonly results: readonly (StoryAttempt['results'][number] & { readonly doubt: Doubt | null })[];
  })[];
  readonly cost: ProblemCost;
  /** Null for a client of one tenant, unless what is served wrote for this problem. */
  readonly againstBase: AgainstBase | null;
}

/** The story as one value: as commands and the gateway give it to machines. */
export function storyWithDoubts(told: ToldStory): StoryWithDoubts {
  const { story, doubts, cost } = told;
  return {
    ...story,
    againstBase: againstBase(told),
    cost,
    attempts: story.attempts.map((attempt) => ({
      ...attempt,
      results: attempt.results.map((result) => ({ ...result, doubt: doubts.get(placeName(result.position)) ?? null })),
    })),
  };
}
