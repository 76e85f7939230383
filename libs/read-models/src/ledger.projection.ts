/**
 * The ledger: what became of every published problem. It answers invariant 1 of the design, that nothing is lost and nothing
 * counted twice, so it is computed from all facts and trusts no service's own count.
 *
 * A problem's standing follows from the set of facts about it, not from their order across topics:
 *
 *   solved         at least one outcome succeeded
 *   ungraded       else: every candidate of every group is in, none was judged, and the time of at least one ran out
 *   failed         else: every candidate of every group is in, none succeeded (ExecutionFailed and AttemptUngraded count as in)
 *   expired        else: a ProblemExpired
 *   dead-lettered  else: a record under its key on the way to an outcome went to the dead letters
 *   in flight      else
 *
 * Of several results of a candidate that one counts which counts for everybody (`libs/experience-groups`), until every candidate of its group has
 * a verdict: a later result changes nothing, in any order of reading partitions, since all results of a group are in one.
 *
 * Facts about a problem that was never published are orphans: with them the ledger does not balance. An unreadable record
 * is no published problem; it shows among the dead letters only.
 */
import { type Arm, type SeamEvent, TOPIC } from '@seamstream/events';
import {
  type AttemptResult,
  compareDefiniteness,
  type GroupStanding,
  isComplete,
  settledAs,
} from '@seamstream/experience-groups';
import { type Cells, MemoryCells } from './cells.js';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

type Standing = 'solved' | 'failed' | 'ungraded' | 'expired' | 'deadLettered' | 'inFlight' | 'orphaned' | 'unknown';

/** Bits of a candidate: whether it was generated, whether its execution ever failed, and what its result that counts is. */
const GENERATED = 1;
const EXECUTION_FAILED = 2;
const JUDGED = 4;
const UNGRADED = 8;
const SOLVED = 16;
const FAILED = 32;
/** Those of the result. One of them is set when the candidate is in. */
const RESULT = JUDGED | UNGRADED | SOLVED | FAILED;

interface Candidate {
  readonly bits: number;
  /** Of the result that counts; empty while there is none. */
  readonly resultId: string;
}

/** The candidates for one problem event. */
interface Group {
  readonly groupId: string;
  readonly size: number;
  readonly arm: Arm;
  /** By number; null once every candidate was generated and judged, when no fact can change it any more. */
  candidates: Map<number, Candidate> | null;
  /** Candidates judged or failed in execution. */
  numIn: number;
  /** Candidates generated and judged. */
  numSettled: number;
  succeeded: boolean;
}

interface ProblemFacts {
  published: boolean;
  expired: boolean;
  deadLettered: boolean;
  /** Most problems have one. */
  readonly groups: Group[];
}

const ARMS: readonly Arm[] = ['explore', 'deploy', 'control'];

export interface LedgerState {
  readonly folded: FoldedOffsets;
  /** The facts of each problem, and the dead letters that were met. */
  readonly cells: Cells;
  readonly standings: Record<Standing, number>;
  readonly arms: Record<Arm, { groups: number; complete: number; solved: number }>;
  deadLetters: number;
  published: number;
  executionsFailed: number;
  readonly repeated: { problems: number; experiences: number; outcomes: number; deadLetters: number };
}

/** Counts of problems unless said otherwise. */
export interface Ledger {
  readonly published: number;
  readonly solved: number;
  readonly failed: number;
  /** Problems without a verifier that no person judged: neither solved nor failed. */
  readonly ungraded: number;
  readonly deadLettered: number;
  readonly expired: number;
  readonly inFlight: number;
  /** Published is the sum of the six others, and there are no orphans. */
  readonly balanced: boolean;
  /** Problems with outcomes, experiences or an expiry, but never published. */
  readonly orphaned: number;
  /** Groups of candidates by arm: seen, with all outcomes in, with a success. */
  readonly arms: Readonly<Record<Arm, { readonly groups: number; readonly complete: number; readonly solved: number }>>;
  /** Candidates whose execution failed (before a later outcome, if there was one). */
  readonly executionsFailed: number;
  /** Dead-lettered records, each counted once per consumer group, whether or not they belong to a problem. */
  readonly deadLetterRecords: number;
  /** Records that repeat another record: harmless, but worth a look. */
  readonly repeated: {
    readonly problems: number;
    readonly experiences: number;
    readonly outcomes: number;
    readonly deadLetters: number;
  };
}

/** Dead letters of these topics end the way of a problem; the key of each is its problem's id. */
const ON_THE_WAY: readonly string[] = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];

/** Bits of a problem's cell. */
const PUBLISHED = 1;
const EXPIRED = 2;
const DEAD_LETTERED = 4;

/** Id, size, index of the arm, candidates in, settled, whether one succeeded; then number, bits and result of each candidate unless all are settled. */
type GroupCell = readonly [string, number, number, number, number, 0 | 1, (readonly CandidateCell[])?];
type CandidateCell = readonly [number, number, string];
type ProblemCell = readonly [number, ...GroupCell[]];

