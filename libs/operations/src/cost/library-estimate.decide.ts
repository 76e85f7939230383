/**
 * What a run that brings a library on will take: calls, tokens and time of its three stages. Pure.
 *
 *   calls of a stage  = what its plan asks · tries
 *   tries             = Σ k < most (1 − p)ᵏ = (1 − (1 − p)^most) / p      p: share of the stage's recorded replies that could be read
 *   tokens of a stage = calls · mean of the recorded replies of the stage, or what the templates and the limits leave as an assumption
 *   error             = 1.96 · √( Σ stages calls² · s² / n + calls · s² ) / tokens     s, n of the recorded replies of a stage
 *
 * The error is that of the lengths of replies alone. That problems, groups, tries or a library differ from the recorded ones is not in it.
 */
import { SeamError } from '@seamstream/kernel';
import { mean } from '@seamstream/statistics';

export const LIBRARY_STAGES = ['summary', 'advantage', 'consolidation'] as const;
export type LibraryStage = (typeof LIBRARY_STAGES)[number];

export interface LibraryRunPlan {
  /** Groups that count: with groundTruth those with both verdicts. */
  readonly groups: number;
  /** Attempts at a problem, in the mean. */
  readonly groupSize: number;
  readonly epochs: number;
  /** Groups of one step. */
  readonly batchSize: number;
  /** What is read of a group: all of its attempts, one, or none. */
  readonly evidence: 'groups' | 'attempts' | 'problems';
  readonly maxOperations: number;
  readonly maxWords: number;
  /** Most tokens of a reply. */
  readonly maxTokens: number;
  /** Most tries of a reply that cannot be read. */
  readonly attempts: number;
  /** Of an attempt: problem, entry and response together; null: not said. */
  readonly trajectoryTokens: number | null;
}

/** What a recorded reply took. */
export interface ReplyFigures {
  readonly stage: LibraryStage;
  readonly promptTokens: number;
  readonly responseTokens: number;
  /** Whether it could be used; otherwise it was asked for again. */
  readonly isRead: boolean;
}

type UsedTokens = Pick<ReplyFigures, 'promptTokens' | 'responseTokens'>;

/** What the log has of runs: replies, and how long the model took. */
export interface RecordedRuns {
  readonly replies: readonly ReplyFigures[];
  /** Whether the model of the estimate wrote them. Another's lengths say nothing of the error. */
  readonly isOwn: boolean;
  /** Tokens that were written in a second; null where nothing says it. */
  readonly tokensPerSecond: number | null;
}

interface StageEstimate {
  readonly calls: number;
  readonly promptTokens: number;
  readonly responseTokens: number;
  /** Recorded replies that it rests on; 0: an assumption. */
  readonly replies: number;
}

export interface LibraryEstimate {
  readonly stages: Readonly<Record<LibraryStage, StageEstimate>>;
  readonly calls: number;
  readonly promptTokens: number;
  readonly responseTokens: number;
  /** Half the width of a 95 % interval of all tokens, as a share; null where a stage rests on an assumption. */
  readonly error: number | null;
  /** Null where no speed is known. */
  readonly seconds: number | null;
}

/** Tokens of the templates without material, and of the list of a library, at four characters a token. */
const TEMPLATE_TOKENS: Readonly<Record<LibraryStage, number>> = { summary: 200, advantage: 350, consolidation: 400 };
/** Of an account of 120 words. */
const ACCOUNT_TOKENS = 160;
const TOKENS_A_WORD = 4 / 3;
/** Of an operation besides its text: names of fields, an id, a reason. */
const OPERATION_TOKENS = 40;
const NORMAL_95 = 1.96;

