import { type DynamicModule, Module } from '@nestjs/common';
import {
  type Environments,
  type ExecutorModel,
  environmentKind,
  openEnvironment,
  repeatedAnswers,
} from '@seamstream/environments';
import { GROUP, TOPIC } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { SeamError, systemClock } from '@seamstream/kernel';
import {
  executorBatches,
  longestBatchMs,
  type OpenedExecutor,
  openExecutor,
  openVerifiers,
} from '@seamstream/model-clients';
import { configuredReward } from '@seamstream/rollout';
import { RationedLines, type ServiceContext, type ServiceDefinition } from '@seamstream/service-kit';
import type { ExecutorConfig } from './config.js';
import { ExecuteExperiencesHandler } from './execute-experiences.handler.js';
import { ExperiencesConsumer } from './experiences.consumer.js';
import { assertFrozen, recordedTokens } from './frozen-executor.js';
import { OpenAnswers } from './open-answers.js';
import { SettleAnswersHandler } from './settle-answers.handler.js';
import { AnswersConsumer, FeedbackConsumer } from './settlement.consumers.js';

export { type ExecutorConfig, executorConfigSchema } from './config.js';
export { recordedTokens } from './frozen-executor.js';

/** What a host may bring along instead of having it loaded; what it brings, it closes. */
export interface ExecutorAssets {
  readonly executor?: ExecutorModel;
  readonly prompts?: Prompts;
  /** Among which the configuration names one; those of the library when absent. */
  readonly environments?: Environments;
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
    const opened = assets.executor === undefined ? await open(context, prompts, assets) : undefined;
    const executor = assets.executor ?? opened!.model;
    const choice = { ...config.executor, entrySchemas: config.entrySchemas };
    const once = openEnvironment(choice, executor, prompts, assets.environments);
    const environment = repeating === undefined ? once : repeatedAnswers(once, repeating);
    const { identity } = environment;
    await assertFrozen(drivers.log, identity, config.evidence);
    health.add({
      name: 'executor',
      check: async () => ({ model: identity.model, revision: identity.revision, ...opened?.status() }),
    });
    const { verifierEndpoints, codeLanguages, pythonPath, sandboxMemoryMb } = config.executor;
    const sandbox = { python: pythonPath, mostMemoryMb: sandboxMemoryMb };
    const verifiers = await openVerifiers(config.executor.judge, {
      ...{ environment: process.env, endpoints: verifierEndpoints, sandbox },
    });
    context.onClose(() => verifiers.close());
    await verifiers.proveSandbox(codeLanguages);
    const { url, ...endpoint } = config.executor.reward.endpoint;
    const reward = configuredReward(config.executor.reward, {
      environment,
      endpoint: url === undefined ? undefined : { url, ...endpoint },
    });
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
      environment,
      verifiers,
      reward,
      contents: new ProblemContents(drivers.log),
      paysLeaks: config.executor.leaks === 'rewarded',
      onLeak: () => leaks.inc(),
      onQuoting: (isFaithful) => quoting.inc({ faithful: String(isFaithful) }),
      schemaFor: assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas)),
      clock: systemClock,
      feedbackWithinMs: config.executor.feedbackWithinMs,
    });
    return {
      module: ExecutorModule,
      controllers: [ExperiencesConsumer, AnswersConsumer, FeedbackConsumer],
      providers: [
        { provide: ExecuteExperiencesHandler, useValue: handler },
        { provide: SettleAnswersHandler, useValue: settlement(context) },
      ],
    };
  }
}

function settlement({
  config,
  drivers,
  logger,
  metrics,
  onClose,
}: ServiceContext<ExecutorConfig>): SettleAnswersHandler {
  const settled = metrics.counter(
    'seam_answers_settled_total',
    'Answers without a verifier by what ended them (judged, ungraded), feedback that did not count by its reason, and foreign records.',
    ['result'],
  );
  const lines = new RationedLines(logger, onClose);
  const answers = new OpenAnswers(drivers.log, config.evidence, systemClock, (record) => {
    settled.inc({ result: 'foreign' });
    lines.warn(
      'foreign',
      { topic: TOPIC.answers, ...record },
      'record NOT BELIEVED; it waits for no feedback and ends no wait',
    );
  });
  return new SettleAnswersHandler({
    ...{ log: drivers.log, answers, lines },
    clock: systemClock,
    onSettled: (result) => settled.inc({ result }),
  });
}

/** @throws INVALID_CONFIGURATION where a batch may take longer than it is given */
function assertEndsInTime({ executor, consuming: { deadlineMs } }: ExecutorConfig): void {
  if (executor.driver === 'checkpoint') return;
  const longestMs = longestBatchMs(executor, executor.maxBatchRecords, executor.rollouts);
  if (longestMs <= deadlineMs) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot start the executor: expected a batch's deadline of at least ${longestMs} ms, for all rounds of its requests at their longest, the patience in an outage and the waits of the endpoint's limits, got ${deadlineMs} ms. Raise SEAM_CONSUMING_DEADLINE_MS or SEAM_EXECUTOR_ENDPOINT_CONCURRENCY, or lower SEAM_EXECUTOR_ENDPOINT_REQUEST_TIMEOUT_MS (with tools, SEAM_EXECUTOR_TOOLS_TIME_MS) or SEAM_EXECUTOR_ROLLOUTS.`,
  );
}

/** The executor that is configured, with its exchanges counted where it is an endpoint. */
async function open(
  context: ServiceContext<ExecutorConfig>,
  prompts: Prompts,
  { environments }: ExecutorAssets,
): Promise<OpenedExecutor> {
  const { config, drivers, logger, metrics, onClose } = context;
  const { driver, rollouts } = config.executor;
  const exchanges =
    driver !== 'checkpoint'
      ? metrics.counter('seam_endpoint_exchanges_total', "Requests to the executor's endpoint, by result.", ['result'])
      : undefined;
  const opened = await openExecutor(config.executor, {
    environment: process.env,
    environments,
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
    consumption: ({ executor }) => {
      const { maxBatchRecords, rollouts, attemptsAtOnce } = executor;
      const { trains = false } = environmentKind(executor.environment, assets.environments);
      const batches = executorBatches(executor, maxBatchRecords, rollouts, trains ? attemptsAtOnce : undefined);
      return { [GROUP.executor]: batches };
    },
  };
}