/** As short as it may be: there are as many as problems. */
function packed({ published, expired, deadLettered, groups }: ProblemFacts): string {
  const bits = (published ? PUBLISHED : 0) | (expired ? EXPIRED : 0) | (deadLettered ? DEAD_LETTERED : 0);
  const cell: ProblemCell = [
    bits,
    ...groups.map(({ groupId, size, arm, numIn, numSettled, succeeded, candidates }): GroupCell => {
      const facts = [groupId, size, ARMS.indexOf(arm), numIn, numSettled, succeeded ? 1 : 0] as const;
      if (candidates === null) return facts;
      return [...facts, [...candidates].map(([number, { bits, resultId }]): CandidateCell => [number, bits, resultId])];
    }),
  ];
  return JSON.stringify(cell);
}

function unpacked(cell: string): ProblemFacts {
  const [bits, ...groups] = JSON.parse(cell) as ProblemCell;
  return {
    published: (bits & PUBLISHED) !== 0,
    expired: (bits & EXPIRED) !== 0,
    deadLettered: (bits & DEAD_LETTERED) !== 0,
    groups: groups.map(([groupId, size, arm, numIn, numSettled, succeeded, open]): Group => {
      const candidates = open && new Map(open.map(([number, bits, resultId]) => [number, { bits, resultId }]));
      return {
        ...{ groupId, size, arm: ARMS[arm]!, numIn, numSettled, succeeded: succeeded === 1 },
        candidates: candidates ?? null,
      };
    }),
  };
}

function standingOf({ published, expired, deadLettered, groups }: ProblemFacts): Standing {
  if (!published) return expired || groups.length > 0 ? 'orphaned' : 'unknown';
  return settledAs(groups.map(groupStandingOf)) ?? openStanding(expired, deadLettered);
}

function openStanding(expired: boolean, deadLettered: boolean): Standing {
  return expired ? 'expired' : deadLettered ? 'deadLettered' : 'inFlight';
}

function groupStandingOf({ size, numIn, succeeded, candidates }: Group): GroupStanding {
  const has = (bit: number): boolean => candidates?.values().some(({ bits }) => (bits & bit) !== 0) === true;
  return {
    ...{ groupSize: size, members: numIn, isSolved: succeeded },
    // Where every candidate is settled all were judged.
    isJudged: candidates === null || has(JUDGED),
    isUngraded: has(UNGRADED),
  };
}

/** Applies a change to a problem's facts and moves it to the standing that they now give it. */
function change(state: LedgerState, problemId: string, apply: (facts: ProblemFacts) => void): void {
  const name = `problem/${problemId}`;
  const cell = state.cells.get(name);
  const facts =
    cell === undefined ? { published: false, expired: false, deadLettered: false, groups: [] } : unpacked(cell);
  if (cell !== undefined) state.standings[standingOf(facts)]--;
  apply(facts);
  state.standings[standingOf(facts)]++;
  const after = packed(facts);
  if (after !== cell) state.cells.set(name, after);
}

/** What the ledger says of one problem. */
export interface ProblemStanding {
  readonly standing: Standing;
  /** Its groups of candidates, in the order in which they were met. */
  readonly groups: readonly Pick<Group, 'arm' | 'size' | 'numIn' | 'succeeded'>[];
}

/** Null for a problem that no fact names. */
export function problemStandingIn({ cells }: LedgerState, problemId: string): ProblemStanding | null {
  const cell = cells.get(`problem/${problemId}`);
  if (cell === undefined) return null;
  const facts = unpacked(cell);
  return {
    standing: standingOf(facts),
    groups: facts.groups.map(({ arm, size, numIn, succeeded }) => ({ arm, size, numIn, succeeded })),
  };
}

interface CandidatePlace {
  readonly problemId: string;
  readonly groupId: string;
  readonly candidateIndex: number;
  readonly groupSize: number;
  readonly arm: Arm;
}

/** The candidate's group. The first fact about a group begins it. */
function groupOf(state: LedgerState, groups: Group[], { groupId, groupSize: size, arm }: CandidatePlace): Group {
  const known = groups.find((each) => each.groupId === groupId);
  if (known !== undefined) return known;
  const group = { groupId, size, arm, candidates: new Map(), numIn: 0, numSettled: 0, succeeded: false };
  groups.push(group);
  state.arms[arm].groups++;
  return group;
}

/** @param after the candidate after a fact about it; null where the fact changes nothing */
function changeCandidate(
  state: LedgerState,
  place: CandidatePlace,
  repeated: 'experiences' | 'outcomes',
  after: (before: Candidate, group: Group) => Candidate | null,
): void {
  change(state, place.problemId, ({ groups }) => {
    const group = groupOf(state, groups, place);
    const { candidates, size } = group;
    const { candidateIndex: number } = place;
    const before = candidates?.get(number) ?? { bits: 0, resultId: '' };
    const next = number < 0 || number >= size || candidates === null ? null : after(before, group);
    if (next === null || candidates === null) {
      state.repeated[repeated]++;
      return;
    }
    candidates.set(number, next);
    if (EXECUTION_FAILED & next.bits & ~before.bits) state.executionsFailed++;
    if (before.resultId === '' && next.resultId !== '') {
      group.numIn++;
      if (isComplete({ groupSize: size, members: group.numIn })) state.arms[group.arm].complete++;
    }
    const succeeded = candidates.values().some(({ bits }) => (bits & SOLVED) !== 0);
    state.arms[group.arm].solved += Number(succeeded) - Number(group.succeeded);
    group.succeeded = succeeded;
    if (isSettled(next) && !isSettled(before)) group.numSettled++;
    if (group.numSettled === size) group.candidates = null;
  });
}

