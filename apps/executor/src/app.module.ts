import { type DynamicModule, Module } from '@nestjs/common';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { systemClock } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import { asDrawing, type ExecutorModel, executorIdentity, LanguageModelExecutor } from '@seamstream/rollout';
import type { ServiceContext, ServiceDefinition } from '@seamstream/service-kit';
import { Verifiers } from '@seamstream/verifiers';
import type { ExecutorConfig } from './config.js';
import { ExecuteExperiencesHandler } from './execute-experiences.handler.js';
import { EXECUTOR_GROUP, ExperiencesConsumer } from './experiences.consumer.js';
import { assertFrozen } from './frozen-executor.js';

export { type ExecutorConfig, executorConfigSchema } from './config.js';
export { EXECUTOR_GROUP };

/** What a host may bring along instead of having it loaded; what it brings, it closes. */
export interface ExecutorAssets {
  readonly executor?: ExecutorModel;
  readonly prompts?: Prompts;
  readonly schemaFor?: EntrySchemas;
}

@Module({})
export class ExecutorModule {
  static async forRoot(context: ServiceContext<ExecutorConfig>, assets: ExecutorAssets = {}): Promise<DynamicModule> {
    const { config, drivers, health } = context;
    const { rollouts, rolloutTemperature: temperature, rolloutTopP: topP } = config.executor;
    const repeating = rollouts === 1 ? undefined : { rollouts, temperature, topP };
    const greedy = assets.executor ?? (await loadExecutor(context));
    const executor = repeating === undefined ? greedy : asDrawing(greedy, repeating);
    const prompts = assets.prompts ?? (await loadPrompts());
    const identity = executorIdentity(executor, prompts);
    await assertFrozen(drivers.log, identity);
    health.add({ name: 'executor', check: async () => ({ model: identity.model, revision: identity.revision }) });
    const { verifierEndpoints, codeLanguages, pythonPath } = config.executor;
    const verifiers = new Verifiers({ endpoints: verifierEndpoints, sandbox: { python: pythonPath } });
    context.onClose(() => verifiers.close());
    await verifiers.proveSandbox(codeLanguages);
    const handler = new ExecuteExperiencesHandler({
      executor,
      prompts,
      verifiers,
      ...(repeating === undefined ? {} : { repeating }),
      schemaFor: assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas)),
      clock: systemClock,
    });
    return {
      module: ExecutorModule,
      controllers: [ExperiencesConsumer],
      providers: [{ provide: ExecuteExperiencesHandler, useValue: handler }],
    };
  }
}

async function loadExecutor({ config, onClose }: ServiceContext<ExecutorConfig>): Promise<ExecutorModel> {
  const { modelFolder, threads, name, maxTokens, expectedDigest } = config.executor;
  const model = await LanguageModel.load(modelFolder, { threads });
  onClose(() => model.close());
  return new LanguageModelExecutor(model, {
    name,
    maxTokens,
    ...(expectedDigest === undefined ? {} : { expectedDigest }),
  });
}

/** The executor as a service: experiences in, outcomes out. */
export function executorService(assets: ExecutorAssets = {}): ServiceDefinition<ExecutorConfig> {
  return {
    name: 'executor',
    module: (context) => ExecutorModule.forRoot(context, assets),
    consumption: ({ executor }) => ({ [EXECUTOR_GROUP]: { maxBatchRecords: executor.maxBatchRecords } }),
  };
}
