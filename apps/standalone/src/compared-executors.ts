/**
 * Executors that a report of a world of attributes compares with the frozen one: the same base after it was trained itself, and another
 * checkpoint, which the generator never learned with.
 */
import { followPlan, planSchemaFor, randomPlan } from '@seamstream/attribute-world';
import { answerOnce, type Environment, PromptInjection } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor } from '@seamstream/model-clients';
import { OTHER_EXECUTOR, RESPONSE_TOKENS } from './demonstrations.js';
import type { Host } from './host-services.js';
import type { RecordedAttempt } from './recorded-attempts.js';
import { ANSWERED_BY, type AnsweredBy, EXAMPLES_OF, type ExecutorTraining, trainExecutor } from './trained-executor.js';

export interface ComparedExecutors {
  readonly trained: readonly {
    readonly by: AnsweredBy;
    readonly environment: Environment;
    readonly training: ExecutorTraining;
  }[];
  readonly other: Environment;
  close(): Promise<void>;
}

interface Settings {
  readonly host: Pick<Host, 'executor' | 'prompts'>;
  readonly seed: number;
  readonly say: (activity: string) => void;
}

/** @param recorded what the rounds brought */
export async function openComparedExecutors(
  recorded: readonly RecordedAttempt[],
  { host: { executor, prompts }, seed, say }: Settings,
): Promise<ComparedExecutors> {
  const trained: ComparedExecutors['trained'][number][] = [];
  for (const by of ANSWERED_BY) {
    const made = await trainExecutor(EXAMPLES_OF[by](recorded), {
      ...{ executor, prompts, seed: `executor/${seed}/${by}`, nowMs: () => performance.now() },
      onStep: (done, planned) => say(`training the executor itself on ${by}: step ${done}/${planned}`),
    });
    if (made !== null) trained.push({ by, ...made });
  }
  const model = await LanguageModel.load(OTHER_EXECUTOR);
  const other = new LanguageModelExecutor(model, { name: 'other executor', maxTokens: RESPONSE_TOKENS.attributes });
  return { trained, other: new PromptInjection(other, prompts), close: () => model.close() };
}

/**
 * Share of the problems that an executor answers exactly as a plan says, by plans that read their problem rightly and know nothing of the
 * lore: whether it can still be advised.
 */
export async function obedience(environment: Environment, problems: readonly Problem[]): Promise<number> {
  const plans = problems.map((problem) => randomPlan(problem, Random.of('obedience', problem.problemId)));
  const answers = await answerOnce(
    environment,
    problems.map((problem, at) => ({
      problem,
      entry: entryText(plans[at]!, planSchemaFor(problem.domain)!),
      seed: problem.problemId,
    })),
  );
  const obeyed = problems.filter((problem, at) => {
    const answer = answers[at]!;
    return answer.status === 'answered' && answer.text === followPlan(problem, plans[at]!);
  });
  return obeyed.length / problems.length;
}
