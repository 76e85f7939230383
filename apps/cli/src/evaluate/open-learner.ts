import type { ExecutorConfig } from '@seamstream/executor/config';
import type { GeneratorConfig } from '@seamstream/generator/config';
import type { TrainedModel } from '@seamstream/operations/cost';
import type { LearnerModel } from '@seamstream/operations/evaluate';

/** The configured executor's model, which can be trained. Closed with `onClose`. @throws as the executor's service does */
export async function openLearner(
  { executor }: Pick<ExecutorConfig, 'executor'>,
  environment: Readonly<Record<string, string | undefined>>,
  onClose: (close: () => Promise<void>) => void,
): Promise<LearnerModel> {
  const { loadPrompts } = await import('@seamstream/experience');
  const { openExecutor } = await import('@seamstream/model-clients');
  const { template, templatesFolder: ownTemplates, innerUpdate: update, rollouts: answersPerEntry } = executor;
  const prompts = await loadPrompts({ template, ownTemplates });
  const opened = await openExecutor(executor, { environment, prompts });
  onClose(() => opened.close());
  return { executor: opened.model, prompts, update, answersPerEntry, weights: opened.weights };
}

/** The generator's model on this machine, trained as the executor's is. Closed with `onClose`. @throws as the executor's service does */
export async function openTrainedWriter(
  { executor, generator }: Pick<ExecutorConfig, 'executor'> & Pick<GeneratorConfig, 'generator'>,
  environment: Readonly<Record<string, string | undefined>>,
  onClose: (close: () => Promise<void>) => void,
): Promise<TrainedModel> {
  const { loadPrompts } = await import('@seamstream/experience');
  const { openExecutor } = await import('@seamstream/model-clients');
  // Weights that the executor carries, and which model outcomes expect, are of another model.
  const { adapterFolder: _, expectedDigest: __, ...settings } = executor;
  const { modelFolder, chatTemplate } = generator;
  const prompts = await loadPrompts({ template: executor.template, ownTemplates: executor.templatesFolder });
  const choice = { ...settings, driver: 'checkpoint' as const, modelFolder, chatTemplate };
  const opened = await openExecutor(choice, { environment, prompts });
  onClose(() => opened.close());
  return opened.model;
}
