/**
 * Success on a fixed set of problems, next to the controls without which a success rate means nothing: the executor
 * alone, the empty wrapper, one fixed hint for all, an entry that was written for another problem, and an untrained
 * generator's entry. Everything is greedy, in the same answer format and with the same token budget in every arm.
 */

import { answerOnce } from '@seamstream/environments';
import type { JudgeTally, Problem } from '@seamstream/events';
import { canonicalJson, isSeamError, SeamError, sha256 } from '@seamstream/kernel';
import {
  groupUnjudged,
  type JudgedBy,
  type Judgement,
  judge,
  tallyJudges,
  type Unjudged,
  type UnjudgedGroup,
} from '@seamstream/rollout';
import { wilsonInterval } from '@seamstream/statistics';
import type { Verifiers } from '@seamstream/verifiers';
import {
  armEntries,
  assertCanJudge,
  batchesOf,
  type Entry,
  EVALUATION_ARMS,
  type EvaluationArm,
  type EvaluationSettings,
  statementsOf,
  unwritten,
} from './arm-entries.js';
import { type FaithfulShare, faithfulShare } from './faithful-share.js';
import { type Prediction, unasked } from './predictions.js';

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
  /** Why. */
  readonly unjudged: readonly UnjudgedGroup[];
  /** Models whose opinions the verdicts are; several revisions of one: its server changed it meanwhile. */
  readonly judges: readonly JudgeTally[];
  /** Per problem in the set's order; null where it failed. */
  readonly solved: readonly (boolean | null)[];
}

export interface EvaluationResult {
  readonly problemSetDigest: string;
  readonly problems: number;
  readonly arms: Readonly<Partial<Record<EvaluationArm, ArmResult>>>;
  /** Fraction that `trained` solves and `noExperience` does not, of the problems that were judged in both; null where there are none. */
  readonly rescued: number | null;
  /** Fraction that `noExperience` solves and `trained` does not; the lift is rescued − broken. */
  readonly broken: number | null;
  /** Of the entries of `trained`; null without that arm, and where no schema names quotes. */
  readonly faithful: FaithfulShare | null;
}

/** SHA-256 of the problems in their order. */
export function problemSetDigest(problems: readonly Problem[]): string {
  return sha256(...problems.map((problem) => `${canonicalJson(problem)}\n`));
}

/**
 * Measures the arms on the problems.
 * @throws INVALID_INPUT without problems or with two of one id; INVALID_CONFIGURATION for problems that a model has to judge where none does; any error of a model or a verifier; a retryable failure of the executor as SESSION_FAILED,
 * since an evaluation that lacks problems by accident could not be repeated.
 */
export async function evaluate(problems: readonly Problem[], settings: EvaluationSettings): Promise<EvaluationResult> {
  const statements = statementsOf(problems);
  assertCanJudge(problems, settings);
  const entriesOfArm = await armEntries(statements, settings);
  const results: Partial<Record<EvaluationArm, ArmResult>> = {};
  let faithful: FaithfulShare | null = null;
  for (const arm of EVALUATION_ARMS.filter((each) => settings.arms.includes(each))) {
    const entries = await entriesOfArm(arm);
    results[arm] = armResult(problems, await measureEntries(arm, problems, entries, settings));
    if (arm === 'trained') faithful = faithfulShare(problems, entries, (domain) => settings.schemaFor(domain));
  }
  const { trained, noExperience } = results;
  const judged = trained === undefined || noExperience === undefined ? [] : pairs(trained.solved, noExperience.solved);
  const share = (counts: (withEntry: boolean, without: boolean) => boolean): number | null =>
    judged.length === 0 ? null : judged.filter((pair) => counts(...pair)).length / judged.length;
  return {
    problemSetDigest: problemSetDigest(problems),
    problems: problems.length,
    arms: results,
    rescued: share((withEntry, without) => withEntry && !without),
    broken: share((withEntry, without) => !withEntry && without),
    faithful,
  };
}

/** What became of the problems with one entry each, in their order; null where one could not be asked or judged. */
export interface Measured {
  readonly solved: readonly (boolean | null)[];
  /** Tokens that the executor read for each, and those of each response. */
  readonly promptTokens: readonly (number | null)[];
  readonly responseTokens: readonly (number | null)[];
  /** Why one could not; null where it could. */
  readonly unjudged: readonly (Unjudged | null)[];
  /** The model whose opinion each verdict is. */
  readonly judgedBy: readonly JudgedBy[];
}

/**
 * Asks the executor with the given entries, each in the same format and budget, and judges its answers.
 * @param name of what is measured, for messages and progress
 * @throws as {@link evaluate}
 */
