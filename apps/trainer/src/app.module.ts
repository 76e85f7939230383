import { type DynamicModule, Module } from '@nestjs/common';
import { GROUP } from '@seamstream/events';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { systemClock } from '@seamstream/kernel';
import { fromNamedFolder, LanguageModel, loadCheckpoint } from '@seamstream/language-model';
import { algorithms } from '@seamstream/learning';
import { openExecutor } from '@seamstream/model-clients';
import { type ExecutorModel } from '@seamstream/rollout';
import { assertCanSign, RationedLines, type ServiceContext, type ServiceDefinition } from '@seamstream/service-kit';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import { RolloutEvaluation } from './adapter-evaluation.rollout.adapter.js';
import type { TrainerConfig, TrainerServiceConfig } from './config.js';
import type { TrainingProgress } from './gradient-training.js';
import { OutcomesConsumer } from './outcomes.consumer.js';
import { PlanRunHandler } from './plan-run.handler.js';
import { PlanWindowsHandler } from './plan-windows.handler.js';
import { RunLeases } from './run-lease.js';
import { RunTraining } from './run-training.js';
import { TakeRuns } from './take-runs.js';
import { TrainOnDemandHandler } from './train-on-demand.handler.js';
import { LanguageModelTraining } from './training-engine.language-model.adapter.js';
import type { TrainingEngine } from './training-engine.port.js';
import { TrainingHistoryReader } from './training-history.js';
import { loadValidationProblems, problemSetOf, type ValidationProblems } from './validation-problems.js';

export { AdapterEvaluation, type AskedPerDomain, type ProblemResult, type Stretch } from './adapter-evaluation.port.js';
export { type TrainerConfig, type TrainerServiceConfig, trainerConfigSchema } from './config.js';
export type { TrainingProgress } from './gradient-training.js';
export type { TrainingRequest } from './plan-run.handler.js';
export type { VerifiedAdapter } from './run-training.js';
export { TrainOnDemandHandler } from './train-on-demand.handler.js';
export { TrainingEngine, type TrainingWeights } from './training-engine.port.js';
export type { ValidationProblems } from './validation-problems.js';

/** What a host may bring along instead of having it loaded; what it brings, it closes. */
export interface TrainerAssets {
  /** Of the folder config.trainer.modelFolder. */
  readonly model?: LanguageModel;
  readonly executor?: ExecutorModel;
  readonly prompts?: Prompts;
  readonly schemaFor?: EntrySchemas;
  readonly validation?: ValidationProblems;
  /** Together they replace models, prompts and validation problems. */
  readonly engine?: TrainingEngine;
  readonly evaluation?: AdapterEvaluation;
  readonly onProgress?: (progress: TrainingProgress) => void;
}

type TrainerContext = Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'drivers' | 'logger' | 'onClose'>;

/** Plans runs as windows end. Needs the base model's digest, and no model. */
async function createPlanner(context: TrainerContext, assets: TrainerAssets): Promise<PlanWindowsHandler> {
  const { config, drivers, logger } = context;
  const { trainEveryProblems, queue } = config.trainer;
  const engine = assets.engine ?? assets.model;
  const planRun = planRunOf(context, {
    baseModelDigest: engine === undefined ? await digestOf(config.trainer) : digestIn(engine),
    problemSet: assets.evaluation?.problemSet ?? assets.validation?.name ?? problemSetOf(config.trainer),
  });
  const history = new TrainingHistoryReader(drivers.log);
  const dependencies = { log: drivers.log, history, planRun, clock: systemClock, logger };
  return new PlanWindowsHandler(dependencies, { trainEveryProblems, queue });
}

/** Takes planned runs and carries them out. */
async function createWorker(context: TrainerContext, assets: TrainerAssets): Promise<TakeRuns> {
  const { config, drivers, logger } = context;
  const { queue, leaseMs } = config.trainer;
  const { runTraining, history } = await createRunTraining(context, assets);
  const leases = new RunLeases(drivers.objects, systemClock, leaseMs);
  return new TakeRuns(
    { log: drivers.log, history, leases, runTraining, logger },
    { queue, lookEveryMs: Math.max(LOOK_EVERY_MS, leaseMs / 3), retrying: config.consuming },
  );
}

/** Training and verification on demand, without the service around them; loads what the assets do not bring. */
export async function createTrainer(
  context: TrainerContext,
  assets: TrainerAssets = {},
): Promise<{ readonly onDemand: TrainOnDemandHandler }> {
  const { log } = context.drivers;
  const { runTraining, history, engines } = await createRunTraining(context, assets);
  const planRun = planRunOf(context, {
    baseModelDigest: engines.engine.baseModelDigest,
    problemSet: engines.evaluation.problemSet,
  });
  return { onDemand: new TrainOnDemandHandler({ log, history, planRun, runTraining, clock: systemClock }) };
}

/** Between two looks at a queue that nobody else takes runs from. */
const LOOK_EVERY_MS = 1_000;

