/**
 * What experiences add: the results of treated problems and of controls, of the same mode, as counts that an interval is made from.
 *
 * Outcomes come late where they fail, so that counting them as they arrive would favour an arm. Problems therefore count in the order of
 * their publication, of each partition up to the first that is not settled. A problem is settled once every candidate of its first group
 * has a result, or once its time ran out or a record of it went to the dead letters. Its result is the share of the candidates that
 * solved it, as known when the last one came in. Problems that ended without a verdict are counted apart.
 */
import { type Arm, TOPIC } from '@seamstream/events';
import { type Cells, MemoryCells } from './cells.js';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

type Mode = 'explore' | 'deploy';

/** How often a result was met among the problems of an arm. */
export interface ResultCount {
  readonly treated: boolean;
  /** Share of the group's candidates that solved it; 0 or 1 for a group of one. */
  readonly result: number;
  readonly problems: number;
}

export interface LiftCounts {
  readonly mode: Mode;
  readonly counts: readonly ResultCount[];
  readonly domains: readonly { readonly domain: string; readonly counts: readonly ResultCount[] }[];
  /** In the order of time: the counts of the problems published from `from` on, for `width` milliseconds. */
  readonly series: readonly { readonly from: number; readonly counts: readonly ResultCount[] }[];
  readonly widthMs: number;
  /** Settled without a verdict, by arm; `unassigned` met their end before they had one. */
  readonly missing: Readonly<Record<'treated' | 'control' | 'unassigned', number>>;
}

export interface Lift {
  /** Modes with settled problems. */
  readonly modes: readonly LiftCounts[];
  /** The fractions of problems in the control arm that events name, ascending. An interval needs one. */
  readonly controlShares: readonly number[];
  /** Problems that are published and do not count yet. */
  readonly unsettled: number;
}

/** Most buckets of a series: a chart has no more places for them. When there are more, each becomes twice as wide. */
const MOST_BUCKETS = 64;
const FIRST_WIDTH_MS = 1000;

interface ModeState {
  /** By domain, then by {@link resultKey}. */
  readonly domains: Map<string, Map<string, number>>;
  /** By beginning in widths, then by {@link resultKey}. */
  series: Map<number, Map<string, number>>;
  widthMs: number;
  readonly missing: Record<'treated' | 'control' | 'unassigned', number>;
}

type MissingArm = keyof ModeState['missing'];

/** What is known of a problem that was not counted with a result. */
interface Known {
  mode?: Mode;
  domain?: string;
  /** When it was published, in milliseconds since the Unix epoch. */
  at?: number;
  /** Its first group: id, whether it is treated, candidates, and of each candidate {@link NOTHING}, {@link NO_VERDICT}, 0 or 1. */
  group?: { readonly id: string; readonly treated: boolean; readonly size: number; results: string };
  /** Its time ran out, or a record of it went to the dead letters. */
  ended?: true;
  /** As whose problem it was counted as missing. */
  missing?: MissingArm;
}

/** Problems that wait to be counted, in their order; those before `head` were counted. */
interface Queue {
  ids: string[];
  head: number;
}

export interface LiftState {
  readonly folded: FoldedOffsets;
  /** What is known of each problem; {@link COUNTED} once it counts with a result. */
  readonly cells: Cells;
  /** By partition of the problems' topic. */
  readonly queues: Map<number, Queue>;
  readonly modes: Map<Mode, ModeState>;
  readonly shares: Set<number>;
}

const COUNTED = '*';
const NOTHING = '.';
const NO_VERDICT = 'x';
/** Dead letters of these topics end the way of a problem; the key of each is its problem's id. */
const ON_THE_WAY: readonly string[] = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];

