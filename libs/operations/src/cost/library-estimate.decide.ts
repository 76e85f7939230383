/**
 * What a run that brings a library on will take: calls, tokens and time of its three stages. Pure.
 *
 *   calls of a stage  = what its plan asks · tries
 *   tries             = Σ k < most (1 − p)ᵏ = (1 − (1 − p)^most) / p      p: share of the stage's recorded replies that could be read
 *   tokens of a stage = calls · mean of the recorded replies of the stage, or as an assumption what the templates, the limits and the
 *                       recorded replies of the stages before leave
 *   error             = 1.96 · √( Σ stages calls² · s² / n + calls · s² ) / tokens     s, n of the recorded replies of a stage
 *
 * Each stage says what it rests on. The error is that of the lengths of replies alone, and only where all stages rest on replies of the
 * model. That problems, groups, tries or a library differ from the recorded ones is not in it.
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
  /** Stages whose replies another model wrote. Its lengths say nothing of the error. */
  readonly ofOthers: readonly LibraryStage[];
  /** Tokens that were written in a second; null where nothing says it. */
  readonly tokensPerSecond: number | null;
}

/** What a stage rests on: replies of the model, replies of another one, an assumption, or nothing, since it is not asked. */
export type StageBasis = 'own' | 'others' | 'assumed' | 'unasked';

export interface StageEstimate {
  readonly calls: number;
  readonly promptTokens: number;
  readonly responseTokens: number;
  readonly basis: StageBasis;
  /** Recorded replies that it rests on. */
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
    LIBRARY_STAGES.map((stage): [LibraryStage, StageEstimate] => {
      const replies = repliesOf.get(stage) ?? [];
      const calls = Math.round(planned[stage] * triesOf(replies, plan.attempts));
      const basis = basisOf(calls, replies, recorded.ofOthers.includes(stage));
      if (basis === 'unasked') return [stage, { calls, promptTokens: 0, responseTokens: 0, basis, replies: 0 }];
      const each = basis === 'assumed' ? assumed(stage, plan, repliesOf) : meanOf(replies);
      const [promptTokens, responseTokens] = [each.promptTokens, each.responseTokens].map((one) =>
        Math.round(calls * one),
      ) as [number, number];
      return [stage, { calls, promptTokens, responseTokens, basis, replies: replies.length }];
    }),
  ) as Record<LibraryStage, StageEstimate>;
  const isMeasured = LIBRARY_STAGES.every((stage) => isCertain(stages[stage]));
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

function basisOf(calls: number, replies: readonly ReplyFigures[], isOfOthers: boolean): StageBasis {
  if (calls === 0) return 'unasked';
  if (replies.length === 0) return 'assumed';
  return isOfOthers ? 'others' : 'own';
}

/** Whether the error of a stage is known: one reply does not say how far others differ from it. */
export function isCertain({ basis, replies }: Pick<StageEstimate, 'basis' | 'replies'>): boolean {
  return basis === 'unasked' || (basis === 'own' && replies >= 2);
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
  return {
    summary: groups * readOf({ evidence, groupSize }) * epochs,
    advantage: groups * epochs,
    consolidation: Math.ceil(groups / batchSize) * epochs,
  };
}

/** Attempts of a group that are read. */
function readOf({ evidence, groupSize }: Pick<LibraryRunPlan, 'evidence' | 'groupSize'>): number {
  return { groups: groupSize, attempts: 1, problems: 0 }[evidence];
}

/** Of one call. What a stage before wrote is part of its prompt: where that is recorded, its length is known. */
function assumed(
  stage: LibraryStage,
  plan: LibraryRunPlan,
  repliesOf: ReadonlyMap<LibraryStage, readonly ReplyFigures[]>,
): UsedTokens {
  const { maxTokens, maxOperations, maxWords, batchSize, groups } = plan;
  const recorded = (of: LibraryStage): UsedTokens | undefined => {
    const replies = repliesOf.get(of);
    return replies === undefined ? undefined : meanOf(replies);
  };
  const [account, advice] = [recorded('summary'), recorded('advantage')];
  const trajectoryTokens =
    plan.trajectoryTokens ??
    (account === undefined ? null : Math.max(0, account.promptTokens - TEMPLATE_TOKENS.summary));
  if (trajectoryTokens === null && stage !== 'consolidation')
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate the stage ${stage}: expected its replies in the log, or the length of an attempt, got neither. Say how many tokens problem, entry and response of an attempt have (--trajectory-tokens).`,
    );
  const operations = maxOperations * (maxWords * TOKENS_A_WORD + OPERATION_TOKENS);
  const prompt: Readonly<Record<LibraryStage, number>> = {
    summary: trajectoryTokens ?? 0,
    advantage: (trajectoryTokens ?? 0) + readOf(plan) * (account?.responseTokens ?? ACCOUNT_TOKENS),
    consolidation: Math.min(batchSize, groups) * (advice?.responseTokens ?? operations),
  };
  const written = stage === 'summary' ? ACCOUNT_TOKENS : operations;
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
