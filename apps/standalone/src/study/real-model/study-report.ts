/** What a study with a real model says, as pure functions of what was measured. Rates are fractions of 1; intervals are at 95 %. */
import { pairs } from '@seamstream/evaluation';
import { percent, points, shortId } from '@seamstream/kernel';
import { type Estimate, pairedDifference, wilsonInterval } from '@seamstream/statistics';
import { type Piece, type Solved, STUDY_ROWS, type StudyRow } from './measure-piece.js';
import type { ExploredRound } from './recorded-events.js';
import type { Essence, TaskProblem } from './study-task.js';

export interface RowReport {
  readonly problems: number;
  readonly successes: number;
  readonly success: number;
  /** Wilson's. */
  readonly interval95: readonly [number, number];
  /** Problems that this row solves and the executor alone does not, and the other way round. */
  readonly rescued: number;
  readonly broken: number;
  /** Success of this row less that of the executor alone, over the same problems (Newcombe's paired interval). */
  readonly lift: Estimate | null;
  /** Success with the trained generator's entries less that of this row, likewise. */
  readonly trainedAhead: Estimate | null;
}

/** What became of a round's adapter. */
export interface GateDecision {
  readonly round: number;
  readonly promoted: boolean;
  /** Of the adapter, on the problems that decided; null where nothing was compared. */
  readonly validation: number | null;
}

/** How learning from shuffled rewards ended. */
export interface ShuffledEnding {
  readonly outcome: 'promoted' | 'rejected' | 'failed';
  readonly success: number | null;
  readonly parentSuccess: number | null;
}

export interface StudyReport {
  readonly task: string;
  readonly seed: number;
  readonly algorithm: string;
  readonly problems: Readonly<Record<'train' | 'validation' | 'heldOut', number>>;
  readonly executor: string;
  /** Measured as `trained`: the one that was promoted last, or the last candidate where none was; null where there was none. */
  readonly adapter: { readonly digest: string; readonly promoted: boolean } | null;
  readonly rounds: readonly (ExploredRound & Omit<GateDecision, 'round'>)[];
  readonly shuffled: ShuffledEnding;
  readonly rows: Readonly<Partial<Record<StudyRow, RowReport>>>;
  readonly leaks: { readonly entries: number } & NonNullable<Piece['leaks']>;
  /** Entries that are the answer in another form; null for a task that names no essence. */
  readonly essence: EssenceReport | null;
  /** Held-out problems with what was written for them, and whether it was solved. */
  readonly examples: readonly {
    readonly prompt: string;
    readonly entry: string | null;
    readonly solved: boolean | null;
  }[];
}

export interface EssenceReport {
  readonly name: string;
  /** Written by the trained generator. */
  readonly entries: number;
  /** Of these, entries that hold the essence of their problem's answer. */
  readonly holding: number;
  /** Problems that the executor solved with such an entry, of all that it solved with one. */
  readonly solvedHolding: number;
  readonly solved: number;
}

/** Whether each entry, read by the essence of an answer, is right; null where there is no entry. */
export function readByEssence(
  essence: Essence,
  problems: readonly TaskProblem[],
  entries: readonly (string | null)[],
): Solved {
  return problems.map((problem, at) => {
    const entry = entries[at] ?? null;
    return entry === null ? null : essence.inEntry(entry) === essence.ofAnswer(problem);
  });
}

/** @param read the row of {@link readByEssence} @param trained whether the executor solved the problem with that entry */
export function essenceReport({ name }: Pick<Essence, 'name'>, read: Solved, trained: Solved): EssenceReport {
  const isSolved = (at: number): boolean => trained[at] === true;
  return {
    name,
    entries: read.filter((each) => each !== null).length,
    holding: read.filter((each) => each === true).length,
    solvedHolding: read.filter((each, at) => each === true && isSolved(at)).length,
    solved: trained.filter((each) => each === true).length,
  };
}

/** Rows of all pieces, in the order of the problems; those that not every piece has are left out. */
export function joined(pieces: readonly Piece[]): ReadonlyMap<StudyRow, Solved> {
  return new Map(
    STUDY_ROWS.flatMap((row) => {
      const parts = pieces.map(({ rows }) => rows[row]);
      return parts.some((part) => part === undefined) ? [] : [[row, parts.flatMap((part) => part!)] as const];
    }),
  );
}

/** Every row next to the executor alone and to the trained generator. */
export function rowReports(solved: ReadonlyMap<StudyRow, Solved>): Partial<Record<StudyRow, RowReport>> {
  const alone = solved.get('noExperience') ?? [];
  const trained = solved.get('trained') ?? [];
  return Object.fromEntries(
    [...solved].map(([row, own]) => {
      const judged = own.filter((each) => each !== null);
      const successes = judged.filter(Boolean).length;
      const withAndWithout = pairs(own, alone);
      const report: RowReport = {
        problems: judged.length,
        successes,
        success: judged.length === 0 ? 0 : successes / judged.length,
        interval95: wilsonInterval(successes, judged.length),
        rescued: withAndWithout.filter(([one, other]) => one && !other).length,
        broken: withAndWithout.filter(([one, other]) => !one && other).length,
        lift: row === 'noExperience' ? null : pairedDifference(withAndWithout),
        trainedAhead: row === 'trained' ? null : pairedDifference(pairs(trained, own)),
      };
      return [row, report];
    }),
  );
}