/** @throws INVALID_INPUT where neither the log nor the plan says how long an attempt is */
export function estimateLibraryRun(plan: LibraryRunPlan, recorded: RecordedRuns): LibraryEstimate {
  const planned = plannedCalls(plan);
  const repliesOf = Map.groupBy(recorded.replies, ({ stage }) => stage);
  const stages = Object.fromEntries(
    LIBRARY_STAGES.map((stage) => {
      const replies = repliesOf.get(stage) ?? [];
      const calls = Math.round(planned[stage] * triesOf(replies, plan.attempts));
      const { promptTokens, responseTokens } = replies.length === 0 ? assumed(stage, plan) : meanOf(replies);
      return [
        stage,
        {
          ...{ calls, replies: replies.length },
          promptTokens: Math.round(calls * promptTokens),
          responseTokens: Math.round(calls * responseTokens),
        },
      ];
    }),
  ) as Record<LibraryStage, StageEstimate>;
  const isMeasured =
    recorded.isOwn && LIBRARY_STAGES.every((stage) => stages[stage].calls === 0 || stages[stage].replies >= 2);
  const variance = LIBRARY_STAGES.reduce(
    (total, stage) => total + varianceOf(stages[stage].calls, repliesOf.get(stage) ?? []),
    0,
  );
  const sum = (field: 'calls' | 'promptTokens' | 'responseTokens'): number =>
    LIBRARY_STAGES.reduce((total, stage) => total + stages[stage][field], 0);
  const [promptTokens, responseTokens] = [sum('promptTokens'), sum('responseTokens')];
  const tokens = promptTokens + responseTokens;
  const { tokensPerSecond } = recorded;
  return {
    stages,
    calls: sum('calls'),
    ...{ promptTokens, responseTokens },
    error: isMeasured && tokens > 0 ? (NORMAL_95 * Math.sqrt(variance)) / tokens : null,
    seconds: tokensPerSecond === null ? null : responseTokens / tokensPerSecond,
  };
}

/** Of one question; 1 where nothing is known. */
function triesOf(replies: readonly ReplyFigures[], most: number): number {
  if (replies.length === 0) return 1;
  const read = replies.filter(({ isRead }) => isRead).length / replies.length;
  return read === 0 ? most : (1 - (1 - read) ** most) / read;
}

/** Calls where every reply can be read: an account of each attempt, advice of each group, a consolidation of each batch. */
function plannedCalls({
  groups,
  groupSize,
  epochs,
  batchSize,
  evidence,
}: LibraryRunPlan): Readonly<Record<LibraryStage, number>> {
  const read = { groups: groupSize, attempts: 1, problems: 0 }[evidence];
  return {
    summary: groups * read * epochs,
    advantage: groups * epochs,
    consolidation: Math.ceil(groups / batchSize) * epochs,
  };
}

function assumed(stage: LibraryStage, plan: LibraryRunPlan): UsedTokens {
  const { trajectoryTokens, maxTokens, maxOperations, maxWords, batchSize, groups, groupSize } = plan;
  if (trajectoryTokens === null)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate the stage ${stage}: expected its replies in the log, or the length of an attempt, got neither. Say how many tokens problem, entry and response of an attempt have (--trajectory-tokens).`,
    );
  const operation = maxWords * TOKENS_A_WORD + OPERATION_TOKENS;
  const prompt: Readonly<Record<LibraryStage, number>> = {
    summary: trajectoryTokens,
    advantage: trajectoryTokens + groupSize * ACCOUNT_TOKENS,
    consolidation: Math.min(batchSize, groups) * maxOperations * operation,
  };
  const written = stage === 'summary' ? ACCOUNT_TOKENS : maxOperations * operation;
  return { promptTokens: TEMPLATE_TOKENS[stage] + prompt[stage], responseTokens: Math.min(maxTokens, written) };
}

function meanOf(replies: readonly ReplyFigures[]): UsedTokens {
  return {
    promptTokens: mean(replies.map((each) => each.promptTokens)),
    responseTokens: mean(replies.map((each) => each.responseTokens)),
  };
}

/** Variance of the tokens of so many calls, whose mean is estimated from recorded replies; 0 without any. */
function varianceOf(calls: number, replies: readonly ReplyFigures[]): number {
  if (replies.length < 2) return 0;
  const tokens = replies.map(({ promptTokens, responseTokens }) => promptTokens + responseTokens);
  const centre = mean(tokens);
  const spread = tokens.reduce((total, each) => total + (each - centre) ** 2, 0) / (tokens.length - 1);
  return calls ** 2 * (spread / tokens.length) + calls * spread;
}
