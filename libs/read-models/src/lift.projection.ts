/**
 * What experiences add: the results of treated problems and of controls, of the same mode, as counts that an interval is made from; and, of a
 * release that is tried, the results of its candidate and of the parent; and, under a guard, those of each domain while one adapter was served.
 *
 * Outcomes come late where they fail, so that counting them as they arrive would favour an arm. Problems therefore count in the order of
 * their publication, of each partition up to the first that is not settled. They wait for problems alone that are of the same mode and get
 * their verdicts in the same way, since feedback on a chat may come after days. Plans of releases and guards by rule 1 wait for all problems
 * (libs/release/src/rule-version.ts), so they have separate counts: old decisions are made again by the rule that made them.
 *
 * A problem is settled once every candidate of its first group has a result, or once its time ran out or a record of it went to the dead
 * letters. Its result is the share of the candidates that solved it, as known when the last one came in. Problems that ended without a
 * verdict are counted apart. What is learned of a problem after it counted, say how its arm was drawn, counts as if it had been known before.
 *
 * Problems that were drawn together, as a conversation is, are one unit: the first that was published counts.
 */
import {
  type Arm,
  type Assignment,
  type EventMeta,
  type EventOf,
  type GuardMark,
  isGraded,
  type ReleaseDraw,
  TOPIC,
} from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import type { RuleVersion } from '@seamstream/release';
import { type Cells, MemoryCells } from './cells.js';
import {
  addToDecisions,
  type DecisionCounts,
  type DecisionTallies,
  initialDecisions,
  readDecisions,
} from './decision-tallies.js';
import {
  addToMode,
  initialTallies,
  type Known,
  type LiftCounts,
  type Mode,
  NO_VERDICT,
  NOTHING,
  readModes,
  type Tallies,
} from './lift-tallies.js';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

export interface Lift {
  /** Modes with settled problems. */
  readonly modes: readonly LiftCounts[];
  /** What releases and guards decide by, by the rule that their plan names. */
  readonly decisions: Readonly<Record<RuleVersion, DecisionCounts>>;
  /** Domains of published problems that are deployed, in the order of their first ones: no result changes it. */
  readonly deployedDomains: readonly string[];
  /** The fractions of problems in the control arm that events without an assignment name, ascending. An interval needs one. */
  readonly controlShares: readonly number[];
  /** Problems that are published and do not count yet. */
  readonly unsettled: number;
  /** The offset after the last record that was folded, by partition. */
  readonly folded: ReadonlyMap<string, number>;
}

/** Problems that wait to be counted, in their order; those before `head` were counted. */
interface Queue {
  ids: string[];
  head: number;
}

export interface LiftState {
  readonly folded: FoldedOffsets;
  /** What is known of each problem; {@link COUNTED} once it counts and no record can change how. */
  readonly cells: Cells;
  /** By partition of the problems' topic: the problems of both modes. */
  readonly queues: Map<number, Queue>;
  /** By partition, mode and whether a verifier judges or feedback does. */
  readonly queuesOfKinds: Map<string, Queue>;
  readonly tallies: Tallies;
  readonly decisions: Readonly<Record<RuleVersion, DecisionTallies>>;
  readonly shares: Set<number>;
  /** When the first problem of a domain that is deployed was published, settled or not. */
  readonly appeared: Map<string, number>;
}

const COUNTED = '*';
/** Dead letters of these topics end the way of a problem; the key of each is its problem's id. */
const ON_THE_WAY: readonly string[] = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];

