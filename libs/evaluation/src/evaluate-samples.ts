/**
 * Success where each problem is answered several times: the executor draws its answers at a temperature, with the same entry
 * for all of a problem's answers (entries are written greedily, as in `evaluate`). What varies is the problem, so a problem's answers
 * come into an interval as one share.
 */

import { type ExecutorAnswer, type SamplingParams, statementOf } from '@seamstream/environments';
import { type JudgeTally, type Problem, type VerifierSpec, verifierTraits } from '@seamstream/events';
import { isSeamError, SeamError } from '@seamstream/kernel';
import { groupUnjudged, type JudgedBy, tallyJudges, type Unjudged, type UnjudgedGroup } from '@seamstream/rollout';
import { boundedMean, type Estimate, majorityVote, passAtK } from '@seamstream/statistics';
import { builtInVerifiers, type Verifiers } from '@seamstream/verifiers';
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
import { judgeOf, predicted, problemSetDigest } from './evaluate.js';
import { type Prediction, unasked } from './predictions.js';

export interface SamplingEvaluationSettings extends EvaluationSettings {
  /** Answers per problem. */
  readonly samples: number;
  readonly drawing: SamplingParams;
}

/** Estimates are null where no problem was judged. */
export interface SampledResult {
  /** Problems whose answers could all be judged. */
  readonly problems: number;
  /** pass@k by k: 1, 2, 4, … and the number of samples. The unbiased estimator; pass@1 is the mean. */
  readonly passAt: Readonly<Record<number, Estimate | null>>;
  /** mean@samples: mean share of right answers. */
  readonly meanAt: Estimate | null;
  /** majority@samples: whether the answer that most samples agree on is right. */
  readonly majorityAt: Estimate | null;
  /** Problems whose vote was tied; the answer that was drawn first decided. */
  readonly ties: number;
}

export interface SampledArmResult extends SampledResult {
  readonly perDomain: Readonly<Record<string, SampledResult>>;
  /** Problems that could not be asked or judged; they count nowhere. */
  readonly failed: number;
  /** Why. */
  readonly unjudged: readonly UnjudgedGroup[];
  /** Models whose opinions the verdicts are, on the answers of the problems that count. */
  readonly judges: readonly JudgeTally[];
}

export interface SampledEvaluation {
  readonly problemSetDigest: string;
  readonly problems: number;
  readonly samples: number;
  readonly drawing: SamplingParams;
  readonly arms: Readonly<Partial<Record<EvaluationArm, SampledArmResult>>>;
  /** Mean over the problems of mean@samples of `trained` less that of `noExperience`; null unless both were measured, on one problem at least. */
  readonly lift: Estimate | null;
}

/** What became of one problem, in one arm or of one team. */
interface Tally {
  readonly right: number;
  readonly majorityIsRight: boolean;
  readonly tied: boolean;
  /** Of its answers, the models whose opinions the verdicts are. */
  readonly judgedBy: readonly JudgedBy[];
}

/**
 * Measures the arms on the problems, several answers each.
 * @throws as `evaluate`; INVALID_INPUT where the executor cannot draw answers
 */
