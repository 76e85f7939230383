/** Models of the process besides those that its services serve. */
import type { ExecutorConfig } from '@seamstream/executor/config';
import type { GeneratorConfig } from '@seamstream/generator/config';
import type { CommandRuntime } from '../command-runtime.js';
import { openLearner, openTrainedWriter } from './open-learner.js';

interface ProcessWorld {
  environment(): Readonly<Record<string, string | undefined>>;
  /** As the services are configured. */
  loadAll(): Promise<GeneratorConfig & ExecutorConfig>;
  onClose(close: () => Promise<void>): void;
}

export function modelDoors(
  world: ProcessWorld,
): Pick<CommandRuntime, 'openLearner' | 'openTrainedWriter' | 'editSampling' | 'openCheckpoint' | 'openVerifiers'> {
  return {
    openLearner: async () => openLearner(await world.loadAll(), world.environment(), (close) => world.onClose(close)),
    openTrainedWriter: async () =>
      openTrainedWriter(await world.loadAll(), world.environment(), (close) => world.onClose(close)),
    editSampling: async () => (await world.loadAll()).generator.sampling,
    async openCheckpoint(folder, name) {
      const { fromNamedFolder, LanguageModel } = await import('@seamstream/language-model');
      const { threads, executionProvider, cacheMib, chatTemplate } = (await world.loadAll()).generator;
      const settings = { threads, executionProvider, cacheBytes: cacheMib * 2 ** 20, chatTemplate };
      const model = await fromNamedFolder(name, folder, LanguageModel.load(folder, settings));
      world.onClose(() => model.close());
      return model;
    },
    async openVerifiers() {
      const { openVerifiers } = await import('@seamstream/model-clients');
      const { judge } = (await world.loadAll()).executor;
      const verifiers = await openVerifiers(judge, { environment: world.environment() });
      world.onClose(() => verifiers.close());
      return verifiers;
    },
  };
}
