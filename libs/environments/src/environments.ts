/** Which environments there are, by the name that configurations give. Nothing else asks for a name. */
import type { Prompts } from '@seamstream/experience';
import { promptText } from '@seamstream/grid-tasks';
import { SeamError } from '@seamstream/kernel';
import type { Environment, EnvironmentChoice } from './environment.port.js';
import type { ExecutorModel } from './executor-model.port.js';
import { FewShotLoraUpdate } from './few-shot-lora-update.js';
import { InnerLoraUpdate } from './inner-lora-update.js';
import { PromptInjection } from './prompt-injection.js';

export interface EnvironmentKind {
  /** The environment over a frozen executor. @throws INVALID_CONFIGURATION for what it cannot act by */
  open(executor: ExecutorModel, prompts: Prompts, choice: Omit<EnvironmentChoice, 'environment'>): Environment;
  /** The shortest prompts that it asks, one of each kind: a model that cannot hold them is refused before the first problem. */
  shortestPrompts(prompts: Prompts): readonly string[];
  /** Whether it trains the executor, by the settings of inner updates; absent: it does not. */
  readonly trains?: true;
}

export type Environments = Readonly<Record<string, EnvironmentKind>>;

/** As short as a problem can be. */
const SHORTEST = '?';

export const ENVIRONMENTS: Environments = {
  'prompt-injection': {
    open: (executor, prompts) => new PromptInjection(executor, prompts),
    shortestPrompts: (prompts) => [null, '{}'].map((entry) => prompts.executor(SHORTEST, entry)),
  },
  'inner-lora-update': {
    open: (executor, prompts, choice) => InnerLoraUpdate.open(executor, prompts, choice),
    shortestPrompts: (prompts) => [prompts.executor(SHORTEST, null)],
    trains: true,
  },
  'few-shot-lora-update': {
    open: (executor, _, choice) => FewShotLoraUpdate.open(executor, choice),
    shortestPrompts: () => [promptText([{ input: [[0]], output: [[0]] }], [[0]])],
    trains: true,
  },
};

/** @throws INVALID_CONFIGURATION for an unknown name */
export function environmentKind(name: string, environments: Environments = ENVIRONMENTS): EnvironmentKind {
  const kind = Object.hasOwn(environments, name) ? environments[name] : undefined;
  if (kind !== undefined) return kind;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot open environment "${name}": expected one of ${Object.keys(environments).join(', ')}. Set SEAM_EXECUTOR_ENVIRONMENT (of a trainer, SEAM_TRAINER_EXECUTOR_ENVIRONMENT) to one of them.`,
  );
}

/** The environment that is chosen, over a frozen executor. @throws INVALID_CONFIGURATION for an unknown name, and as the environment */
export function openEnvironment(
  choice: EnvironmentChoice,
  executor: ExecutorModel,
  prompts: Prompts,
  environments: Environments = ENVIRONMENTS,
): Environment {
  return environmentKind(choice.environment, environments).open(executor, prompts, choice);
}