export async function evaluateSamples(
  problems: readonly Problem[],
  settings: SamplingEvaluationSettings,
): Promise<SampledEvaluation> {
  const { samples, drawing } = settings;
  assertCanJudge(problems, settings);
  const environment = settings.environment.drawn(drawing);
  if (environment === null) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot evaluate ${samples} answers per problem: expected an executor that can draw answers at a temperature, got ${settings.environment.identity.model}, which answers greedily. Evaluate with one answer per problem.`,
    );
  }
  const statements = statementsOf(problems);
  const entriesOfArm = await armEntries(statements, settings);
  const tallies: Partial<Record<EvaluationArm, readonly (Tally | Unjudged)[]>> = {};
  for (const arm of EVALUATION_ARMS.filter((each) => settings.arms.includes(each))) {
    tallies[arm] = await tally(arm, problems, await entriesOfArm(arm), { ...settings, environment });
  }
  const domains = [...new Set(problems.map(({ domain }) => domain))].sort();
  const arms = Object.fromEntries(
    Object.entries(tallies).map(([arm, own]) => {
      const inDomain = (domain: string): (Tally | Unjudged)[] => own.filter((_, i) => problems[i]!.domain === domain);
      const overall = sampledResultOf(own, samples);
      return [
        arm,
        {
          ...overall,
          perDomain: Object.fromEntries(domains.map((domain) => [domain, sampledResultOf(inDomain(domain), samples)])),
          failed: problems.length - overall.problems,
          unjudged: groupUnjudged(own.flatMap((each) => (isTally(each) ? [] : [each]))),
          judges: tallyJudges(own.flatMap((each) => (isTally(each) ? each.judgedBy : []))),
        },
      ];
    }),
  ) as Partial<Record<EvaluationArm, SampledArmResult>>;
  return {
    problemSetDigest: problemSetDigest(problems),
    problems: problems.length,
    samples,
    drawing,
    arms,
    lift: liftOf(tallies.trained, tallies.noExperience, settings),
  };
}

function liftOf(
  trained: readonly (Tally | Unjudged)[] | undefined,
  noExperience: readonly (Tally | Unjudged)[] | undefined,
  { samples }: SamplingEvaluationSettings,
): Estimate | null {
  if (trained === undefined || noExperience === undefined) return null;
  const differences = trained.flatMap((own, i) => {
    const other = noExperience[i]!;
    return isTally(own) && isTally(other) ? [(own.right - other.right) / samples] : [];
  });
  return boundedMean(differences, [-1, 1]);
}

async function tally(
  arm: EvaluationArm,
  problems: readonly Problem[],
  entries: readonly Entry[],
  settings: SamplingEvaluationSettings,
): Promise<(Tally | Unjudged)[]> {
  const { environment, samples, seed, verifiers, batchSize = 256 } = settings;
  const results: (Tally | Unjudged | null)[] = unwritten(entries);
  const askable = [...problems.keys()].filter((i) => results[i] === null);
  for (const [i, reason] of unwritten(entries).entries())
    if (reason !== null) settings.onPrediction?.(unasked(arm, i, reason));
  let done = problems.length - askable.length;
  for (const batch of batchesOf(askable, { batchSize: Math.max(1, Math.floor(batchSize / samples)) })) {
    const drawn = await environment.attempt(
      batch.map((i) => ({
        problem: statementOf(problems[i]!),
        entry: entries[i] as string | null,
        // The same in every arm, whichever others are asked: an answer differs by its prompt and its number alone.
        seeds: Array.from({ length: samples }, (_, n) => `${seed}/${problems[i]!.problemId}/${n}`),
      })),
    );
    await Promise.all(
      batch.map(async (i, at) => {
        results[i] = await tallyOf(arm, problems[i]!, drawn[at]!, {
          verifiers,
          onPrediction: (prediction) =>
            settings.onPrediction?.({ ...prediction, problem: i, entry: entries[i] as string | null }),
        });
      }),
    );
    done += batch.length;
    settings.onProgress?.(arm, done, problems.length);
  }
  return results.map((each) => each!);
}

function isTally<T extends Omit<Tally, 'judgedBy'>>(each: T | Unjudged): each is T {
  return 'right' in each;
}

/** The reason where an answer is missing for good: the problem does not fit the model. */
async function tallyOf(
  arm: EvaluationArm,
  problem: Problem,
  answers: readonly ExecutorAnswer[],
  {
    verifiers,
    onPrediction,
  }: {
    readonly verifiers: Verifiers | undefined;
    readonly onPrediction: (prediction: Omit<Prediction, 'problem' | 'entry'>) => void;
  },
): Promise<Tally | Unjudged> {
  const failure = answers.find((answer) => answer.status === 'failed');
  if (failure?.halts === true) throw new SeamError(failure.code, `Cannot evaluate arm ${arm}: ${failure.reason}`);
  if (failure?.retryable === true) {
    throw new SeamError(
      'SESSION_FAILED',
      `Cannot evaluate arm ${arm}: the executor could not answer problem ${problem.problemId} (${failure.code}: ${failure.reason}). Evaluate again when it answers.`,
    );
  }
  const judged = await Promise.all(
    answers.flatMap((answer) =>
      answer.status === 'answered' ? [judgeOf(`arm ${arm}`, problem, answer, verifiers)] : [],
    ),
  );
  const judgements = judged.values();
  for (const [sample, answer] of answers.entries()) {
    if (answer.status !== 'answered') onPrediction({ ...unasked(arm, 0, answer), sample });
    else onPrediction({ arm, sample, response: answer.text, ...predicted(judgements.next().value!) });
  }
  if (failure !== undefined) return failure;
  const stated = judged.map(({ extractedAnswer }) => extractedAnswer);
  const { winner, tied } = majorityVote(await answerClasses(stated, problem.verifier!, verifiers));
  return {
    right: judged.filter(({ success }) => success).length,
    majorityIsRight: winner !== null && judged[winner]!.success,
    tied,
    judgedBy: judged.map(({ judgedBy }) => judgedBy ?? null),
  };
}

/**
 * The class of each answer: answers are in one class where their texts are the same but for case and white space, or where
 * the problem's verifier takes the one for the other. An answer joins the first class whose first answer it agrees with.
 */
export async function answerClasses(
  answers: readonly (string | null)[],
  verifier: VerifierSpec,
  verifiers: Verifiers = builtInVerifiers,
): Promise<(number | null)[]> {
  const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, '');
  const classes: { readonly first: string; readonly texts: Set<string> }[] = [];
  const result: (number | null)[] = [];
  for (const answer of answers) {
    if (answer === null) {
      result.push(null);
      continue;
    }
    const text = plain(answer);
    let found = classes.findIndex(({ texts }) => texts.has(text));
    for (let at = 0; at < classes.length && found < 0; at++) {
      if (await isTakenFor(answer, classes[at]!.first, verifier, verifiers)) found = at;
    }
    if (found < 0) found = classes.push({ first: answer, texts: new Set() }) - 1;
    classes[found]!.texts.add(text);
    result.push(found);
  }
  return result;
}

async function isTakenFor(
  answer: string,
  other: string,
  verifier: VerifierSpec,
  verifiers: Verifiers,
): Promise<boolean> {
  if (!verifierTraits(verifier).comparesAnswers) return false;
  try {
    return (await verifiers.verify(verifier, { text: `Answer: ${answer}`, finished: true }, other)).success;
  } catch (error) {
    // The verifier cannot judge by the other answer, say a word where numbers are compared.
    if (isSeamError(error, 'INVALID_INPUT') || isSeamError(error, 'VERIFIER_FAILED')) return false;
    throw error;
  }
}

/** @param samples answers of each problem */
export function sampledResultOf(
  tallies: readonly (Omit<Tally, 'judgedBy'> | Unjudged)[],
  samples: number,
): SampledResult {
  const judged = tallies.filter((each) => isTally(each));
  const share = (of: (each: Omit<Tally, 'judgedBy'>) => number): Estimate | null => boundedMean(judged.map(of), [0, 1]);
  return {
    problems: judged.length,
    passAt: Object.fromEntries(passSizes(samples).map((k) => [k, share(({ right }) => passAtK(samples, right, k))])),
    meanAt: share(({ right }) => right / samples),
    majorityAt: share(({ majorityIsRight }) => (majorityIsRight ? 1 : 0)),
    ties: judged.filter(({ tied }) => tied).length,
  };
}

/** 1, 2, 4, … below the number of samples, and that number. */
function passSizes(samples: number): number[] {
  const sizes: number[] = [];
  for (let k = 1; k < samples; k *= 2) sizes.push(k);
  return [...sizes, samples];
}
