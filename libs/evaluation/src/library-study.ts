/**
 * What a library is worth, next to everything that could explain its success: no experience, entries without a library, the same library
 * with its advice exchanged, filler of as many tokens, and other libraries. Everything is greedy, on one set of problems in one answer
 * format; differences are paired, and intervals are over problems.
 */
import { statementOf } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { type ExperienceLibrary, fillerOf, shuffledLibrary } from '@seamstream/experience-library';
import { generateExperiences } from '@seamstream/rollout';
import { type Estimate, mean, pairedDifference } from '@seamstream/statistics';
import { assertCanJudge, batchesOf, type Entry, type EvaluationSettings, statementsOf } from './arm-entries.js';
import { type ArmResult, armResult, type Measured, measureEntries, pairs, problemSetDigest } from './evaluate.js';

interface LibraryStudySettings
  extends Pick<
    EvaluationSettings,
    'environment' | 'generator' | 'prompts' | 'schemaFor' | 'maxEntryTokens' | 'verifiers' | 'batchSize'
  > {
  readonly library: ExperienceLibrary;
  /** Further libraries by name: one that was written without attempts, learned without references, or from single attempts. */
  readonly others?: ReadonlyMap<string, ExperienceLibrary>;
  /** Decides how the library is shuffled. */
  readonly seed: string;
  onProgress?(row: string, done: number, total: number): void;
}

export interface LibraryRow extends ArmResult {
  /** Success of the library less that of this row; null for itself, and where no problem was judged in both. */
  readonly libraryAhead: Estimate | null;
  /** Mean tokens of an entry, by the generator's tokenizer; null where there is none. */
  readonly entryTokens: number | null;
  /** Mean tokens of a response. */
  readonly responseTokens: number | null;
  /** What both models read and wrote for all problems of the row. What a row did not have to write is in no sum. */
  readonly used: { readonly executor: UsedTokens; readonly generator: UsedTokens };
}

export interface UsedTokens {
  readonly prompt: number;
  readonly completion: number;
}

export interface LibraryStudy {
  readonly problemSetDigest: string;
  readonly problems: number;
  readonly items: number;
  /** In the order in which they are shown. */
  readonly rows: readonly (readonly [name: string, row: LibraryRow])[];
}

export const LIBRARY_ROW = 'library';
/** Rows that a library has to leave behind, in the order of the study. */
export const LIBRARY_CONTROLS = ['no experience', 'no library', 'shuffled library', 'filler'] as const;

/** @throws as `evaluate` */
export async function studyLibrary(
  problems: readonly Problem[],
  settings: LibraryStudySettings,
): Promise<LibraryStudy> {
  const { library, schemaFor, seed, generator, others = new Map<string, ExperienceLibrary>() } = settings;
  assertCanJudge(problems, settings);
  const own = await entriesUnder(library, problems, settings);
  const filler = own.entries.map((entry) => (typeof entry === 'string' ? fillerOf(entry, generator.tokenizer) : entry));
  const shuffled = shuffledLibrary(library, (domain) => schemaFor(domain), seed);
  const written: [string, WrittenEntries][] = [
    ['no experience', { entries: problems.map(() => null), used: NO_TOKENS }],
    ['no library', await entriesUnder(null, problems, settings)],
    ['shuffled library', await entriesUnder(shuffled, problems, settings)],
    ['filler', { entries: filler, used: NO_TOKENS }],
  ];
  for (const [name, other] of others) written.push([name, await entriesUnder(other, problems, settings)]);
  written.push([LIBRARY_ROW, own]);
  const measured = new Map<string, Measured>();
  for (const [name, { entries }] of written)
    measured.set(name, await measureEntries(name, problems, entries, settings));
  const reference = measured.get(LIBRARY_ROW)!;
  return {
    problemSetDigest: problemSetDigest(problems),
    problems: problems.length,
    items: library.items.length,
    rows: written.map(([name, { entries, used }]) => {
      const row = measured.get(name)!;
      const tokens = entries
        .filter((entry) => typeof entry === 'string')
        .map((entry) => generator.tokenizer.encode(entry).length);
      return [
        name,
        {
          ...armResult(problems, row),
          libraryAhead: name === LIBRARY_ROW ? null : pairedDifference(pairs(reference.solved, row.solved)),
          entryTokens: meanOf(tokens),
          responseTokens: meanOf(row.responseTokens.filter((count) => count !== null)),
          used: {
            executor: { prompt: sumOf(row.promptTokens), completion: sumOf(row.responseTokens) },
            generator: used,
          },
        },
      ] as const;
    }),
  };
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

const sumOf = (counts: readonly (number | null)[]): number =>
  counts.reduce<number>((total, count) => total + (count ?? 0), 0);

/** Entries, and what the generator's model read and wrote for them. */
interface WrittenEntries {
  readonly entries: readonly Entry[];
  readonly used: UsedTokens;
}

const NO_TOKENS: UsedTokens = { prompt: 0, completion: 0 };

async function entriesUnder(
  library: ExperienceLibrary | null,
  problems: readonly Problem[],
  settings: LibraryStudySettings,
): Promise<WrittenEntries> {
  statementsOf(problems);
  const entries: Entry[] = [];
  let { prompt, completion } = NO_TOKENS;
  for (const batch of batchesOf(problems, settings)) {
    const written = await generateExperiences(
      batch.map((problem) => ({ eventId: problem.problemId, problem: statementOf(problem) })),
      {
        ...{ model: settings.generator, adapter: library, prompts: settings.prompts, groupSize: 1 },
        sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: settings.maxEntryTokens },
        schemaFor: (domain) => settings.schemaFor(domain),
      },
    );
    for (const each of written) {
      if (each.status !== 'explored') {
        entries.push(each);
        continue;
      }
      const { entry, promptTokenIds, tokenIds } = each.candidates[0]!;
      entries.push(entry);
      prompt += promptTokenIds.length;
      completion += tokenIds.length;
    }
  }
  return { entries, used: { prompt, completion } };
}
