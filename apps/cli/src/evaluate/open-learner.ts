import type { ExecutorConfig } from '@seamstream/executor/config';
import type { LearnerModel } from '@seamstream/operations/evaluate';

/** The configured executor's model, which can be trained. Closed with `onClose`. @throws as the executor's service does */
export async function openLearner(
  { executor }: Pick<ExecutorConfig, 'executor'>,
  environment: Readonly<Record<string, string | undefined>>,
  onClose: (close: () => Promise<void>) => void,
): Promise<LearnerModel> {
  const { loadPrompts } = await import('@seamstream/experience');
  const { openExecutor } = await import('@seamstream/model-clients');
  const { template, templatesFolder: ownTemplates, innerUpdate: update } = executor;
  const prompts = await loadPrompts({ template, ownTemplates });
  const opened = await openExecutor(executor, { environment, prompts });
  onClose(() => opened.close());
  return { executor: opened.model, prompts, update, weights: opened.weights };
}
