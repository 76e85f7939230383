import { type DynamicModule, Module } from '@nestjs/common';
import { GROUP } from '@seamstream/events';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { systemClock } from '@seamstream/kernel';
import { fromNamedFolder, LanguageModel } from '@seamstream/language-model';
import { algorithms } from '@seamstream/learning';
import { openExecutor } from '@seamstream/model-clients';
import { type ExecutorModel } from '@seamstream/rollout';
import { assertCanSign, RationedLines, type ServiceContext, type ServiceDefinition } from '@seamstream/service-kit';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import { RolloutEvaluation } from './adapter-evaluation.rollout.adapter.js';
import type { TrainerServiceConfig } from './config.js';
import { OutcomesConsumer } from './outcomes.consumer.js';
import { PlanRunHandler } from './plan-run.handler.js';
import { RunTrainingHandler, type TrainingProgress } from './run-training.handler.js';
import { TrainOnDemandHandler } from './train-on-demand.handler.js';
import { TrainWindowsHandler } from './train-windows.handler.js';
import { LanguageModelTraining } from './training-engine.language-model.adapter.js';
import type { TrainingEngine } from './training-engine.port.js';
import { loadValidationProblems, type ValidationProblems } from './validation-problems.js';

export { AdapterEvaluation, type AskedPerDomain, type ProblemResult, type Stretch } from './adapter-evaluation.port.js';
export { type TrainerConfig, type TrainerServiceConfig, trainerConfigSchema } from './config.js';
export type { TrainingRequest } from './plan-run.handler.js';
export type { TrainingProgress, VerifiedAdapter } from './run-training.handler.js';
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

/** The trainer's handlers, with or without the service around them. */
export interface Trainer {
  readonly windows: TrainWindowsHandler;
  readonly onDemand: TrainOnDemandHandler;
}

/** Composes the trainer; loads what the assets do not bring. */
export async function createTrainer(
  context: Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'drivers' | 'logger' | 'onClose'>,
  assets: TrainerAssets = {},
): Promise<Trainer> {
  const { config, drivers, logger, onClose } = context;
  const { trainer } = config;
  await assertCanSign(config, ['AdapterPublished', 'AdapterPromoted']);
  const lines = new RationedLines(logger, onClose);
  const schemaFor = assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas));
  const { engine, evaluation } = await enginesOf(context, schemaFor, assets);
  const planRun = new PlanRunHandler(
    {
      log: drivers.log,
      engine,
      algorithms,
      logger,
      lines,
      problemSet: evaluation.problemSet,
      evidence: config.evidence,
    },
    trainer,
  );
  const runTraining = new RunTrainingHandler(
    {
      ...drivers,
      engine,
      evaluation,
      algorithms,
      schemaFor,
      clock: systemClock,
      logger,
      lines,
      onProgress: assets.onProgress ?? (() => undefined),
    },
    { checkpointEverySteps: trainer.checkpointEverySteps, retrying: config.consuming },
  );
  return {
    windows: new TrainWindowsHandler({ log: drivers.log, planRun, runTraining, logger }, trainer.trainEveryProblems),
    onDemand: new TrainOnDemandHandler(drivers.log, planRun, runTraining),
  };
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
    const { windows, onDemand } = await createTrainer(context, assets);
    return {
      module: TrainerModule,
      controllers: [OutcomesConsumer],
      providers: [
        { provide: TrainWindowsHandler, useValue: windows },
        { provide: TrainOnDemandHandler, useValue: onDemand },
      ],
    };
  }
}

/** The trainer as a service: outcomes and buffer versions in; runs and adapters out. */
export function trainerService(assets: TrainerAssets = {}): ServiceDefinition<TrainerServiceConfig> {
  return {
    name: 'trainer',
    module: (context) => TrainerModule.forRoot(context, assets),
    consumption: ({ trainer }) => ({ [GROUP.trainer]: { maxBatchRecords: trainer.maxBatchRecords } }),
  };
}