const isSettled = ({ bits }: Candidate): boolean => (bits & GENERATED) !== 0 && (bits & JUDGED) !== 0;

/** What is known of a candidate after a result: the one that counts ({@link compareDefiniteness}); null where that is known already. */
function withResult({ bits, resultId }: Candidate, result: AttemptResult): Candidate | null {
  const hasVerdict = result.type === 'OutcomeRecorded';
  const came = { hasVerdict, id: result.meta.messageId };
  const known = { hasVerdict: (bits & JUDGED) !== 0, id: resultId };
  if (resultId !== '' && compareDefiniteness(came, known) >= 0) return null;
  const told =
    result.type === 'OutcomeRecorded'
      ? JUDGED | (result.success ? SOLVED : 0)
      : result.type === 'ExecutionFailed'
        ? FAILED | EXECUTION_FAILED
        : UNGRADED;
  return { bits: (bits & ~RESULT) | told, resultId: came.id };
}

function takeResult(state: LedgerState, result: AttemptResult): void {
  const place = { ...result, problemId: result.problem.problemId };
  changeCandidate(state, place, 'outcomes', (before, { candidates, size }) => {
    const judged = candidates?.values().reduce((sum, { bits }) => sum + Number((bits & JUDGED) !== 0), 0);
    return judged === size ? null : withResult(before, result);
  });
}

function takeGenerated(state: LedgerState, place: CandidatePlace): void {
  changeCandidate(state, place, 'experiences', ({ bits, resultId }) =>
    (bits & GENERATED) === 0 ? { bits: bits | GENERATED, resultId } : null,
  );
}

export const ledgerProjection: KeptProjection<LedgerState, Ledger> = {
  name: 'ledger',
  topics: [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes, TOPIC.deadLetters],

  initialState: (cells = new MemoryCells()) => ({
    folded: new Map(),
    cells,
    standings: { solved: 0, failed: 0, ungraded: 0, expired: 0, deadLettered: 0, inFlight: 0, orphaned: 0, unknown: 0 },
    arms: Object.fromEntries(ARMS.map((arm) => [arm, { groups: 0, complete: 0, solved: 0 }])) as LedgerState['arms'],
    deadLetters: 0,
    published: 0,
    executionsFailed: 0,
    repeated: { problems: 0, experiences: 0, outcomes: 0, deadLetters: 0 },
  }),

  evolve(state, event: SeamEvent, position) {
    if (!advance(state.folded, position)) return state;
    switch (event.type) {
      case 'ProblemPublished':
        change(state, event.problem.problemId, (facts) => {
          if (facts.published) state.repeated.problems++;
          else state.published++;
          facts.published = true;
        });
        break;
      case 'ExperienceGenerated':
        takeGenerated(state, { ...event, problemId: event.problem.problemId });
        break;
      case 'ExperienceWithheld': {
        const { problem, groupId } = event;
        takeGenerated(state, {
          ...{ problemId: problem.problemId, groupId },
          ...{ candidateIndex: 0, groupSize: 1, arm: 'control' },
        });
        break;
      }
      case 'OutcomeRecorded':
      case 'ExecutionFailed':
      case 'AttemptUngraded':
        takeResult(state, event);
        break;
      case 'ProblemExpired':
        change(state, event.problem.problemId, (facts) => {
          facts.expired = true;
        });
        break;
      case 'DeadLettered': {
        const name = `letter/${event.topic}/${event.partition}/${event.offset}/${event.group}`;
        if (state.cells.get(name) !== undefined) {
          state.repeated.deadLetters++;
          break;
        }
        state.cells.set(name, '');
        state.deadLetters++;
        if (event.key !== null && ON_THE_WAY.includes(event.topic)) {
          change(state, event.key, (facts) => {
            facts.deadLettered = true;
          });
        }
        break;
      }
      default:
    }
    return state;
  },

  read({ published, standings, arms, deadLetters, executionsFailed, repeated }) {
    const { solved, failed, ungraded, deadLettered, expired, inFlight, orphaned } = standings;
    return {
      published,
      solved,
      failed,
      ungraded,
      deadLettered,
      expired,
      inFlight,
      balanced: published === solved + failed + ungraded + deadLettered + expired + inFlight && orphaned === 0,
      orphaned,
      arms: structuredClone(arms),
      executionsFailed,
      deadLetterRecords: deadLetters,
      repeated: { ...repeated },
    };
  },
};
