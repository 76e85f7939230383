/**
 * What it takes until an answer is right: candidates are tried one after the other, each with a new entry, until one
 * succeeds. SEAM reports this alongside accuracy, since an entry costs tokens too.
 */

import { answerOnce, type ExecutorAnswer, type ProblemStatement, type SamplingParams } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { Random, SeamError } from '@seamstream/kernel';
import { generateExperiences, judge, type Served } from '@seamstream/rollout';
import { bootstrapMean, boundedMean, type Estimate, wilsonInterval } from '@seamstream/statistics';
import { batchesOf, type EvaluationSettings, statementsOf } from './arm-entries.js';

export interface TimeToCorrectSettings
  extends Pick<
    EvaluationSettings,
    'environment' | 'generator' | 'prompts' | 'verifiers' | 'schemaFor' | 'maxEntryTokens' | 'seed' | 'batchSize'
  > {
  /** K: candidates at most. */
  readonly candidates: number;
  /** Milliseconds of a steady clock. */
  readonly nowMs: () => number;
  onProgress?(candidate: number, done: number, total: number): void;
}

/**
 * Who tries: entries of an adapter (null: of the base model), each answered greedily; texts that need no model, answered in the same way; or
 * the executor alone, drawing its answers.
 */
export type Trier =
  | { readonly kind: 'entries'; readonly adapter: Served | null }
  | { readonly kind: 'texts'; readonly texts: (problem: ProblemStatement) => readonly string[] }
  | { readonly kind: 'alone'; readonly drawing: SamplingParams };

/** Estimates are null where no problem was judged. */
export interface TimeToCorrect {
  readonly candidates: number;
  /** Problems of which every candidate that was asked could be judged. */
  readonly problems: number;
  /** Share solved by one of the candidates, with Wilson's interval. */
  readonly solved: number;
  readonly solvedInterval95: readonly [low: number, high: number];
  /** Share whose first correct candidate is the k-th; index 0 is the first. */
  readonly firstCorrect: readonly number[];
  /** Candidates tried until one was right; K without a correct one. */
  readonly candidatesTried: Estimate | null;
  /** Tokens written until then, by generator and executor. */
  readonly tokens: Estimate | null;
  /**
   * Seconds until then, if each candidate took as long as one did on average: requests are sent together, so this is a share of
   * throughput, not the wait of a single user.
   */
  readonly seconds: Estimate | null;
}

interface Way {
  tried: number;
  tokens: number;
  correct: boolean;
  failed: boolean;
}

/** Tries every problem until it is solved or its candidates are used up. @throws as `evaluate` */
export async function timeToCorrect(
  problems: readonly Problem[],
  trier: Trier,
  settings: TimeToCorrectSettings,
): Promise<TimeToCorrect> {
  const { candidates, seed, nowMs } = settings;
  const statements = statementsOf(problems);
  const ways: Way[] = problems.map(() => ({ tried: 0, tokens: 0, correct: false, failed: false }));
  const startedMs = nowMs();
  for (let candidate = 0; candidate < candidates; candidate++) {
    const open = [...problems.keys()].filter((i) => !ways[i]!.correct && !ways[i]!.failed);
    let done = problems.length - open.length;
    for (const batch of batchesOf(open, settings)) {
      const entries = await candidatesOf(
        batch.map((i) => statements[i]!),
        candidate,
        trier,
        settings,
      );
      const answers = await answersTo(
        batch.map((i, at) => ({ problem: problems[i]!, entry: entries[at]?.text ?? null })),
        candidate,
        trier,
        settings,
      );
      await Promise.all(
        batch.map((i, at) => advance(ways[i]!, problems[i]!, candidate, entries[at], answers[at]!, settings)),
      );
      done += batch.length;
      settings.onProgress?.(candidate, done, problems.length);
    }
  }
  return measured(ways, candidates, seed, (nowMs() - startedMs) / 1000);
}