function planRunOf(
  { config, drivers, logger, onClose }: TrainerContext,
  facts: { readonly baseModelDigest: string; readonly problemSet: string },
): PlanRunHandler {
  const lines = new RationedLines(logger, onClose);
  const { evidence, trainer } = config;
  return new PlanRunHandler({ log: drivers.log, algorithms, lines, evidence, ...facts }, trainer);
}

async function createRunTraining(
  context: TrainerContext,
  assets: TrainerAssets,
): Promise<{
  readonly runTraining: RunTraining;
  readonly history: TrainingHistoryReader;
  readonly engines: Awaited<ReturnType<typeof enginesOf>>;
}> {
  const { config, drivers, logger, onClose } = context;
  await assertCanSign(config, ['AdapterPublished', 'AdapterPromoted']);
  const schemaFor = assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas));
  const engines = await enginesOf(context, schemaFor, assets);
  const history = new TrainingHistoryReader(drivers.log);
  const runTraining = new RunTraining(
    {
      ...drivers,
      ...engines,
      history,
      algorithms,
      schemaFor,
      clock: systemClock,
      logger,
      lines: new RationedLines(logger, onClose),
      onProgress: assets.onProgress ?? (() => undefined),
    },
    { checkpointEverySteps: config.trainer.checkpointEverySteps, retrying: config.consuming },
  );
  return { runTraining, history, engines };
}

function digestIn(model: LanguageModel | TrainingEngine): string {
  return model instanceof LanguageModel ? model.digest : model.baseModelDigest;
}

async function digestOf({ modelFolder }: TrainerConfig): Promise<string> {
  return (await fromNamedFolder('SEAM_TRAINER_MODEL_FOLDER', modelFolder, loadCheckpoint(modelFolder))).digest;
}

async function enginesOf(
  { config: { trainer }, onClose }: Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'onClose'>,
  schemaFor: EntrySchemas,
  assets: TrainerAssets,
): Promise<{ readonly engine: TrainingEngine; readonly evaluation: AdapterEvaluation }> {
  if (assets.engine !== undefined && assets.evaluation !== undefined)
    return { engine: assets.engine, evaluation: assets.evaluation };
  const { modelFolder, chatTemplate, executorFolder, threads, executionProvider, responseMaxTokens, entryMaxTokens } =
    trainer;
  const { template, templatesFolder: ownTemplates } = trainer.executor;
  const load = async (): Promise<LanguageModel> => {
    const model = await fromNamedFolder(
      'SEAM_TRAINER_MODEL_FOLDER',
      modelFolder,
      LanguageModel.load(modelFolder, { threads, executionProvider, chatTemplate }),
    );
    onClose(() => model.close());
    return model;
  };
  const loadExecutor = async (): Promise<ExecutorModel> => {
    const executor = {
      modelFolder: executorFolder,
      chatTemplate: 'auto',
      name: 'executor',
      threads,
      executionProvider,
    } as const;
    const opened = await openExecutor(
      { ...trainer.executor, ...executor, maxTokens: responseMaxTokens },
      { environment: process.env, prompts, folderSetting: 'SEAM_TRAINER_EXECUTOR_FOLDER' },
    );
    onClose(() => opened.close());
    return opened.model;
  };
  const validation =
    assets.validation ??
    (await loadValidationProblems({
      file: trainer.validationProblems,
      dataset: trainer.validationDataset,
      limit: trainer.validationLimit,
      promotion: trainer.promotion,
    }));
  const prompts = assets.prompts ?? (await loadPrompts({ template, ownTemplates }));
  const model = assets.model ?? (await load());
  const executor = assets.executor ?? (await loadExecutor());
  const openTraining = (): TrainingEngine => {
    const training = new LanguageModelTraining(modelFolder, model, { threads, executionProvider });
    onClose(() => training.close());
    return training;
  };
  return {
    engine: assets.engine ?? openTraining(),
    evaluation:
      assets.evaluation ??
      new RolloutEvaluation({
        generator: model,
        executor,
        prompts,
        schemaFor,
        entryMaxTokens,
        problemSet: validation.name,
        problems: validation.problems,
      }),
  };
}

@Module({})
export class TrainerModule {
  static async forRoot(
    context: ServiceContext<TrainerServiceConfig>,
    assets: TrainerAssets = {},
  ): Promise<DynamicModule> {
    const { roles } = context.config.trainer;
    const planner = roles.includes('planner') ? await createPlanner(context, assets) : undefined;
    // Last: it begins at once.
    if (roles.includes('worker')) {
      const worker = await createWorker(context, assets);
      context.endsWith(worker.ended);
      context.onClose(() => worker.close());
    }
    if (planner === undefined) return { module: TrainerModule };
    return {
      module: TrainerModule,
      controllers: [OutcomesConsumer],
      providers: [{ provide: PlanWindowsHandler, useValue: planner }],
    };
  }
}

/** The trainer as a service: outcomes and buffer versions in; planned runs, or adapters, or both out. */
export function trainerService(assets: TrainerAssets = {}): ServiceDefinition<TrainerServiceConfig> {
  return {
    name: 'trainer',
    module: (context) => TrainerModule.forRoot(context, assets),
    consumption: ({ trainer }) => ({ [GROUP.trainer]: { maxBatchRecords: trainer.maxBatchRecords } }),
  };
}
