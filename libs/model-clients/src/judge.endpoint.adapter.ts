/** A model behind an endpoint that says whether answers mean what their references say. */

import { asOneRevision } from '@seamstream/events';
import { afterThinking, PromptTemplate } from '@seamstream/experience';
import { quoted } from '@seamstream/experience-library';
import { SeamError, systemClock } from '@seamstream/kernel';
import {
  chatCompletionSchema,
  chatRequest,
  chatUsage,
  DEFAULT_LIMITS,
  EndpointClient,
  reportedRevision,
  worstCase,
} from '@seamstream/openai-endpoint';
import type { AnswerJudge, JudgedMeaning, JudgingTask } from '@seamstream/verifiers';
import { z } from 'zod';
import { connectionShape } from './executor.config.js';
import { keyOf } from './open-executor.js';

const positive = z.int().positive();

/** SEAM_EXECUTOR_JUDGE_… (of a trainer SEAM_TRAINER_EXECUTOR_JUDGE_…): the model that judges problems with judge@1. */
export const judgeSchema = z
  .object({
    ...connectionShape,
    /** Most tokens of a verdict, with what the model thinks before it. */
    maxTokens: positive.default(512),
    /** How the server calls the most tokens of an answer. */
    maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    /** Tries of a verdict that cannot be read. */
    attempts: z.int().min(1).max(10).default(3),
    /** Most requests at a time. */
    concurrency: positive.default(DEFAULT_LIMITS.concurrency),
    /** Longest wait for an answer to one request. */
    requestTimeoutMs: positive.max(300_000).default(30_000),
    /** Most tokens that one process may use, of prompts and answers; no limit when absent. */
    budgetTokens: positive.optional(),
  })
  .refine(({ url, model }) => (url === undefined) === (model === undefined), {
    path: ['model'],
    error: 'expected both the address and the name of the model, or neither',
  })
  .prefault({});

export type JudgeChoice = z.infer<typeof judgeSchema>;

/** A verdict: the last line that has text, behind the model's thinking. */
const VERDICT = /^[^\p{L}\p{N}]*(correct|incorrect)[^\p{L}\p{N}]*$/iu;

/** Asks one model. Equal tasks are asked at temperature 0, so that verdicts do not depend on chance. */
export class EndpointJudge implements AnswerJudge {
  private constructor(
    private readonly client: EndpointClient,
    private readonly choice: JudgeChoice & { readonly model: string },
    private readonly template: PromptTemplate<'question' | 'reference' | 'answer'>,
  ) {}

  /**
   * Nothing is asked before the first answer is to be judged.
   * @param environment of the process: the key is in it
   * @param setting names the variable of the key
   * @returns undefined where no model is configured
   * @throws INVALID_CONFIGURATION for a variable that is not set
   */
  static async open(
    choice: JudgeChoice,
    environment: Readonly<Record<string, string | undefined>>,
    setting = 'SEAM_EXECUTOR_JUDGE_KEY_VARIABLE',
  ): Promise<EndpointJudge | undefined> {
    const { url, model, keyVariable, concurrency, requestTimeoutMs, budgetTokens } = choice;
    if (url === undefined || model === undefined) return undefined;
    const client = new EndpointClient(
      {
        url,
        ...keyOf(keyVariable, setting, environment),
        limits: { ...DEFAULT_LIMITS, concurrency, requestTimeoutMs },
        budget: { tokens: budgetTokens ?? null, money: null, promptPrice: 0, responsePrice: 0 },
      },
      { clock: systemClock, chance: Math.random },
    );
    const file = new URL('../templates/judge.txt', import.meta.url);
    const template = await PromptTemplate.load(file, ['question', 'reference', 'answer']);
    return new EndpointJudge(client, { ...choice, model }, template);
  }

  /** @throws VERIFIER_FAILED where no verdict can be read; BUDGET_SPENT, ENDPOINT_UNAVAILABLE and others of the endpoint; ABORTED */
  async judge(task: JudgingTask, signal?: AbortSignal): Promise<JudgedMeaning> {
    const { model, maxTokens, maxTokensField, attempts } = this.choice;
    const prompt = this.template.render({
      question: quoted(task.question),
      reference: quoted(task.reference),
      answer: quoted(task.answer),
    });
    const decoding = { temperature: 0, topP: 1, maxTokens, maxTokensField, seed: null, stop: [], extraBody: {} };
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const result = await this.client.ask(
        {
          ...{ method: 'POST', path: 'chat/completions', schema: chatCompletionSchema, usage: chatUsage },
          body: chatRequest(model, [{ role: 'user', content: prompt }], decoding),
          worst: worstCase([prompt], maxTokens),
        },
        signal,
      );
      if (result.kind === 'failed') throw new SeamError(result.code, `Cannot judge an answer: ${result.reason}`);
      const [choice] = result.value.choices;
      const word = choice!.finish_reason === 'stop' ? verdictIn(choice!.message.content ?? '') : undefined;
      if (word === undefined) continue;
      const reported = reportedRevision(model, result.value, null);
      const revision = reported === null ? null : asOneRevision(reported);
      const judge = revision === null ? model : `${model} (${revision})`;
      return { success: word === 'correct', detail: `judged ${word} by ${judge}`, judgedBy: { model, revision } };
    }
    throw new SeamError(
      'VERIFIER_FAILED',
      `Cannot judge an answer: expected CORRECT or INCORRECT from ${model}, got neither in ${attempts} answers.`,
    );
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function verdictIn(reply: string): 'correct' | 'incorrect' | undefined {
  const said = afterThinking(reply).trimEnd();
  return VERDICT.exec(said.slice(said.lastIndexOf('\n') + 1))?.[1]?.toLowerCase() as
    | 'correct'
    | 'incorrect'
    | undefined;
}
