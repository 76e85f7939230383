/**
 * The ledger: what became of every published problem. It answers invariant 1 of the design, that nothing is lost and nothing
 * counted twice, so it is computed from all facts and trusts no service's own count.
 *
 * A problem's standing follows from the set of facts about it, not from their order across topics:
 *
 *   solved         at least one outcome succeeded
 *   failed         else: every candidate of every group is in, none succeeded (ExecutionFailed counts as in)
 *   expired        else: a ProblemExpired
 *   dead-lettered  else: a record under its key on the way to an outcome went to the dead letters
 *   in flight      else
 *
 * Facts about a problem that nobody published are orphans: with them the ledger does not balance. An unreadable record
 * is no published problem; it shows among the dead letters only.
 */
import { type Arm, type SeamEvent, TOPIC } from '@seamstream/events';
import { FoldedOffsets, type Projection } from './projection.js';

type Standing = 'solved' | 'failed' | 'expired' | 'deadLettered' | 'inFlight' | 'orphaned' | 'unknown';

/** Bits of a candidate. */
const GENERATED = 1;
const EXECUTION_FAILED = 2;
const JUDGED = 4;

/** The candidates for one problem event. */
interface Group {
  readonly size: number;
  readonly arm: Arm;
  /** Bits by candidate; null once every candidate was generated and judged, when no fact can change it any more. */
  candidates: Map<number, number> | null;
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
  groups: Map<string, Group>;
}

const ARMS: readonly Arm[] = ['explore', 'deploy', 'control'];

export interface LedgerState {
  readonly folded: FoldedOffsets;
  readonly problems: Map<string, ProblemFacts>;
  readonly standings: Record<Standing, number>;
  readonly arms: Record<Arm, { groups: number; complete: number; solved: number }>;
  readonly deadLetters: Set<string>;
  published: number;
  executionsFailed: number;
  readonly repeated: { problems: number; experiences: number; outcomes: number; deadLetters: number };
}

/** Counts of problems unless said otherwise. */
export interface Ledger {
  readonly published: number;
  readonly solved: number;
  readonly failed: number;
  readonly deadLettered: number;
  readonly expired: number;
  readonly inFlight: number;
  /** Published is the sum of the five others, and there are no orphans. */
  readonly balanced: boolean;
  /** Problems with outcomes, experiences or an expiry, but never published. */
  readonly orphaned: number;
  /** Groups of candidates by arm: seen, with all outcomes in, with a success. */
  readonly arms: Readonly<Record<Arm, { readonly groups: number; readonly complete: number; readonly solved: number }>>;
  /** Candidates whose execution failed (before a later outcome, if there was one). */
  readonly executionsFailed: number;
  /** Dead-lettered records, each counted once per consumer group, whether or not they belong to a problem. */
  readonly deadLetterRecords: number;
  /** Records that told again what another record had told: harmless, but worth a look. */
  readonly repeated: {
    readonly problems: number;
    readonly experiences: number;
    readonly outcomes: number;
    readonly deadLetters: number;
  };
}

/** Dead letters of these topics end the way of a problem; the key of each is its problem's id. */
const ON_THE_WAY: readonly string[] = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];

function standingOf({ published, expired, deadLettered, groups }: ProblemFacts): Standing {
  if (!published) return expired || groups.size > 0 ? 'orphaned' : 'unknown';
  let complete = groups.size > 0;
  for (const group of groups.values()) {
    if (group.succeeded) return 'solved';
    complete &&= group.numIn === group.size;
  }
  if (complete) return 'failed';
  return expired ? 'expired' : deadLettered ? 'deadLettered' : 'inFlight';
}

/** Applies a change to a problem's facts and moves it to the standing that they now give it. */
function change(state: LedgerState, problemId: string, apply: (facts: ProblemFacts) => void): void {
  let facts = state.problems.get(problemId);
  if (facts === undefined) {
    facts = { published: false, expired: false, deadLettered: false, groups: new Map() };
    state.problems.set(problemId, facts);
    state.standings.unknown++;
  }
  state.standings[standingOf(facts)]--;
  apply(facts);
  state.standings[standingOf(facts)]++;
}