export function leaksOf(pieces: readonly Piece[]): StudyReport['leaks'] {
  const total = { entries: 0, withAnswer: 0, statedByProblem: 0, byChance: 0 };
  for (const { entries, leaks } of pieces) {
    total.entries += entries.filter((entry) => entry !== null).length;
    total.withAnswer += leaks?.withAnswer ?? 0;
    total.statedByProblem += leaks?.statedByProblem ?? 0;
    total.byChance += leaks?.byChance ?? 0;
  }
  return total;
}

/** One sentence: did it learn, by the paired interval between before and after. */
export function verdictOf({ rows }: Pick<StudyReport, 'rows'>): string {
  const gain = rows.untrained?.trainedAhead ?? null;
  if (gain === null) return 'Nothing was measured before and after.';
  const [low, high] = gain.interval95;
  const finding = low > 0 ? 'It learned' : high < 0 ? 'It got worse' : 'No difference was shown';
  return `${finding}: success with entries after training less before, ${points(gain.value)} points (${gain.interval95.map(points).join(' to ')}).`;
}

const MEANING: Readonly<Record<StudyRow, string>> = {
  noExperience: 'the executor alone',
  wrapperOnly: "the entry's slot, empty",
  cheatsheet: 'one text that a person wrote, for all',
  shuffledEntries: "the trained generator's entry for another problem",
  untrained: "the base model's entry",
  trained: "the trained generator's entry",
  entryAlone: "the trained generator's entry, read as an answer",
  generatorAlone: 'the trained generator solves by itself',
  filler: 'text without content, as long as the entry',
  retrievedCase: 'the entry that solved the most similar training problem',
  entryByEssence: "the trained generator's entry, read by the essence of an answer",
  shuffledRewards: 'the entry of a generator trained on shuffled rewards',
};

const inPoints = (estimate: Estimate | null): string =>
  estimate === null ? '–' : `${points(estimate.value)} (${estimate.interval95.map(points).join(' … ')})`;

/** The report for people. */
export function studyText(report: StudyReport): string {
  const { task, seed, algorithm, problems, rounds, shuffled, rows, leaks, essence, examples, adapter } = report;
  const lines = (Object.entries(rows) as [StudyRow, RowReport][]).map(([row, own]) =>
    [
      row.padEnd(16),
      `${percent(own.success)} of ${own.problems} (${own.interval95.map(percent).join(' … ')})`.padEnd(34),
      `+${own.rescued} −${own.broken}`.padEnd(9),
      `lift ${inPoints(own.lift)}`.padEnd(32),
      `trained ahead ${inPoints(own.trainedAhead)}`.padEnd(42),
      MEANING[row],
    ].join(' '),
  );
  return [
    `${task}, seed ${seed}, ${algorithm}: ${problems.train} training, ${problems.validation} validation, ${problems.heldOut} held-out problems.`,
    verdictOf(report),
    '',
    ...lines,
    '',
    ...rounds.map(
      ({ round, attempts, solved, groups, liveGroups, promoted, validation }) =>
        `round ${round}: sampled entries solve ${percent(solved / attempts)} of ${attempts}, ${liveGroups} of ${groups} groups live, validation ${validation === null ? '–' : percent(validation)}, ${promoted ? 'promoted' : 'not promoted'}`,
    ),
    adapter === null
      ? 'No adapter was made: the base model is measured as trained.'
      : `measured as trained: adapter ${shortId(adapter.digest)}, ${adapter.promoted ? 'promoted' : 'a candidate that was not promoted'}`,
    `shuffled rewards: ${shuffled.outcome}${shuffled.success === null ? '' : `, validation ${percent(shuffled.success)} after ${percent(shuffled.parentSuccess ?? 0)}`}`,
    `${leaks.withAnswer} of ${leaks.entries} entries hold the answer (${leaks.statedByProblem} where the problem states it too; of another problem: ${leaks.byChance}).`,
    ...(essence === null
      ? []
      : [
          `${essence.holding} of ${essence.entries} entries hold ${essence.name}, which is the answer in another form; ${essence.solvedHolding} of ${essence.solved} solved problems are among these.`,
        ]),
    ...examples.map(
      ({ prompt, entry, solved }) =>
        `  ${prompt} → ${entry ?? 'no entry'} → ${solved === true ? 'solved' : 'not solved'}`,
    ),
  ].join('\n');
}
