import type { ExecutorConfig } from '@seamstream/executor/config';
import type { GeneratorConfig } from '@seamstream/generator/config';
import type { TrainedModel } from '@seamstream/operations/cost';
import type { LearnerModel } from '@seamstream/operations/evaluate';

type Environment = Readonly<Record<string, string | undefined>>;
type OnClose = (close: () => Promise<void>) => void;

/** The configured executor's model, which can be trained. Closed with `onClose`. @throws as the executor's service does */
export async function openLearner(
  { executor }: Pick<ExecutorConfig, 'executor'>,
  environment: Environment,
  onClose: OnClose,
): Promise<LearnerModel> {
  const { model, prompts, weights } = await openPrompted(executor, environment, onClose);
  const { innerUpdate: update, rollouts: answersPerEntry } = executor;
  return { executor: model, prompts, update, answersPerEntry, weights };
}

/** The generator's model on this machine, trained as the executor's is. Closed with `onClose`. @throws as the executor's service does */
export async function openTrainedWriter(
  { executor, generator }: Pick<ExecutorConfig, 'executor'> & Pick<GeneratorConfig, 'generator'>,
  environment: Environment,
  onClose: OnClose,
): Promise<TrainedModel> {
  // Weights that the executor carries, and which model outcomes expect, are of another model.
  const { adapterFolder: _, expectedDigest: __, ...settings } = executor;
  const { modelFolder, chatTemplate } = generator;
  const { model } = await openPrompted(
    { ...settings, driver: 'checkpoint', modelFolder, chatTemplate },
    environment,
    onClose,
  );
  return model;
}

/** Loads code for models only now: most commands have none. */
async function openPrompted(executor: ExecutorConfig['executor'], environment: Environment, onClose: OnClose) {
  const { loadPrompts } = await import('@seamstream/experience');
  const { openExecutor } = await import('@seamstream/model-clients');
  const prompts = await loadPrompts({ template: executor.template, ownTemplates: executor.templatesFolder });
  const opened = await openExecutor(executor, { environment, prompts });
  onClose(() => opened.close());
  return { ...opened, prompts };
}
