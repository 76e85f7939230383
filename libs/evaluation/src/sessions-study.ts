/**
 * What test-time adaptation gains and costs: each passage is a session whose messages are its sentences. The session learns while they come;
 * then the questions are asked without the passage, of the frozen model and of the session's.
 */
import {
  passageAnswers,
  passageScores,
  SessionAdapters,
  type SessionModel,
  type SessionSettings,
  type TrainableExecutor,
} from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { type Clock, Random, SeamError } from '@seamstream/kernel';
import { judge } from '@seamstream/rollout';
import { bootstrapMean, boundedMean, type Estimate, mean } from '@seamstream/statistics';
import { type AskedPassage, askedPassage, goldAnswers } from '@seamstream/tasks';
import type { Verifiers } from '@seamstream/verifiers';

export interface SessionsStudySettings {
  readonly executor: TrainableExecutor;
  readonly prompts: Prompts;
  readonly sessions: SessionSettings;
  readonly clock: Clock;
  readonly verifiers?: Verifiers;
  readonly signal?: AbortSignal | undefined;
  onSession?(done: number, total: number): void;
}

/** Of the session's model less the frozen one, paired over sessions. */
interface SessionGain {
  readonly accuracy: Estimate;
  /** Null where the executor returns no probabilities. */
  readonly logLikelihood: Estimate | null;
}

export interface SessionsStudy {
  readonly sessions: number;
  readonly messages: number;
  readonly trainings: number;
  /** Mean share of right answers. */
  readonly frozen: number;
  readonly adapted: number;
  readonly gain: SessionGain;
  /** Of a training. */
  readonly secondsPerTraining: number;
  /** Over all messages: what a message costs on average. */
  readonly secondsPerMessage: number;
  /** Mean of answering all questions of a session, by the frozen model and by the session's. */
  readonly answeringSeconds: { readonly frozen: number; readonly adapted: number };
}

interface Answered {
  readonly accuracy: number;
  readonly logLikelihood: number | null;
  readonly seconds: number;
}

/** @throws INVALID_INPUT for problems that are no passages; ABORTED; SESSION_FAILED for an answer that could not be had */
export async function studySessions(
  problems: readonly Problem[],
  settings: SessionsStudySettings,
): Promise<SessionsStudy> {
  const pairs: { readonly frozen: Answered; readonly adapted: Answered }[] = [];
  let [messages, trainings, trainingMs] = [0, 0, 0];
  for (const problem of problems) {
    const asked = askedPassage(problem.prompt);
    if (asked === undefined)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot study sessions on problem ${problem.problemId}: expected a passage with questions, got another problem. Give passages as {"passage", "questions"}.`,
      );
    const sessions = new SessionAdapters(settings.executor, settings.sessions, settings.clock);
    for (const message of sentencesOf(asked)) {
      if (settings.signal?.aborted)
        throw new SeamError('ABORTED', 'Cannot finish the study of sessions: it was stopped.');
      const startedMs = performance.now();
      const lesson = await sessions.tell(problem.problemId, message, settings.signal);
      messages++;
      if (lesson !== 'learned') continue;
      trainings++;
      trainingMs += performance.now() - startedMs;
    }
    pairs.push({
      frozen: await ask(problem, asked, settings.executor, settings),
      adapted: await ask(problem, asked, sessions.modelOf(problem.problemId), settings),
    });
    settings.onSession?.(pairs.length, problems.length);
  }
  const of = (value: (each: Answered) => number, side: 'frozen' | 'adapted'): number =>
    mean(pairs.map((pair) => value(pair[side])));
  return {
    ...{ sessions: pairs.length, messages, trainings, gain: gainOf(pairs) },
    frozen: of(({ accuracy }) => accuracy, 'frozen'),
    adapted: of(({ accuracy }) => accuracy, 'adapted'),
    secondsPerTraining: trainings === 0 ? 0 : trainingMs / trainings / 1000,
    secondsPerMessage: messages === 0 ? 0 : trainingMs / messages / 1000,
    answeringSeconds: {
      frozen: of(({ seconds }) => seconds, 'frozen'),
      adapted: of(({ seconds }) => seconds, 'adapted'),
    },
  };
}

function gainOf(pairs: readonly { readonly frozen: Answered; readonly adapted: Answered }[]): SessionGain {
  const likelihoods = pairs.flatMap(({ frozen, adapted }) =>
    frozen.logLikelihood === null || adapted.logLikelihood === null
      ? []
      : [adapted.logLikelihood - frozen.logLikelihood],
  );
  return {
    accuracy: boundedMean(
      pairs.map(({ frozen, adapted }) => adapted.accuracy - frozen.accuracy),
      [-1, 1],
    )!,
    logLikelihood: likelihoods.length === 0 ? null : bootstrapMean(likelihoods, Random.of('sessions study')),
  };
}

/** A message is a sentence, or a paragraph of several short lines. */
export function sentencesOf({ passage }: Pick<AskedPassage, 'passage'>): readonly string[] {
  const paragraphs = passage.split(/\n{2,}/);
  const parts = paragraphs.flatMap((each) => (each.includes('\n') ? [each] : each.split(/(?<=[.!?]) /)));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

async function ask(
  problem: Problem,
  { questions }: AskedPassage,
  model: SessionModel,
  { executor: { controlTokens }, prompts, verifiers, signal }: SessionsStudySettings,
): Promise<Answered> {
  const startedMs = performance.now();
  const answer = await passageAnswers(model, questions, { prompts, controlTokens, drawing: null, seed: '', signal });
  const seconds = (performance.now() - startedMs) / 1000;
  if (answer.status === 'failed')
    throw new SeamError(
      'SESSION_FAILED',
      `Cannot study sessions: problem ${problem.problemId} could not be answered (${answer.code}: ${answer.reason}).`,
    );
  const { reward: accuracy } = await judge(problem, answer, verifiers);
  const golds = goldAnswers(problem.reference);
  const scores =
    model.score === undefined || golds === undefined
      ? []
      : await passageScores(model, questions, golds, { prompts, controlTokens });
  const tokens = scores.reduce((sum, each) => sum + each.tokens, 0);
  const total = scores.reduce((sum, { logLikelihood }) => sum + logLikelihood, 0);
  return { accuracy, logLikelihood: tokens === 0 ? null : total / tokens, seconds };
}