export const liftProjection: KeptProjection<LiftState, Lift> = {
  name: 'lift',
  topics: [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes, TOPIC.deadLetters],

  initialState: (cells = new MemoryCells()) => ({
    folded: new Map(),
    cells,
    queues: new Map(),
    queuesOfKinds: new Map(),
    tallies: initialTallies(),
    decisions: { 1: initialDecisions(), 2: initialDecisions() },
    shares: new Set(),
    appeared: new Map(),
  }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    switch (event.type) {
      case 'ProblemPublished':
        publish(state, event, position.partition);
        break;
      case 'ExperienceWithheld':
        if (event.assignment === null || event.assignment === undefined) state.shares.add(event.share);
        takeDraw(state, event, false);
        break;
      case 'ExperienceGenerated':
        if (event.candidateIndex === 0) takeDraw(state, event, true);
        break;
      case 'OutcomeRecorded':
        takeResult(state, event, event.success ? '1' : '0');
        break;
      case 'ExecutionFailed':
      case 'AttemptUngraded':
        takeResult(state, event, NO_VERDICT);
        break;
      case 'ProblemExpired':
        end(state, event.problem.problemId);
        break;
      case 'DeadLettered':
        if (event.key !== null && ON_THE_WAY.includes(event.topic)) end(state, event.key);
        break;
      default:
    }
    return state;
  },

  read: ({ tallies, decisions, queuesOfKinds, shares, appeared, folded }) => ({
    modes: readModes(tallies),
    decisions: { 1: readDecisions(decisions[1]), 2: readDecisions(decisions[2]) },
    deployedDomains: [...appeared].sort(([a, at], [b, bt]) => at - bt || compareText(a, b)).map(([domain]) => domain),
    controlShares: [...shares].sort((a, b) => a - b),
    unsettled: queuesOfKinds.values().reduce((sum, { ids, head }) => sum + ids.length - head, 0),
    folded: new Map(folded),
  }),
};

interface Publication {
  readonly meta: Pick<EventMeta, 'occurredAt' | 'tenant'>;
  readonly problem: Pick<EventOf<'ProblemPublished'>['problem'], 'problemId' | 'domain' | 'reference' | 'verifier'>;
  readonly mode: Mode;
  readonly assignment?: Assignment | null | undefined;
}

function publish(state: LiftState, { problem, mode, meta, assignment }: Publication, partition: number): void {
  const { problemId, domain } = problem;
  const found = { isNew: false };
  note(state, problemId, (known) => {
    if (known.mode !== undefined) return;
    found.isNew = true;
    Object.assign(known, { mode, domain, at: meta.occurredAt });
    if (typeof meta.tenant === 'string') known.tenant = meta.tenant;
    if (assignment !== null && assignment !== undefined) known.assigned = drawnOf(assignment);
    if (assignment?.unit !== undefined && assignment.unit !== problemId) known.isOfUnit = true;
    enqueue(state.queues, partition, problemId);
    enqueue(state.queuesOfKinds, `${partition}/${mode}/${isGraded(problem) ? 'verifier' : 'feedback'}`, problemId);
  });
  if (found.isNew && mode === 'deploy')
    state.appeared.set(domain, Math.min(meta.occurredAt, state.appeared.get(domain) ?? meta.occurredAt));
  if (found.isNew && assignment !== null && assignment !== undefined && assignment.unit !== problemId)
    joinUnit(state, assignment, [meta.occurredAt, problemId]);
}

const drawnOf = ({ experiment, controlShare }: Assignment): NonNullable<Known['drawn']> => [experiment, controlShare];

/** Of the problems of a unit the first that was published counts; which one that is follows from them alone. */
function joinUnit(
  state: LiftState,
  { experiment, unit }: Assignment,
  own: readonly [at: number, problemId: string],
): void {
  const name = ['unit', experiment, unit].join('\0');
  const cell = state.cells.get(name);
  const first = cell === undefined ? undefined : (JSON.parse(cell) as typeof own);
  const isBefore = first === undefined || own[0] < first[0] || (own[0] === first[0] && own[1] < first[1]);
  if (isBefore) state.cells.set(name, JSON.stringify(own));
  const repeated = isBefore ? first?.[1] : own[1];
  if (repeated === undefined) return;
  note(state, repeated, (known) => {
    known.isRepeated = true;
  });
}

interface Drawn {
  readonly problem: { readonly problemId: string };
  readonly assignment?: Assignment | null | undefined;
  readonly release?: ReleaseDraw | null | undefined;
  readonly guard?: GuardMark | null | undefined;
}

/** How the arms of a problem were drawn, as its first experience says. */
function takeDraw(state: LiftState, { problem, assignment, release, guard }: Drawn, treated: boolean): void {
  note(state, problem.problemId, (known) => {
    if (known.isDrawn === true) return;
    known.isDrawn = true;
    if (assignment !== null && assignment !== undefined) known.drawn = drawnOf(assignment);
    if (guard !== null && guard !== undefined) known.guard = [guard.guardId, guard.adapterDigest, treated];
    if (release === null || release === undefined) return;
    const { releaseId, stage, share, isCandidate } = release;
    known.release = { releaseId, stage, share, isCandidate };
  });
}

