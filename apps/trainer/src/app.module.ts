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
import { type PlanRunDependencies, PlanRunHandler } from './plan-run.handler.js';
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

/** What a plan says of the models that a worker uses. */
type PlannedModels = Pick<PlanRunDependencies, 'baseModelDigest' | 'problemSet'>;

function modelsOf({ engine, evaluation }: Engines): PlannedModels {
  return { baseModelDigest: engine.baseModelDigest, problemSet: evaluation.problemSet };
}

/** The same where no worker is in the process: a planner needs the base model's digest, and no model. */
async function modelsWithoutWorker({ trainer }: TrainerServiceConfig, assets: TrainerAssets): Promise<PlannedModels> {
  const { engine, model, evaluation, validation } = assets;
  return {
    baseModelDigest: engine?.baseModelDigest ?? model?.digest ?? (await digestOf(trainer)),
    problemSet: evaluation?.problemSet ?? validation?.name ?? problemSetOf(trainer),
  };
}

/** Training and verification on demand, without the service around them; loads what the assets do not bring. */
export async function createTrainer(
  context: TrainerContext,
  assets: TrainerAssets = {},
): Promise<{ readonly onDemand: TrainOnDemandHandler }> {
  const { log } = context.drivers;
  const history = new TrainingHistoryReader(log);
  const { runTraining, engines } = await createRunTraining(context, assets, history);
  const planRun = planRunOf(context, modelsOf(engines));
  return { onDemand: new TrainOnDemandHandler({ log, history, planRun, runTraining, clock: systemClock }) };
}

/** Between two looks at a queue that nobody else takes runs from. */
const LOOK_EVERY_MS = 1_000;

function planRunOf({ config, drivers, logger, onClose }: TrainerContext, models: PlannedModels): PlanRunHandler {
  const lines = new RationedLines(logger, onClose);
  const { evidence, trainer } = config;
  return new PlanRunHandler({ log: drivers.log, algorithms, lines, evidence, ...models }, trainer);
}

async function createRunTraining(
  context: TrainerContext,
  assets: TrainerAssets,
  history: TrainingHistoryReader,
): Promise<{ readonly runTraining: RunTraining; readonly engines: Engines }> {
  const { config, drivers, logger, onClose } = context;
  await assertCanSign(config, ['AdapterPublished', 'AdapterPromoted']);
  const schemaFor = assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas));
  const engines = await enginesOf(context, schemaFor, assets);
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
  return { runTraining, engines };
}

async function digestOf({ modelFolder }: TrainerConfig): Promise<string> {
  return (await fromNamedFolder('SEAM_TRAINER_MODEL_FOLDER', modelFolder, loadCheckpoint(modelFolder))).digest;
}

interface Engines {
  readonly engine: TrainingEngine;
  readonly evaluation: AdapterEvaluation;
}

async function enginesOf(
  { config: { trainer }, onClose }: Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'onClose'>,
  schemaFor: EntrySchemas,
  assets: TrainerAssets,
): Promise<Engines> {
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
    const { config, drivers, logger } = context;
    const { roles, trainEveryProblems, queue, leaseMs } = config.trainer;
    const { log, objects } = drivers;
    const history = new TrainingHistoryReader(log);
    const worker = roles.includes('worker') ? await createRunTraining(context, assets, history) : undefined;
    let planner: PlanWindowsHandler | undefined;
    if (roles.includes('planner')) {
      const models = worker === undefined ? await modelsWithoutWorker(config, assets) : modelsOf(worker.engines);
      const planRun = planRunOf(context, models);
      planner = new PlanWindowsHandler(
        { log, history, planRun, clock: systemClock, logger },
        { trainEveryProblems, queue },
      );
    }
    if (worker !== undefined) {
      const leases = new RunLeases(objects, systemClock, leaseMs);
      // Last: it begins at once.
      const takeRuns = new TakeRuns(
        { log, history, leases, runTraining: worker.runTraining, logger },
        { queue, lookEveryMs: Math.max(LOOK_EVERY_MS, leaseMs / 3), retrying: config.consuming },
      );
      context.endsWith(takeRuns.ended);
      context.onClose(() => takeRuns.close());
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