export const liftProjection: KeptProjection<LiftState, Lift> = {
  name: 'lift',
  topics: [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes, TOPIC.deadLetters],

  initialState: (cells = new MemoryCells()) => ({
    folded: new Map(),
    cells,
    queues: new Map(),
    modes: new Map(),
    shares: new Set(),
  }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    switch (event.type) {
      case 'ProblemPublished':
        note(state, event.problem.problemId, (known) => {
          if (known.mode !== undefined) return;
          Object.assign(known, { mode: event.mode, domain: event.problem.domain, at: event.meta.occurredAt });
          const queue = state.queues.get(position.partition) ?? { ids: [], head: 0 };
          state.queues.set(position.partition, queue);
          queue.ids.push(event.problem.problemId);
        });
        break;
      case 'ExperienceWithheld':
        state.shares.add(event.share);
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

  read: ({ modes, queues, shares }) => ({
    modes: sortedEntries(modes).map(([mode, own]) => ({
      mode: mode as Mode,
      counts: countsOf(sumOf(own.domains.values())),
      domains: sortedEntries(own.domains).map(([domain, tallies]) => ({ domain, counts: countsOf(tallies) })),
      series: [...own.series]
        .sort(([a], [b]) => a - b)
        .map(([bucket, tallies]) => ({ from: bucket * own.widthMs, counts: countsOf(tallies) })),
      widthMs: own.widthMs,
      missing: { ...own.missing },
    })),
    controlShares: [...shares].sort((a, b) => a - b),
    unsettled: queues.values().reduce((sum, { ids, head }) => sum + ids.length - head, 0),
  }),
};

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

/** Changes what is known of a problem, and counts what may be counted from then on. */
function note(state: LiftState, problemId: string, change: (known: Known) => void): void {
  const cell = state.cells.get(problemId);
  if (cell === COUNTED) return;
  const known = cell === undefined ? {} : (JSON.parse(cell) as Known);
  change(known);
  if (known.missing !== undefined) {
    // Its end was met before what is known of it now.
    modeOf(state, known).missing[known.missing]--;
    countKnown(state, problemId, known);
    return;
  }
  state.cells.set(problemId, JSON.stringify(known));
  if (isSettled(known)) countFrom(state, problemId);
}

const isComplete = (group: Known['group']): boolean => group !== undefined && !group.results.includes(NOTHING);

const isSettled = ({ mode, group, ended }: Known): boolean =>
  mode !== undefined && (ended === true || isComplete(group));

/** Counts the problem where it is the first of its queue, and those that waited for it. */
function countFrom(state: LiftState, problemId: string): void {
  const queue = [...state.queues.values()].find(({ ids, head }) => ids[head] === problemId);
  if (queue === undefined) return;
  for (; queue.head < queue.ids.length; queue.head++) {
    const id = queue.ids[queue.head]!;
    const known = JSON.parse(state.cells.get(id) ?? '{}') as Known;
    if (!isSettled(known)) break;
    countKnown(state, id, known);
  }
  // Cut off now and then, so that a queue takes the room of what waits.
  if (queue.head > queue.ids.length / 2) Object.assign(queue, { ids: queue.ids.slice(queue.head), head: 0 });
}

const armOf = ({ group }: Known): MissingArm =>
  group === undefined ? 'unassigned' : group.treated ? 'treated' : 'control';

function modeOf(state: LiftState, { mode }: Known): ModeState {
  const own = state.modes.get(mode!) ?? {
    domains: new Map(),
    series: new Map(),
    widthMs: FIRST_WIDTH_MS,
    missing: { treated: 0, control: 0, unassigned: 0 },
  };
  state.modes.set(mode!, own);
  return own;
}

function countKnown(state: LiftState, problemId: string, known: Known): void {
  const own = modeOf(state, known);
  const verdicts = isComplete(known.group)
    ? Array.from(known.group!.results).filter((each) => each !== NO_VERDICT)
    : [];
  if (verdicts.length === 0) {
    const missing = armOf(known);
    own.missing[missing]++;
    state.cells.set(problemId, isComplete(known.group) ? COUNTED : JSON.stringify({ ...known, missing }));
    return;
  }
  state.cells.set(problemId, COUNTED);
  const solved = verdicts.filter((each) => each === '1').length;
  const key = `${known.group!.treated ? 't' : 'c'}${solved / verdicts.length}`;
  tally(own.domains, known.domain!, key);
  tally(own.series, Math.floor(known.at! / own.widthMs), key);
  while (own.series.size > MOST_BUCKETS) widen(own);
}

function tally<Name>(of: Map<Name, Map<string, number>>, name: Name, key: string, times = 1): void {
  const own = of.get(name) ?? new Map<string, number>();
  of.set(name, own);
  own.set(key, (own.get(key) ?? 0) + times);
}

/** Widths only double, and buckets begin at multiples of them: which they are follows from the times alone. */
function widen(own: ModeState): void {
  const series = new Map<number, Map<string, number>>();
  for (const [bucket, tallies] of own.series)
    for (const [key, times] of tallies) tally(series, Math.floor(bucket / 2), key, times);
  own.series = series;
  own.widthMs *= 2;
}

function sumOf(tallies: Iterable<ReadonlyMap<string, number>>): Map<string, number> {
  const sum = new Map<string, number>();
  for (const each of tallies) for (const [key, times] of each) sum.set(key, (sum.get(key) ?? 0) + times);
  return sum;
}

const countsOf = (tallies: ReadonlyMap<string, number>): readonly ResultCount[] =>
  [...tallies]
    .map(([key, problems]) => ({ treated: key.startsWith('t'), result: Number(key.slice(1)), problems }))
    .sort((a, b) => Number(a.treated) - Number(b.treated) || a.result - b.result);