function changeCandidate(
  state: LedgerState,
  {
    problemId,
    groupId,
    candidateIndex,
    groupSize,
    arm,
  }: { problemId: string; groupId: string; candidateIndex: number; groupSize: number; arm: Arm },
  bit: number,
  success: boolean,
): void {
  const repeated = bit === GENERATED ? 'experiences' : 'outcomes';
  change(state, problemId, ({ groups }) => {
    let group = groups.get(groupId);
    if (group === undefined) {
      group = {
        size: groupSize,
        arm,
        candidates: new Map(),
        numIn: 0,
        numSettled: 0,
        succeeded: false,
      };
      groups.set(groupId, group);
      state.arms[arm].groups++;
    }
    const before = group.candidates?.get(candidateIndex) ?? 0;
    // All outcomes of a candidate stand in one partition, so the first verdict is the first for every reader. A failed
    // execution may be followed by a verdict (a redrive), never replace one.
    const isBeyond = candidateIndex < 0 || candidateIndex >= group.size;
    const isKnown = (before & bit) !== 0 || (bit === EXECUTION_FAILED && (before & JUDGED) !== 0);
    if (group.candidates === null || isBeyond || isKnown) {
      state.repeated[repeated]++;
      return;
    }
    const after = before | bit;
    group.candidates.set(candidateIndex, after);
    if (bit === EXECUTION_FAILED) state.executionsFailed++;
    const arrived = (EXECUTION_FAILED | JUDGED) & after && !((EXECUTION_FAILED | JUDGED) & before);
    if (arrived) {
      group.numIn++;
      if (group.numIn === group.size) state.arms[group.arm].complete++;
    }
    if (success && !group.succeeded) {
      group.succeeded = true;
      state.arms[group.arm].solved++;
    }
    const settled = GENERATED | JUDGED;
    if ((after & settled) === settled) {
      group.numSettled++;
      if (group.numSettled === group.size) group.candidates = null;
    }
  });
}

export const ledgerProjection: Projection<LedgerState, Ledger> = {
  topics: [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes, TOPIC.deadLetters],

  initialState: () => ({
    folded: new FoldedOffsets(),
    problems: new Map(),
    standings: { solved: 0, failed: 0, expired: 0, deadLettered: 0, inFlight: 0, orphaned: 0, unknown: 0 },
    arms: Object.fromEntries(ARMS.map((arm) => [arm, { groups: 0, complete: 0, solved: 0 }])) as LedgerState['arms'],
    deadLetters: new Set(),
    published: 0,
    executionsFailed: 0,
    repeated: { problems: 0, experiences: 0, outcomes: 0, deadLetters: 0 },
  }),

  evolve(state, event: SeamEvent, position) {
    if (!state.folded.advance(position)) return state;
    switch (event.type) {
      case 'ProblemPublished':
        change(state, event.problem.problemId, (facts) => {
          if (facts.published) state.repeated.problems++;
          else state.published++;
          facts.published = true;
        });
        break;
      case 'ExperienceGenerated':
        changeCandidate(state, { ...event, problemId: event.problem.problemId }, GENERATED, false);
        break;
      case 'ExperienceWithheld': {
        const { problem, groupId } = event;
        changeCandidate(
          state,
          { problemId: problem.problemId, groupId, candidateIndex: 0, groupSize: 1, arm: 'control' },
          GENERATED,
          false,
        );
        break;
      }
      case 'OutcomeRecorded':
        changeCandidate(state, { ...event, problemId: event.problem.problemId }, JUDGED, event.success);
        break;
      case 'ExecutionFailed':
        changeCandidate(state, { ...event, problemId: event.problem.problemId }, EXECUTION_FAILED, false);
        break;
      case 'ProblemExpired':
        change(state, event.problem.problemId, (facts) => {
          facts.expired = true;
        });
        break;
      case 'DeadLettered': {
        const id = `${event.topic}/${event.partition}/${event.offset}/${event.group}`;
        if (state.deadLetters.has(id)) {
          state.repeated.deadLetters++;
          break;
        }
        state.deadLetters.add(id);
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
    const { solved, failed, deadLettered, expired, inFlight, orphaned } = standings;
    return {
      published,
      solved,
      failed,
      deadLettered,
      expired,
      inFlight,
      balanced: published === solved + failed + deadLettered + expired + inFlight && orphaned === 0,
      orphaned,
      arms: structuredClone(arms),
      executionsFailed,
      deadLetterRecords: deadLetters.size,
      repeated: { ...repeated },
    };
  },
};
