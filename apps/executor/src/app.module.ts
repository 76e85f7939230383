import { type DynamicModule, Module } from '@nestjs/common';
import { GROUP } from '@seamstream/events';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { SeamError, systemClock } from '@seamstream/kernel';
import { executorBatches, longestBatchMs, type OpenedExecutor, openExecutor } from '@seamstream/model-clients';
import { type ExecutorModel, executorIdentity, toSamplingParams } from '@seamstream/rollout';
import type { ServiceContext, ServiceDefinition } from '@seamstream/service-kit';
import { Verifiers } from '@seamstream/verifiers';
import type { ExecutorConfig } from './config.js';
import { ExecuteExperiencesHandler } from './execute-experiences.handler.js';
import { ExperiencesConsumer } from './experiences.consumer.js';
import { assertFrozen, recordedTokens } from './frozen-executor.js';

export { type ExecutorConfig, executorConfigSchema } from './config.js';
export { recordedTokens } from './frozen-executor.js';

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
    assertEndsInTime(config);
    const { rollouts, rolloutTemperature: temperature, rolloutTopP: topP } = config.executor;
    const repeating = rollouts === 1 ? undefined : { rollouts, temperature, topP };
    const { template, templatesFolder: ownTemplates } = config.executor;
    const prompts = assets.prompts ?? (await loadPrompts({ template, ownTemplates }));
    const opened = assets.executor === undefined ? await open(context, prompts) : undefined;
    const greedy = assets.executor ?? opened!.model;
    const executor = repeating === undefined ? greedy : toSamplingParams(greedy, repeating);
    const identity = executorIdentity(executor, prompts);
    await assertFrozen(drivers.log, identity);
    health.add({
      name: 'executor',
      check: async () => ({ model: identity.model, revision: identity.revision, ...opened?.status() }),
    });
    const { verifierEndpoints, codeLanguages, pythonPath, sandboxMemoryMb } = config.executor;
    const sandbox = { python: pythonPath, mostMemoryMb: sandboxMemoryMb };
    const verifiers = new Verifiers({ endpoints: verifierEndpoints, sandbox });
    context.onClose(() => verifiers.close());
    await verifiers.proveSandbox(codeLanguages);
    const leaks = context.metrics.counter(
      'seam_leaking_entries_total',
      'Successes that earned no reward, since their entries give the answer away.',
    );
    const quoting = context.metrics.counter(
      'seam_quoting_entries_total',
      'Entries that were to quote their problem, by whether all that they quote stands there.',
      ['faithful'],
    );
    const handler = new ExecuteExperiencesHandler({
      executor,
      prompts,
      verifiers,
      paysLeaks: config.executor.leaks === 'rewarded',
      onLeak: () => leaks.inc(),
      onQuoting: (isFaithful) => quoting.inc({ faithful: String(isFaithful) }),
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

/** @throws INVALID_CONFIGURATION where a batch may take longer than it is given */
function assertEndsInTime({ executor, consuming: { deadlineMs } }: ExecutorConfig): void {
  if (executor.driver !== 'endpoint') return;
  const longestMs = longestBatchMs(executor, executor.maxBatchRecords, executor.rollouts);
  if (longestMs <= deadlineMs) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Starting the executor: expected a batch's deadline of at least ${longestMs} ms, for all rounds of its requests at their longest, the patience in an outage and the waits of the endpoint's limits, came ${deadlineMs}. Raise SEAM_CONSUMING_DEADLINE_MS or SEAM_EXECUTOR_ENDPOINT_CONCURRENCY, or lower SEAM_EXECUTOR_ENDPOINT_REQUEST_TIMEOUT_MS or SEAM_EXECUTOR_ROLLOUTS.`,
  );
}

/** The executor that is configured, with its exchanges counted where it is an endpoint. */
async function open(context: ServiceContext<ExecutorConfig>, prompts: Prompts): Promise<OpenedExecutor> {
  const { config, drivers, logger, metrics, onClose } = context;
  const { driver, rollouts } = config.executor;
  const exchanges =
    driver === 'endpoint'
      ? metrics.counter('seam_endpoint_exchanges_total', "Requests to the executor's endpoint by what came of them.", [
          'result',
        ])
      : undefined;
  const opened = await openExecutor(config.executor, {
    environment: process.env,
    prompts,
    // An outcome holds the tokens of one of its answers.
    spentBefore: async (model) => recordedTokens(drivers.log, model, rollouts),
    onNotice: (message) => logger.warn({}, message),
    onExchange: (result) => exchanges?.inc({ result }),
  });
  onClose(() => opened.close());
  return opened;
}

/** The executor as a service: experiences in, outcomes out. */
export function executorService(assets: ExecutorAssets = {}): ServiceDefinition<ExecutorConfig> {
  return {
    name: 'executor',
    module: (context) => ExecutorModule.forRoot(context, assets),
    consumption: ({ executor }) => ({
      [GROUP.executor]: executorBatches(executor, executor.maxBatchRecords, executor.rollouts),
    }),
  };
}
