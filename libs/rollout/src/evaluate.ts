/**
 * Success on a fixed set of problems, next to the controls without which a success rate means nothing: the executor
 * alone, the empty wrapper, one fixed hint for all, an entry that was written for another problem, and an untrained
 * generator's entry. Everything is greedy, in the same answer format and with the same token budget in every arm.
 */
import type { Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { canonicalJson, compareText, Random, SeamError, sha256 } from '@seamstream/kernel';
import type { Adapter, JsonSchema } from '@seamstream/language-model';
import type { Verifiers } from '@seamstream/verifiers';
import { generateExperiences, type ProblemStatement } from './explore.js';
import type { ExecutorModel, GeneratorModel } from './models.port.js';
import { judge, solveProblems } from './solve.js';
import { cyclicDerangement, wilsonInterval } from './statistics.js';

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
  readonly executor: ExecutorModel;
  readonly generator: GeneratorModel;
  /** Of the arm `trained`, and of the entries that `otherProblemsEntry` exchanges; null: the base model. */
  readonly adapter: Adapter | null;
  readonly prompts: Prompts;
  /** Default: the built-in ones, without endpoints of users. */
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
}

export interface DomainResult {
  /** Problems that could be judged. */
  readonly problems: number;
  readonly successes: number;
  /** Fraction; 0 where no problem could be judged. */
  readonly success: number;
}

export interface ArmResult extends DomainResult {
  /** Wilson's interval at 95 %. */
  readonly interval95: readonly [low: number, high: number];
  readonly perDomain: Readonly<Record<string, DomainResult>>;
  /** Problems without a judgement: a model could not be asked. They count neither as solved nor as failed. */
  readonly failed: number;
  /** Per problem in the set's order; null where it failed. */
  readonly solved: readonly (boolean | null)[];
}

export interface EvaluationResult {
  readonly problemSetDigest: string;
  readonly problems: number;
  readonly arms: Readonly<Partial<Record<EvaluationArm, ArmResult>>>;
  /** Fraction of all problems that `trained` solves and `noExperience` does not; null unless both were measured. */
  readonly rescued: number | null;
  /** Fraction that `noExperience` solves and `trained` does not; the lift is rescued − broken. */
  readonly broken: number | null;
}

/** SHA-256 of the problems in their order. */
export function problemSetDigest(problems: readonly Problem[]): string {
  return sha256(...problems.map((problem) => `${canonicalJson(problem)}\n`));
}

/**
 * Measures the arms on the problems.
 * @throws INVALID_INPUT without problems or with two of one id; whatever a model or a verifier throws; a retryable failure of the executor as SESSION_FAILED,
 * since an evaluation that lacks problems by accident could not be repeated.
 */
export async function evaluate(problems: readonly Problem[], settings: EvaluationSettings): Promise<EvaluationResult> {
  const { arms, prompts } = settings;
  if (problems.length === 0 || new Set(problems.map(({ problemId }) => problemId)).size < problems.length) {
    throw new SeamError(
      'INVALID_INPUT',
      `Evaluating: expected different problems, got ${problems.length} with repeated or no ids.`,
    );
  }
  const statements = problems.map(({ problemId, domain, prompt }): ProblemStatement => ({ problemId, domain, prompt }));
  const ofAdapter =
    arms.includes('trained') || arms.includes('otherProblemsEntry')
      ? await entriesOf(statements, settings, settings.adapter)
      : [];
  const results: Partial<Record<EvaluationArm, ArmResult>> = {};
  for (const arm of EVALUATION_ARMS.filter((each) => arms.includes(each))) {
    const entries = await entriesOfArm(arm);
    results[arm] = await measure(arm, problems, statements, entries, settings);
  }
  const { trained, noExperience } = results;
  const share = (counts: (withEntry: boolean, without: boolean) => boolean): number | null => {
    if (trained === undefined || noExperience === undefined) return null;
    return (
      problems.filter((_, i) => counts(trained.solved[i] === true, noExperience.solved[i] === true)).length /
      problems.length
    );
  };
  return {
    problemSetDigest: problemSetDigest(problems),
    problems: problems.length,
    arms: results,
    rescued: share((withEntry, without) => withEntry && !without),
    broken: share((withEntry, without) => !withEntry && without),
  };

  async function entriesOfArm(arm: EvaluationArm): Promise<readonly Entry[]> {
    switch (arm) {
      case 'noExperience':
        return statements.map(() => null);
      case 'wrapperOnly':
        return statements.map(() => '');
      case 'fixedHint':
        return statements.map(({ domain }) => settings.fixedHint?.(domain) ?? prompts.fixedHint);
      case 'otherProblemsEntry':
        return exchanged(statements, settings).map((other) => ofAdapter[other]);
      case 'untrained':
        return entriesOf(statements, settings, null);
      case 'trained':
        return ofAdapter;
    }
  }
}

/** undefined: none could be written. */
type Entry = string | null | undefined;

async function entriesOf(
  statements: readonly ProblemStatement[],
  settings: EvaluationSettings,
  adapter: Adapter | null,
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
      entries.push(exploration.status === 'explored' ? exploration.candidates[0]?.entry : undefined);
  }
  return entries;
}

async function measure(
  arm: EvaluationArm,
  problems: readonly Problem[],
  statements: readonly ProblemStatement[],
  entries: readonly Entry[],
  settings: EvaluationSettings,
): Promise<ArmResult> {
  const solved: (boolean | null)[] = problems.map(() => null);
  const askable = [...problems.keys()].filter((i) => entries[i] !== undefined);
  let done = problems.length - askable.length;
  for (const batch of batchesOf(askable, settings)) {
    const answers = await solveProblems(
      batch.map((i) => ({ problem: statements[i]!, entry: entries[i]! })),
      settings.executor,
      settings.prompts,
    );
    await Promise.all(
      answers.map(async (answer, at) => {
        const i = batch[at]!;
        if (answer.status === 'answered') {
          solved[i] = (await judge(problems[i]!, answer, settings.verifiers)).success;
        } else if (answer.retryable) {
          throw new SeamError(
            'SESSION_FAILED',
            `Evaluating arm ${arm}: the executor could not answer problem ${problems[i]!.problemId} (${answer.code}: ${answer.reason}). Evaluate again when it answers.`,
          );
        }
      }),
    );
    done += batch.length;
    settings.onProgress?.(arm, done, problems.length);
  }
  const overall = resultOf(solved);
  const domains = [...new Set(problems.map(({ domain }) => domain))].sort();
  return {
    ...overall,
    interval95: wilsonInterval(overall.successes, overall.problems),
    perDomain: Object.fromEntries(
      domains.map((domain) => [domain, resultOf(solved.filter((_, i) => problems[i]!.domain === domain))]),
    ),
    failed: problems.length - overall.problems,
    solved,
  };
}

function resultOf(solved: readonly (boolean | null)[]): DomainResult {
  const problems = solved.filter((each) => each !== null).length;
  const successes = solved.filter((each) => each === true).length;
  return { problems, successes, success: problems === 0 ? 0 : successes / problems };
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

function* batchesOf<T>(items: readonly T[], { batchSize = 256 }: EvaluationSettings): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += batchSize) yield items.slice(at, at + batchSize);
}
