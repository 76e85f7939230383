/**
 * Measures a few held-out problems in every arm. A study is made of such pieces: each is paid once, and is whole or not there.
 */
import type { Environment } from '@seamstream/environments';
import { type ControlRow, evaluate, measureEntries, studyControls } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import type { GeneratorModel, Served } from '@seamstream/rollout';
import type { JsonSchema } from '@seamstream/token-grammar';
import { fillerFor, retrievedEntry, type SolvedCase } from './control-entries.js';

/** Rows of `studyControls`, as this study calls them. */
const CONTROLS = {
  noExperience: 'noExperience',
  wrapperOnly: 'wrapperOnly',
  fixedHint: 'cheatsheet',
  otherProblemsEntry: 'shuffledEntries',
  untrained: 'untrained',
  trained: 'trained',
  entryAlone: 'entryAlone',
  generatorAlone: 'generatorAlone',
} as const satisfies Partial<Record<ControlRow, string>>;

/** The last one is read of the entries that a piece keeps, where the task names the essence of an answer. */
export const STUDY_ROWS = [
  ...Object.values(CONTROLS),
  ...(['filler', 'retrievedCase', 'shuffledRewards', 'entryByEssence'] as const),
] as const;
export type StudyRow = (typeof STUDY_ROWS)[number];

/** Per problem in the piece's order; null where it could not be asked or judged. */
export type Solved = readonly (boolean | null)[];

export interface Piece {
  readonly rows: Readonly<Partial<Record<StudyRow, Solved>>>;
  /** Written by the adapter, per problem. */
  readonly entries: readonly (string | null)[];
  /** Entries with the answer: of their problem, of those where the problem states it too, and of another problem. */
  readonly leaks: { readonly withAnswer: number; readonly statedByProblem: number; readonly byChance: number } | null;
}

/** What is asked, and how: a host has it. */
interface AskedModels {
  readonly generator: GeneratorModel;
  readonly environment: Environment;
  readonly prompts: Prompts;
  schemaFor(domain: string): JsonSchema;
  /** Most tokens of an entry. */
  readonly entryMaxTokens: number;
}

export interface PieceSettings {
  readonly models: AskedModels;
  /** Of the true run; null where it made none, so that the base model is measured. */
  readonly adapter: Served | null;
  /** Of the run whose rewards were shuffled; null where it made none. */
  readonly shuffledAdapter: Served | null;
  readonly cheatsheet: string;
  readonly cases: readonly SolvedCase[];
  readonly maxAloneTokens: number;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

/** @throws as `studyControls`: a failure of the executor that may pass ends the study, which resumes here */
export async function measurePiece(problems: readonly Problem[], settings: PieceSettings): Promise<Piece> {
  const { models, adapter, shuffledAdapter, cheatsheet, cases, onProgress } = settings;
  const { environment, generator, prompts, entryMaxTokens: maxEntryTokens } = models;
  const own: (string | null)[] = problems.map(() => null);
  const study = await studyControls(problems, {
    ...{ environment, generator, adapter, prompts, maxEntryTokens, onProgress },
    schemaFor: (domain) => models.schemaFor(domain),
    rows: Object.keys(CONTROLS) as (keyof typeof CONTROLS)[],
    fixedHint: () => cheatsheet,
    maxAloneTokens: settings.maxAloneTokens,
    seed: 'held-out',
    nowMs: () => performance.now(),
    onPrediction: ({ arm, problem, entry }) => {
      if (arm === 'trained') own[problem] = entry;
    },
  });
  const measured = async (row: StudyRow, entries: readonly (string | null)[]): Promise<Solved> =>
    (await measureEntries(row, problems, entries, { environment, onProgress })).solved;
  const rows: Partial<Record<StudyRow, Solved>> = {};
  for (const [row, name] of Object.entries(CONTROLS)) rows[name] = study.rows[row as ControlRow]!.solved;
  rows.filler = await measured(
    'filler',
    own.map((entry) => fillerFor(entry ?? '')),
  );
  if (cases.length > 0)
    rows.retrievedCase = await measured(
      'retrievedCase',
      problems.map(({ prompt }) => retrievedEntry(prompt, cases)),
    );
  if (shuffledAdapter !== null) {
    // As the row of the true adapter: an entry that could not be written counts in neither.
    const { arms } = await evaluate(problems, {
      ...{ environment, generator, adapter: shuffledAdapter, prompts, maxEntryTokens, arms: ['trained'] },
      schemaFor: (domain) => models.schemaFor(domain),
      seed: 'held-out',
      onProgress: (_, done, total) => onProgress('shuffledRewards', done, total),
    });
    rows.shuffledRewards = arms.trained!.solved;
  }
  const { leaks } = study;
  return {
    rows,
    entries: own,
    leaks:
      leaks === null
        ? null
        : {
            withAnswer: leaks.withAnswer,
            statedByProblem: leaks.statedByProblem,
            byChance: leaks.byChance ?? 0,
          },
  };
}
