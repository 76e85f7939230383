import type { Prompts } from '@seamstream/experience';
import type { Environment } from './environment.port.js';
import type { ExecutorModel } from './executor-model.port.js';
import { PromptInjection } from './prompt-injection.js';
import type { SessionModel } from './session-adapters.js';

/** How a session's requests are answered: as the frozen executor's with an entry in the prompt, by the session's model. */
export function sessionEnvironment(executor: ExecutorModel, prompts: Prompts): (model: SessionModel) => Environment {
  const { identity, controlTokens = [], chats = false } = executor;
  return (model) =>
    new PromptInjection({ identity, controlTokens, chats, answer: (...asked) => model.answer(...asked) }, prompts);
}
