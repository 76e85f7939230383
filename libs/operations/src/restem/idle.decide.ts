/**
 * A self-training in idle time: it works only while no other problem waits, within a budget, and keeps what writers before it learned.
 * What it spent follows from the log.
 */
import type { EventOf } from '@seamstream/events';
import { promptOrName } from '@seamstream/events';
import { definiteResults } from '@seamstream/experience-groups';
import { compareText, Random } from '@seamstream/kernel';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import {
  isBetter,
  type NextStep,
  runsByIteration,
  type SelfTraining,
  type SelfTrainings,
} from './self-training.decide.js';

export interface Spent {
  readonly attempts: number;
  readonly seconds: number;
  readonly tokens: number;
}

/**
 * What a self-training in idle time has spent so far.
 * @param now the end of a stretch that continues; absent: it ends with the last fact that is recorded of it, as one whose process was
 * killed does
 */
export function spentBy(state: SelfTraining, now?: number): Spent {
  const results = [...state.iterations.values()].flatMap((explored) => [...definiteResults(explored.results).values()]);
  const tokens = results.reduce((sum, result) => sum + (result.type === 'OutcomeRecorded' ? tokensOf(result) : 0), 0);
  return { attempts: results.length, seconds: workedMs(state, now) / 1000, tokens };
}

/** Of generator and executor. Where a server did not say, the text's bytes count: a token stands for at least one. */
function tokensOf(outcome: EventOf<'OutcomeRecorded'>): number {
  const { promptTokenIds, tokenIds, promptTokens, responseTokens, problem, entry, response } = outcome;
  // A large prompt is elsewhere in the log; the generator has read it too.
  const prompt = Math.max(promptTokenIds.length, Buffer.byteLength(promptOrName(problem)));
  const read = promptTokens ?? prompt + Buffer.byteLength(entry ?? '');
  return promptTokenIds.length + tokenIds.length + read + (responseTokens ?? Buffer.byteLength(response));
}

function workedMs({ stretches, iterations, runTimes }: SelfTraining, now: number | undefined): number {
  const facts = [
    ...runTimes,
    ...[...iterations.values()].flatMap(({ problems, results, lost }) => [
      ...problems.values(),
      ...results.map(({ meta }) => meta.occurredAt),
      ...lost.values(),
    ]),
  ].sort((a, b) => a - b);
  const lastFact = (from: number, before: number): number =>
    Math.max(from, facts.findLast((at) => at < before) ?? from);
  return stretches.reduce((sum, { from, to }, index) => {
    const next = stretches[index + 1]?.from;
    const end = to ?? (next === undefined ? (now ?? lastFact(from, Number.POSITIVE_INFINITY)) : lastFact(from, next));
    return sum + Math.max(0, end - from);
  }, 0);
}

/** What it may do instead of a step, so that it is in the way of no other work and spends no more than its budget. */
export function whenIdle(
  step: NextStep,
  { config: { idle } }: Pick<SelfTraining, 'config'>,
  { waiting, spent }: { readonly waiting: number; readonly spent: Spent },
): NextStep {
  if (idle === null || step.kind === 'none' || step.kind === 'rest') return step;
  // What was explored may be trained on: that takes no attempts, only time.
  const isTimeOver = spent.seconds >= idle.maxSeconds;
  const isSpent = spent.attempts >= idle.maxAttempts || spent.tokens >= (idle.maxTokens ?? Number.POSITIVE_INFINITY);
  const isOver = isTimeOver || (isSpent && step.kind === 'explore');
  if (isOver && step.kind !== 'wait') return { kind: 'none', reason: 'budget' };
  // Who listens takes no time of others. With every problem that comes and is answered it would record another pause.
  if (step.kind === 'listen') return step;
  // While the services are at other work, the wait for its own passage takes no time of the budget either.
  return waiting > 0 ? { kind: 'rest', index: step.index, waiting } : step;
}

/**
 * Problems that writers learned from that are or were served: of all iterations of all self-trainings but this one, drawn evenly.
 * @returns ids, sorted
 */
export function oldPassages(
  all: SelfTrainings,
  runs: readonly RecordedRun[],
  { selfTrainingId, index, count }: { readonly selfTrainingId: string; readonly index: number; readonly count: number },
): string[] {
  const learned = [...all.byId.values()].flatMap((each) => {
    const own = runsByIteration(each.selfTrainingId, runs);
    return [...each.iterations].flatMap(([iteration, { problems }]) => {
      const run = own.get(iteration);
      const isThis = each.selfTrainingId === selfTrainingId && iteration === index;
      return isThis || run === undefined || !isBetter(run) ? [] : [...problems.keys()];
    });
  });
  const drawn = Random.of('old-passages', selfTrainingId, index).shuffled(learned.sort(compareText));
  return drawn.slice(0, count).sort(compareText);
}