export async function measureEntries<Name extends string>(
  name: Name,
  problems: readonly Problem[],
  entries: readonly Entry[],
  settings: Pick<EvaluationSettings, 'environment' | 'verifiers' | 'batchSize' | 'onPrediction'> & {
    onProgress?(name: Name, done: number, total: number): void;
  },
): Promise<Measured> {
  const statements = statementsOf(problems);
  const solved: (boolean | null)[] = problems.map(() => null);
  const promptTokens: (number | null)[] = problems.map(() => null);
  const responseTokens: (number | null)[] = problems.map(() => null);
  const judgedBy: JudgedBy[] = problems.map(() => null);
  const unjudged = unwritten(entries);
  const askable = [...problems.keys()].filter((i) => unjudged[i] === null);
  for (const [i, reason] of unjudged.entries()) if (reason !== null) settings.onPrediction?.(unasked(name, i, reason));
  let done = problems.length - askable.length;
  for (const batch of batchesOf(askable, settings)) {
    const answers = await answerOnce(
      settings.environment,
      batch.map((i) => ({
        problem: statements[i]!,
        entry: entries[i] as string | null,
        seed: `${problems[i]!.problemId}/measured`,
      })),
    );
    await Promise.all(
      answers.map(async (answer, at) => {
        const i = batch[at]!;
        if (answer.status === 'answered') {
          const judgement = await judgeOf(name, problems[i]!, answer, settings.verifiers);
          solved[i] = judgement.success;
          judgedBy[i] = judgement.judgedBy ?? null;
          promptTokens[i] = answer.promptTokens;
          responseTokens[i] = answer.responseTokens;
          settings.onPrediction?.({
            ...{ arm: name, problem: i, sample: 0, entry: entries[i] as string | null },
            ...{ response: answer.text, ...predicted(judgement) },
          });
        } else if (answer.halts === true) {
          throw new SeamError(answer.code, `Cannot evaluate ${name}: ${answer.reason}`);
        } else if (answer.retryable) {
          throw new SeamError(
            'SESSION_FAILED',
            `Cannot evaluate ${name}: the executor could not answer problem ${problems[i]!.problemId} (${answer.code}: ${answer.reason}). Evaluate again when it answers.`,
          );
        } else {
          unjudged[i] = answer;
          settings.onPrediction?.(unasked(name, i, answer, entries[i] as string | null));
        }
      }),
    );
    done += batch.length;
    settings.onProgress?.(name, done, problems.length);
  }
  return { solved, promptTokens, responseTokens, unjudged, judgedBy };
}

/** {@link judge}, whose errors here name the problem. */
export async function judgeOf(
  name: string,
  problem: Problem,
  answer: Parameters<typeof judge>[1],
  verifiers: Verifiers | undefined,
): Promise<Judgement> {
  try {
    return await judge(problem, answer, verifiers);
  } catch (cause) {
    if (!isSeamError(cause)) throw cause;
    throw new SeamError(
      cause.code,
      `Cannot evaluate ${name}: the answer to problem ${problem.problemId} could not be judged. ${cause.message}`,
      { details: { ...cause.details, problemId: problem.problemId }, cause },
    );
  }
}

/** What a prediction says of a judgement. */
export function predicted(
  judgement: Judgement,
): Pick<Prediction, 'answer' | 'success' | 'share' | 'detail' | 'judgedBy' | 'unjudged'> {
  const { extractedAnswer: answer, success, reward: share, detail, judgedBy } = judgement;
  return { answer, success, share, detail, judgedBy: judgedBy ?? null, unjudged: null };
}

/** What both say of each problem that both could judge. */
export function pairs(
  one: Measured['solved'],
  other: Measured['solved'],
): readonly (readonly [one: boolean, other: boolean])[] {
  return one.flatMap((own, i) => {
    const others = other[i] ?? null;
    return own === null || others === null ? [] : [[own, others] as const];
  });
}

/** Success with its interval, overall and by domain. */
export function armResult(
  problems: readonly Problem[],
  { solved, unjudged, judgedBy }: Pick<Measured, 'solved' | 'unjudged' | 'judgedBy'>,
): ArmResult {
  const overall = resultOf(solved);
  const domains = [...new Set(problems.map(({ domain }) => domain))].sort();
  return {
    ...overall,
    interval95: wilsonInterval(overall.successes, overall.problems),
    perDomain: Object.fromEntries(
      domains.map((domain) => [domain, resultOf(solved.filter((_, i) => problems[i]!.domain === domain))]),
    ),
    failed: problems.length - overall.problems,
    unjudged: groupUnjudged(unjudged.filter((each) => each !== null)),
    judges: tallyJudges(judgedBy),
    solved,
  };
}

function resultOf(solved: readonly (boolean | null)[]): DomainResult {
  const problems = solved.filter((each) => each !== null).length;
  const successes = solved.filter((each) => each === true).length;
  return { problems, successes, success: problems === 0 ? 0 : successes / problems };
}