interface Result {
  readonly problem: { readonly problemId: string };
  readonly groupId: string;
  readonly candidateIndex: number;
  readonly groupSize: number;
  readonly arm: Arm;
}

function takeResult(state: LiftState, { problem, ...result }: Result, verdict: string): void {
  const { groupId: id, candidateIndex: index, groupSize: size, arm } = result;
  if (index < 0 || index >= size) return;
  note(state, problem.problemId, (known) => {
    // All results of a problem are in one partition, so that its first group is the same for every reader.
    known.group ??= { id, treated: arm !== 'control', size, results: NOTHING.repeat(size) };
    const { group } = known;
    if (group.id !== id || isComplete(group) || index >= group.size) return;
    const before = group.results[index]!;
    if (before === NOTHING || (before === NO_VERDICT && verdict !== NO_VERDICT))
      group.results = `${group.results.slice(0, index)}${verdict}${group.results.slice(index + 1)}`;
  });
}

function end(state: LiftState, problemId: string): void {
  note(state, problemId, (known) => {
    known.ended = true;
  });
}

function enqueue<Name>(queues: Map<Name, Queue>, name: Name, problemId: string): void {
  const queue = queues.get(name) ?? { ids: [], head: 0 };
  queues.set(name, queue);
  queue.ids.push(problemId);
}

/** Counts of the same problems, which wait for different ones. */
interface Counting {
  readonly queues: (state: LiftState) => ReadonlyMap<unknown, Queue>;
  readonly mark: 'isCounted' | 'isCountedByRule1';
  readonly add: (state: LiftState, known: Known, times: 1 | -1) => void;
}

const COUNTINGS: readonly Counting[] = [
  {
    queues: ({ queuesOfKinds }) => queuesOfKinds,
    mark: 'isCounted',
    add: ({ tallies, decisions }, ...how) => {
      addToMode(tallies, ...how);
      addToDecisions(decisions[2], ...how);
    },
  },
  {
    queues: ({ queues }) => queues,
    mark: 'isCountedByRule1',
    add: ({ decisions }, ...how) => addToDecisions(decisions[1], ...how),
  },
];

/** Changes what is known of a problem, and counts what may be counted from then on. */
function note(state: LiftState, problemId: string, change: (known: Known) => void): void {
  const cell = state.cells.get(problemId);
  if (cell === COUNTED) return;
  const known = cell === undefined ? {} : (JSON.parse(cell) as Known);
  const counted = COUNTINGS.filter(({ mark }) => known[mark] === true);
  for (const { add } of counted) add(state, known, -1);
  change(known);
  for (const { add } of counted) add(state, known, 1);
  keep(state, problemId, known);
  if (counted.length === COUNTINGS.length || !isSettled(known)) return;
  for (const counting of COUNTINGS) if (known[counting.mark] !== true) countFrom(state, problemId, counting);
}

const isComplete = (group: Known['group']): boolean => group !== undefined && !group.results.includes(NOTHING);

const isSettled = ({ mode, group, ended }: Known): boolean =>
  mode !== undefined && (ended === true || isComplete(group));

/** Counts the problem where it is the first of its queue, and those that waited for it. */
function countFrom(state: LiftState, problemId: string, { queues, mark, add }: Counting): void {
  const queue = [...queues(state).values()].find(({ ids, head }) => ids[head] === problemId);
  if (queue === undefined) return;
  for (; queue.head < queue.ids.length; queue.head++) {
    const id = queue.ids[queue.head]!;
    const known = JSON.parse(state.cells.get(id) ?? '{}') as Known;
    if (!isSettled(known)) break;
    add(state, known, 1);
    keep(state, id, { ...known, [mark]: true });
  }
  // Cut off now and then, so that a queue takes the room of what waits.
  if (queue.head > queue.ids.length / 2) Object.assign(queue, { ids: queue.ids.slice(queue.head), head: 0 });
}

function keep(state: LiftState, problemId: string, known: Known): void {
  const isFinal =
    COUNTINGS.every(({ mark }) => known[mark] === true) &&
    isComplete(known.group) &&
    known.isDrawn === true &&
    known.isOfUnit !== true;
  state.cells.set(problemId, isFinal ? COUNTED : JSON.stringify(known));
}