/** Takes the answer to one more candidate into a problem's way. @throws SESSION_FAILED when the executor may answer later */
async function advance(
  way: Way,
  problem: Problem,
  candidate: number,
  entry: { readonly tokens: number } | undefined,
  answer: Awaited<ReturnType<typeof answersTo>>[number],
  settings: TimeToCorrectSettings,
): Promise<void> {
  if (answer.status === 'failed' && (answer.retryable || answer.halts === true)) {
    throw new SeamError(
      'SESSION_FAILED',
      `Cannot measure the time to correct: expected an answer to problem ${problem.problemId}, got ${answer.code}: ${answer.reason}. Measure again when the executor answers.`,
    );
  }
  if (entry === undefined || answer.status === 'failed') {
    way.failed = true;
    return;
  }
  way.tried = candidate + 1;
  way.tokens += entry.tokens + answer.responseTokens;
  way.correct = (await judge(problem, answer, settings.verifiers)).success;
}

/** The figures of all ways, of which those that failed count only in the time of an attempt. */
function measured(
  ways: readonly Way[],
  candidates: number,
  seed: TimeToCorrectSettings['seed'],
  elapsedSeconds: number,
): TimeToCorrect {
  const judged = ways.filter(({ failed }) => !failed);
  const tried = judged.map((way) => way.tried);
  const attempts = ways.reduce((sum, way) => sum + way.tried, 0);
  const secondsEach = attempts === 0 ? 0 : elapsedSeconds / attempts;
  const solved = judged.filter(({ correct }) => correct).length;
  const estimate = (values: readonly number[]): Estimate | null =>
    bootstrapMean(values, Random.of(seed, 'time to correct'));
  return {
    candidates,
    problems: judged.length,
    solved: judged.length === 0 ? 0 : solved / judged.length,
    solvedInterval95: wilsonInterval(solved, judged.length),
    firstCorrect: Array.from(
      { length: candidates },
      (_, k) => judged.filter((way) => way.correct && way.tried === k + 1).length / Math.max(1, judged.length),
    ),
    candidatesTried: boundedMean(tried, [1, candidates]),
    tokens: estimate(judged.map(({ tokens }) => tokens)),
    seconds: estimate(tried.map((count) => count * secondsEach)),
  };
}

interface Candidate {
  readonly text: string | null;
  /** That a model wrote. */
  readonly tokens: number;
}

/** One candidate each; undefined where none could be written. Who has no text left repeats the last, or asks without one. */
async function candidatesOf(
  statements: ReturnType<typeof statementsOf>,
  candidate: number,
  trier: Trier,
  settings: TimeToCorrectSettings,
): Promise<readonly (Candidate | undefined)[]> {
  switch (trier.kind) {
    case 'alone':
      return statements.map(() => ({ text: null, tokens: 0 }));
    case 'texts':
      return statements.map((problem) => {
        const texts = trier.texts(problem);
        return { text: texts[candidate] ?? texts.at(-1) ?? null, tokens: 0 };
      });
    case 'entries':
      return entriesOf(statements, candidate, trier.adapter, settings);
  }
}

/** One candidate each, drawn from the plain distribution; undefined where none could be written. */
async function entriesOf(
  statements: ReturnType<typeof statementsOf>,
  candidate: number,
  adapter: Served | null,
  settings: TimeToCorrectSettings,
): Promise<(Candidate | undefined)[]> {
  const explorations = await generateExperiences(
    statements.map((problem) => ({ eventId: `${settings.seed}/${problem.problemId}`, problem })),
    {
      model: settings.generator,
      adapter,
      prompts: settings.prompts,
      groupSize: 1,
      firstCandidate: candidate,
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: settings.maxEntryTokens },
      schemaFor: (domain) => settings.schemaFor(domain),
    },
  );
  return explorations.map((exploration) => {
    const written = exploration.status === 'explored' ? exploration.candidates[0] : undefined;
    return written && { text: written.entry, tokens: written.tokenIds.length };
  });
}

async function answersTo(
  requests: readonly { readonly problem: Problem; readonly entry: string | null }[],
  candidate: number,
  trier: Trier,
  { environment, seed }: TimeToCorrectSettings,
): Promise<readonly ExecutorAnswer[]> {
  const seeded = requests.map((request) => ({
    ...request,
    seed: `${seed}/${request.problem.problemId}/${trier.kind === 'alone' ? 'alone/' : ''}${candidate}`,
  }));
  if (trier.kind !== 'alone') return answerOnce(environment, seeded);
  const drawn = environment.drawn(trier.drawing);
  if (drawn === null)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot measure the time to correct: expected an executor that can draw answers, got ${environment.identity.model}, which answers greedily. Measure entries only.`,
    );
  return answerOnce(drawn, seeded);
}
