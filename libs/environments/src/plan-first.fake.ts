/**
 * A second way for an experience to act, for tests: in a first turn the executor makes a plan guided by the entry, in a
 * second one it solves the problem guided by its plan. The entry is not shown to the second turn.
 */
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import { givesAnswerAway, type Prompts } from '@seamstream/experience';
import { sha256 } from '@seamstream/kernel';
import { type Attempt, type AttemptOptions, type AttemptRequest, Environment } from './environment.port.js';
import type { EnvironmentKind } from './environments.js';
import type { ExecutorAnswer, ExecutorModel, SamplingParams } from './executor-model.port.js';

const PLAN = 'Plan, and do not solve: ';
const planPrompt = (problem: string, entry: string): string => `${PLAN}${problem}\nHint: ${entry}\nPlan:`;
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

class PlanFirst extends Environment {
  /** Of calls that were ended in their second turn: the plans of the first. */
  private readonly plans = new Map<string, ExecutorAnswer>();

  constructor(
    private readonly executor: ExecutorModel,
    private readonly prompts: Prompts,
    private readonly drawing: SamplingParams | null = null,
  ) {
    super();
  }

  override get identity(): ExecutorIdentity {
    const turns = sha256(planPrompt('', '')).slice(0, 16);
    return { ...this.executor.identity, template: `plan-first@${turns}/${this.prompts.executorTemplate}` };
  }

  override async attempt(
    requests: readonly AttemptRequest[],
    { signal, onProgress }: AttemptOptions = {},
  ): Promise<readonly Attempt[]> {
    const asked = requests.map(({ problem, entry, seeds }) => ({
      problem: problem.prompt,
      plan: entry === null ? null : planPrompt(problem.prompt, entry),
      seeds,
    }));
    const missing = distinct(asked.flatMap(({ plan }) => (plan === null || this.plans.has(plan) ? [] : [plan])));
    let tokens = 0;
    // No request is through after the first turn.
    const planned = await this.executor.answer(missing, signal, (told) => {
      tokens = told.tokens;
      onProgress?.({ ...told, answered: 0 });
    });
    missing.forEach((prompt, at) => this.plans.set(prompt, planned[at]!));
    const plans = asked.map(({ plan }) => (plan === null ? null : this.plans.get(plan)!));
    const solvable = asked.flatMap(({ problem, seeds }, at) => {
      const plan = plans[at];
      if (plan?.status === 'failed') return [];
      return [{ at, prompt: this.prompts.executor(problem, plan?.text ?? null), seeds }];
    });
    const answers = await this.solve(solvable, signal, (told) =>
      onProgress?.({ ...told, tokens: tokens + told.tokens }),
    );
    const solved = new Map(solvable.map(({ at }, place) => [at, answers[place]!]));
    this.plans.clear();
    return asked.map(({ seeds }, at) => {
      const plan = plans[at] ?? null;
      return solved.get(at)?.map((answer) => withTokensOf(plan, answer)) ?? seeds.map(() => plan!);
    });
  }

  private async solve(
    asked: readonly { readonly prompt: string; readonly seeds: readonly string[] }[],
    signal: AttemptOptions['signal'],
    onProgress: NonNullable<AttemptOptions['onProgress']>,
  ): Promise<readonly Attempt[]> {
    if (this.drawing !== null) return this.executor.sample!(asked, this.drawing, signal, onProgress);
    const answers = await this.executor.answer(
      asked.map(({ prompt }) => prompt),
      signal,
      onProgress,
    );
    return asked.map(({ seeds }, at) => seeds.map(() => answers[at]!));
  }

  override drawn(drawing: SamplingParams): Environment | null {
    return this.executor.sample === undefined ? null : new PlanFirst(this.executor, this.prompts, drawing);
  }

  override givesAnswerAway(entry: string, problem: Problem): boolean {
    return givesAnswerAway(entry, problem);
  }
}

function withTokensOf(plan: ExecutorAnswer | null, answer: ExecutorAnswer): ExecutorAnswer {
  if (plan?.status !== 'answered' || answer.status !== 'answered') return answer;
  const { promptTokens, responseTokens } = plan;
  return {
    ...answer,
    promptTokens: promptTokens + answer.promptTokens,
    responseTokens: responseTokens + answer.responseTokens,
  };
}

export const PLAN_FIRST = {
  open: (executor, prompts) => new PlanFirst(executor, prompts),
  shortestPrompts: (prompts) => [planPrompt('?', '{}'), prompts.executor('?', null)],
} satisfies EnvironmentKind;
