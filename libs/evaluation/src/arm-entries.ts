/**
 * The arms of an evaluation and the entries that each gives to the executor: none, an empty slot, one fixed hint, another
 * problem's entry, the untrained generator's, and the adapter's. Entries are written greedily.
 */

import { type Environment, type ProblemStatement, statementOf } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { compareText, Random, SeamError } from '@seamstream/kernel';
import type { GeneratorModel, Served, Unjudged } from '@seamstream/rollout';
import { generateExperiences } from '@seamstream/rollout';
import { cyclicDerangement } from '@seamstream/statistics';
import type { JsonSchema } from '@seamstream/token-grammar';
import { builtInVerifiers, type Verifiers } from '@seamstream/verifiers';
import type { PredictionSink } from './predictions.js';

export const EVALUATION_ARMS = [
  'noExperience',
  'wrapperOnly',
  'fixedHint',
  'otherProblemsEntry',
  'untrained',
  'trained',
] as const;
export type EvaluationArm = (typeof EVALUATION_ARMS)[number];

export interface EvaluationSettings {
  readonly arms: readonly EvaluationArm[];
  readonly environment: Environment;
  readonly generator: GeneratorModel;
  /** Of the arm `trained`, and of the entries that `otherProblemsEntry` exchanges; null: the base model. */
  readonly adapter: Served | null;
  readonly prompts: Prompts;
  /** Default: the built-in ones, without endpoints of users and without a model that judges. */
  readonly verifiers?: Verifiers;
  schemaFor(domain: string): JsonSchema;
  /** Most tokens of an entry. */
  readonly maxEntryTokens: number;
  /** The entry of the arm `fixedHint`; the prompts' own hint when absent. */
  readonly fixedHint?: (domain: string) => string;
  /** Decides who gets whose entry. */
  readonly seed: string;
  /** Whose entry `otherProblemsEntry` gives: one of the same domain (default, the harder control) or of any. */
  readonly exchangeWithin?: 'domain' | 'all';
  /** Problems per call of a model. Default 256. */
  readonly batchSize?: number;
  onProgress?(arm: EvaluationArm, done: number, total: number): void;
  /** Is given every answer, with what was judged of it. */
  readonly onPrediction?: PredictionSink;
}

/** Null asks without the slot for one; otherwise why none could be written. */
export type Entry = string | null | Unjudged;

/** The entries' reasons, null where the executor can be asked. */
export function unwritten(entries: readonly Entry[]): (Unjudged | null)[] {
  return entries.map((entry) => (typeof entry === 'string' ? null : entry));
}

/**
 * Before anything is asked.
 * @throws INVALID_CONFIGURATION for problems that a model has to judge, where none does
 */
export function assertCanJudge(
  problems: readonly Problem[],
  { verifiers = builtInVerifiers }: Pick<EvaluationSettings, 'verifiers'>,
): void {
  verifiers.assertCanJudge(problems);
}

/** What the models may see of the problems. @throws INVALID_INPUT without problems or with two of one id */
export function statementsOf(problems: readonly Problem[]): readonly ProblemStatement[] {
  if (problems.length === 0 || new Set(problems.map(({ problemId }) => problemId)).size < problems.length) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot evaluate: expected different problems, got ${problems.length} with repeated or no ids.`,
    );
  }
  return problems.map(statementOf);
}

/**
 * The entries of an arm, in the order of the problems; those of the adapter are written once.
 * @throws INVALID_INPUT where entries of one problem are to be exchanged
 */
export async function armEntries(
  statements: readonly ProblemStatement[],
  settings: EvaluationSettings,
): Promise<(arm: EvaluationArm) => Promise<readonly Entry[]>> {
  const { arms, prompts } = settings;
  if (statements.length === 1 && arms.includes('otherProblemsEntry')) {
    throw new SeamError(
      'INVALID_INPUT',
      "Cannot evaluate: expected at least two problems to give each another one's entry, got one. Give more problems, or leave out otherProblemsEntry.",
    );
  }
  const ofAdapter =
    arms.includes('trained') || arms.includes('otherProblemsEntry')
      ? await entriesOf(statements, settings, settings.adapter)
      : [];
  return async (arm) => {
    switch (arm) {
      case 'noExperience':
        return statements.map(() => null);
      case 'wrapperOnly':
        return statements.map(() => '');
      case 'fixedHint':
        return statements.map(({ domain }) => settings.fixedHint?.(domain) ?? prompts.fixedHint);
      case 'otherProblemsEntry':
        return exchanged(statements, settings).map((other) => ofAdapter[other]!);
      case 'untrained':
        return entriesOf(statements, settings, null);
      case 'trained':
        return ofAdapter;
    }
  };
}

async function entriesOf(
  statements: readonly ProblemStatement[],
  settings: EvaluationSettings,
  adapter: Served | null,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const batch of batchesOf(statements, settings)) {
    const explorations = await generateExperiences(
      batch.map((problem) => ({ eventId: problem.problemId, problem })),
      {
        model: settings.generator,
        adapter,
        prompts: settings.prompts,
        groupSize: 1,
        sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: settings.maxEntryTokens },
        schemaFor: (domain) => settings.schemaFor(domain),
      },
    );
    for (const exploration of explorations)
      entries.push(exploration.status === 'explored' ? exploration.candidates[0]!.entry : exploration);
  }
  return entries;
}

/** For each problem the index of the one whose entry it gets. A domain of one problem exchanges with all others. */
function exchanged(
  statements: readonly ProblemStatement[],
  { seed, exchangeWithin = 'domain' }: EvaluationSettings,
): number[] {
  const random = Random.of(seed, 'exchange of entries');
  const all = cyclicDerangement(statements.length, random);
  if (exchangeWithin === 'all') return all;
  const members = Map.groupBy(statements.keys(), (i) => statements[i]!.domain);
  const result = [...all];
  for (const [, indices] of [...members].sort(([a], [b]) => compareText(a, b))) {
    if (indices.length === 1) continue;
    cyclicDerangement(indices.length, random).forEach((other, at) => {
      result[indices[at]!] = indices[other]!;
    });
  }
  return result;
}

export function* batchesOf<T>(
  items: readonly T[],
  { batchSize = 256 }: Pick<EvaluationSettings, 'batchSize'>,
): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += batchSize) yield items.slice(at, at + batchSize);
}
