/** The problems that were published last, newest first, as far as a list of them shows. */
import { TOPIC, tenantOf } from '@seamstream/events';
import { compareText, excerpt } from '@seamstream/kernel';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

export interface RecentProblem {
  readonly problemId: string;
  readonly domain: string;
  readonly tenant: string;
  /** The beginning of its question. */
  readonly question: string;
  readonly mode: 'explore' | 'deploy';
  /** When it was published first, in milliseconds since the Unix epoch. */
  readonly publishedAt: number;
}

export interface RecentProblemsState {
  readonly folded: FoldedOffsets;
  problems: Map<string, RecentProblem>;
}

/** Older ones are found by their id. With the beginnings of their questions they are some MB. */
export const MOST_RECENT_PROBLEMS = 10_000;
/** Sorted out when so many more are known. */
const SLACK = 2_500;
const QUESTION_CHARACTERS = 160;

const isNewerFirst = (a: RecentProblem, b: RecentProblem): number =>
  b.publishedAt - a.publishedAt || compareText(a.problemId, b.problemId);

export const recentProblemsProjection: KeptProjection<RecentProblemsState, readonly RecentProblem[]> = {
  name: 'recent',
  topics: [TOPIC.problems],

  initialState: () => ({ folded: new Map(), problems: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'ProblemPublished') return state;
    const { problemId, domain, prompt } = event.problem;
    // Published again, it keeps its place: all of its events are in one partition.
    if (state.problems.has(problemId)) return state;
    const question = excerpt(prompt, QUESTION_CHARACTERS);
    state.problems.set(problemId, {
      problemId,
      domain,
      tenant: tenantOf(event.meta),
      question,
      mode: event.mode,
      publishedAt: event.meta.occurredAt,
    });
    if (state.problems.size > MOST_RECENT_PROBLEMS + SLACK)
      state.problems = new Map(newest(state).map((problem) => [problem.problemId, problem]));
    return state;
  },

  read: (state) => newest(state),
};

function newest({ problems }: RecentProblemsState): RecentProblem[] {
  return [...problems.values()].sort(isNewerFirst).slice(0, MOST_RECENT_PROBLEMS);
}
