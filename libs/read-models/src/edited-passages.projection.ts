/** Passages that self-edits were tried on: each edit with the questions that are right after training on it. All events of a passage are in one partition. */
import { type EventOf, promptOrName, TOPIC } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

export interface TriedEdit {
  readonly experienceId: string;
  readonly arm: EventOf<'OutcomeRecorded'>['arm'];
  /** What wrote it; null is the bare base model, or no writer. */
  readonly adapterDigest: string | null;
  /** The beginning of the entry; null: the frozen model answered without one. */
  readonly edit: string | null;
  readonly success: boolean;
  readonly reward: number;
  /** The verdict in words, e.g. "2 of 3 questions right". */
  readonly detail: string;
  /** Shares of the questions that are right, of the frozen model and after the edit; null where no reward measures them. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface EditedPassage {
  readonly problemId: string;
  readonly domain: string;
  /** The beginning of the passage, or the name of its content where the outcome has a reference to it. */
  readonly passage: string;
  /** Of the last attempt, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** In the order of the log; the same attempt counts once. */
  readonly tried: readonly TriedEdit[];
}

type MutablePassage = { -readonly [K in keyof EditedPassage]: EditedPassage[K] } & { tried: TriedEdit[] };

export interface EditedPassagesState {
  readonly folded: FoldedOffsets;
  passages: Map<string, MutablePassage>;
}

/** Older ones are found in the log. */
const MOST_PASSAGES = 1_000;
/** Sorted out when so many more are known. */
const SLACK = 250;
const CHARACTERS = 1_000;

export const editedPassagesProjection: KeptProjection<EditedPassagesState, readonly EditedPassage[]> = {
  name: 'edited-passages',
  topics: [TOPIC.outcomes],

  initialState: () => ({ folded: new Map(), passages: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'OutcomeRecorded' || !isOfPassage(event)) return state;
    const { problemId, domain, prompt } = event.problem;
    const at = event.meta.occurredAt;
    const known = state.passages.get(problemId);
    const passage = known ?? {
      problemId,
      domain,
      passage: beginningOf(promptOrName({ prompt })),
      at,
      tried: [],
    };
    state.passages.set(problemId, passage);
    passage.at = Math.max(passage.at, at);
    if (!passage.tried.some(({ experienceId }) => experienceId === event.experienceId))
      passage.tried.push(triedIn(event));
    if (state.passages.size > MOST_PASSAGES + SLACK)
      state.passages = new Map(newest(state).map((each) => [each.problemId, each]));
    return state;
  },

  read: (state) => newest(state).map((passage) => ({ ...passage, tried: [...passage.tried] })),
};

/** Its lines stay as they are. */
const beginningOf = (text: string): string => text.slice(0, CHARACTERS).toWellFormed();

/** A reward that measures an update is of self-edits alone; so is a passage with its questions. */
function isOfPassage({ measurement, problem }: EventOf<'OutcomeRecorded'>): boolean {
  return measurement !== null || problem.verifier?.kind === 'passage';
}

function triedIn(event: EventOf<'OutcomeRecorded'>): TriedEdit {
  const { experienceId, arm, adapterDigest, entry, success, reward, verifierDetail, measurement } = event;
  return {
    ...{ experienceId, arm, adapterDigest, success, reward },
    edit: entry === null ? null : beginningOf(entry),
    detail: verifierDetail,
    before: measurement?.accuracyBefore ?? null,
    after: measurement?.accuracyAfter ?? null,
  };
}

function newest({ passages }: EditedPassagesState): MutablePassage[] {
  return [...passages.values()]
    .sort((a, b) => b.at - a.at || compareText(a.problemId, b.problemId))
    .slice(0, MOST_PASSAGES);
}
