import { resolve } from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { type Environment, type ExecutorModel, openEnvironment } from '@seamstream/environments';
import { problemSetDigest } from '@seamstream/evaluation';
import { GROUP } from '@seamstream/events';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { SeamError, systemClock } from '@seamstream/kernel';
import { fromNamedFolder, Grammars, LanguageModel, loadCheckpoint } from '@seamstream/language-model';
import { algorithms } from '@seamstream/learning';
import { LanguageModelTraining, openExecutor } from '@seamstream/model-clients';
import type { Served } from '@seamstream/rollout';
import { editWriter } from '@seamstream/self-edits';
import { assertCanSign, RationedLines, type ServiceContext, type ServiceDefinition } from '@seamstream/service-kit';
import { signingOf } from '@seamstream/service-kit/drivers';
import type { TrainingEngine } from '@seamstream/training-contract';
import {
  type AdapterEvaluation,
  GradientMethod,
  GradientRunner,
  type JobRunner,
  type LearningMethod,
  LibraryMethod,
  LibraryRunner,
  type MethodsWithRunners,
  type MethodWithRunner,
  type PlanRunDependencies,
  PlanRunHandler,
  ProgramRunner,
  programBase,
  RolloutEvaluation,
  RunLeases,
  RunTraining,
  TrainingHistoryReader,
  type TrainingProgress,
  TrainOnDemandHandler,
  type WorkerAbilities,
} from '@seamstream/training-runs';
import { comparingVerifiers } from './comparing-verifiers.js';
import type { TrainerConfig, TrainerServiceConfig } from './config.js';
import { startReleaser } from './decide-releases.js';
import { repliesOf } from './library-replies.js';
import { OutcomesConsumer } from './outcomes.consumer.js';
import { PlanWindowsHandler } from './plan-windows.handler.js';
import { measureQueue } from './queue-metrics.js';
import { TakeRuns } from './take-runs.js';
import { assertReadsOutcomes, teamOfFile } from './team-of-file.js';
import { torchLauncher } from './torch-command.js';
import { loadValidationProblems, type ValidationProblems } from './validation-problems.js';

export { type TrainerConfig, type TrainerServiceConfig, trainerConfigSchema } from './config.js';
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
  /** Ways to learn besides SEAM, each with what carries its runs out. */
  readonly methods?: readonly MethodWithRunner[];
  readonly onProgress?: (progress: TrainingProgress) => void;
  /** False: only what is asked for opens the executor, since runs are made again for comparison and nothing is evaluated. */
  readonly evaluates?: boolean;
}

type TrainerContext = Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'drivers' | 'logger' | 'onClose'>;

/** What a plan says of the models that a worker uses. */
type PlannedModels = Pick<PlanRunDependencies, 'baseModelDigest' | 'problemSet'>;

const seam = new GradientMethod(algorithms);
const libraries = new LibraryMethod();

function modelsOf({ baseModelDigest, evaluation }: Pick<JobRunner, 'baseModelDigest' | 'evaluation'>): PlannedModels {
  return { baseModelDigest, problemSet: setAskedBy(evaluation) };
}

/** The method that runs are planned for. @throws INVALID_CONFIGURATION */
function plannedMethod({ method }: TrainerConfig, methods: Iterable<MethodWithRunner> = []): LearningMethod {
  const known = [...new Set([seam, libraries, ...[...methods].map((each) => each.method)])];
  const found = known.find(({ name }) => name === method);
  if (found !== undefined) return found;
  const names = known.map(({ name }) => name).join(', ');
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot plan training runs: expected one of the methods ${names} in SEAM_TRAINER_METHOD, got ${method}. Correct its name.`,
  );
}

/** The same where no worker is in the process: a planner needs the base model's digest, and no model. */
async function modelsWithoutWorker({ trainer }: TrainerServiceConfig, assets: TrainerAssets): Promise<PlannedModels> {
  const brought = assets.methods?.find(({ method }) => method.name === trainer.method);
  if (brought !== undefined) return modelsOf(brought.runner);
  const { engine, model, evaluation, validation } = assets;
  return {
    baseModelDigest: engine?.baseModelDigest ?? model?.digest ?? (await digestOf(trainer)),
    problemSet: evaluation === undefined ? setOf(validation ?? (await validationOf(trainer))) : setAskedBy(evaluation),
  };
}

function setAskedBy({ problemSet, problemSetDigest }: AdapterEvaluation): PlannedModels['problemSet'] {
  return { name: problemSet, digest: problemSetDigest };
}

function setOf({ name, problems }: ValidationProblems): PlannedModels['problemSet'] {
  return { name, digest: problemSetDigest(problems) };
}

function validationOf(trainer: TrainerConfig): Promise<ValidationProblems> {
  return loadValidationProblems({
    file: trainer.validationProblems,
    dataset: trainer.validationDataset,
    limit: trainer.validationLimit,
    promotion: trainer.promotion,
  });
}

/** Training and verification on demand, without the service around them; loads what the assets do not bring. */
export async function createTrainer(
  context: TrainerContext,
  assets: TrainerAssets = {},
): Promise<{ readonly onDemand: TrainOnDemandHandler }> {
  const { log } = context.drivers;
  const history = await historyOf(context);
  const { runTraining, methods } = await createRunTraining(context, assets, { history, checks: 'run' });
  await assertCanSign(context.config, ['TrainingRunPlanned']);
  const method = plannedMethod(context.config.trainer, methods.values());
  const planRun = planRunOf(context, method, modelsOf(methods.get(method.name)!.runner));
  const leases = new RunLeases(context.drivers.objects, systemClock, context.config.trainer.leaseMs);
  return { onDemand: new TrainOnDemandHandler({ log, history, planRun, runTraining, leases, clock: systemClock }) };
}

/** What the log says of training, and a line for each plan that it does not bear out. */
async function historyOf(
  { config, drivers, logger, onClose }: TrainerContext,
  onDoubt: () => void = () => undefined,
): Promise<TrainingHistoryReader> {
  const lines = new RationedLines(logger, onClose);
  const { trust } = await signingOf(config);
  return new TrainingHistoryReader(drivers.log, {
    unplanned: trust.unsigned === 'allowed' ? 'believed' : 'refused',
    onDoubt: ({ runId, reason }) => {
      onDoubt();
      lines.warn('plan', { runId, reason }, 'training run NOT BELIEVED; no worker carries it out');
    },
  });
}

/** Between two looks at a queue that no other process takes runs from. */
const LOOK_EVERY_MS = 1_000;

function planRunOf(
  { config, drivers, logger, onClose }: TrainerContext,
  method: LearningMethod,
  models: PlannedModels,
): PlanRunHandler {
  const lines = new RationedLines(logger, onClose);
  const { evidence, trainer } = config;
  return new PlanRunHandler({ log: drivers.log, method, lines, evidence, ...models }, trainer);
}

async function createRunTraining(
  context: TrainerContext,
  assets: TrainerAssets,
  { history, checks }: { readonly history: TrainingHistoryReader; readonly checks: 'start' | 'run' },
): Promise<{ readonly runTraining: RunTraining; readonly methods: MethodsWithRunners }> {
  const { config, drivers, logger, onClose } = context;
  await assertCanSign(config, ['AdapterPublished', 'AdapterPromoted']);
  const schemaFor = assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas));
  const engines = await enginesOf(context, schemaFor, assets);
  const runner = await gradientRunnerOf(config.trainer, { objects: drivers.objects, ...engines, algorithms, logger });
  const libraryRunner = new LibraryRunner({
    objects: drivers.objects,
    model: engines.engine,
    evaluation: engines.evaluation,
    replies: await repliesOf(context, checks),
  });
  const { team } = config.trainer;
  const all: MethodWithRunner[] = [
    { method: seam, runner },
    { method: libraries, runner: libraryRunner },
    ...(assets.methods ?? []),
  ];
  if (team !== undefined && engines.surroundings !== undefined)
    all.push(await teamOfFile(team, context, { schemaFor, ...engines.surroundings }));
  const methods = new Map<string, MethodWithRunner>(all.map((each) => [each.method.name, each]));
  const runTraining = new RunTraining(
    {
      ...drivers,
      methods,
      history,
      schemaFor,
      clock: systemClock,
      logger,
      lines: new RationedLines(logger, onClose),
      onProgress: assets.onProgress ?? (() => undefined),
    },
    { checkpointEverySteps: config.trainer.checkpointEverySteps, retrying: config.consuming },
  );
  return { runTraining, methods };
}

/** What carries gradient jobs out: the engine in this process, or a program. */
async function gradientRunnerOf(
  { engine, modelFolder, torch }: TrainerConfig,
  dependencies: ConstructorParameters<typeof GradientRunner>[0],
): Promise<GradientRunner> {
  if (engine === 'onnx') return new GradientRunner(dependencies);
  return new ProgramRunner({
    ...dependencies,
    launcher: await torchLauncher(torch, modelFolder),
    base: await programBase(modelFolder, dependencies.engine.baseModelDigest),
    grammars: new Grammars(modelFolder),
    progressWithinMs: torch.progressWithinMs,
    ...(torch.jobsFolder === undefined ? {} : { jobsFolder: resolve(torch.jobsFolder) }),
  });
}

/** What this worker has, by method. */
function abilitiesOf(methods: MethodsWithRunners): WorkerAbilities {
  return new Map(
    [...methods].map(
      ([
        name,
        {
          method: { slot, recipes },
          runner,
        },
      ]) => [name, { slot, recipes, ...modelsOf(runner) }],
    ),
  );
}

async function digestOf({ modelFolder }: TrainerConfig): Promise<string> {
  return (await fromNamedFolder('SEAM_TRAINER_MODEL_FOLDER', modelFolder, loadCheckpoint(modelFolder))).digest;
}

interface Engines {
  readonly engine: TrainingEngine;
  readonly evaluation: AdapterEvaluation<Served>;
  /** What else was loaded; a host that brings engine and evaluation has none. */
  readonly surroundings?: Omit<Parameters<typeof teamOfFile>[2], 'schemaFor'>;
}

async function enginesOf(
  { config, onClose }: Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'onClose'>,
  schemaFor: EntrySchemas,
  assets: TrainerAssets,
): Promise<Engines> {
  const { trainer, entrySchemas } = config;
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
  const loadExecutor = async (maxTokens: number): Promise<ExecutorModel> => {
    const executor = {
      modelFolder: executorFolder,
      chatTemplate: 'auto',
      name: 'executor',
      threads,
      executionProvider,
    } as const;
    const opened = await openExecutor(
      { ...trainer.executor, ...executor, maxTokens },
      { environment: process.env, prompts, folderSetting: 'SEAM_TRAINER_EXECUTOR_FOLDER' },
    );
    onClose(() => opened.close());
    return opened.model;
  };
  const validation = assets.validation ?? (await validationOf(trainer));
  const verifiers = await comparingVerifiers({ config, onClose }, validation);
  const prompts = assets.prompts ?? (await loadPrompts({ template, ownTemplates, writer: editWriter(entrySchemas) }));
  const model = assets.model ?? (await load());
  const executors = new Map<number, ExecutorModel>();
  if (assets.executor !== undefined) executors.set(responseMaxTokens, assets.executor);
  else if (assets.evaluates !== false) executors.set(responseMaxTokens, await loadExecutor(responseMaxTokens));
  // A plan says how long responses may be: each other length needs a separate executor.
  const environmentOf = async (maxTokens: number): Promise<Environment> => {
    const executor = executors.get(maxTokens) ?? (await loadExecutor(maxTokens));
    executors.set(maxTokens, executor);
    return openEnvironment({ ...trainer.executor, entrySchemas }, executor, prompts);
  };
  const openTraining = (): TrainingEngine => {
    const training = new LanguageModelTraining(modelFolder, model, { threads, executionProvider });
    onClose(() => training.close());
    return training;
  };
  return {
    surroundings: { environmentOf, validation, verifiers },
    engine: assets.engine ?? openTraining(),
    evaluation:
      assets.evaluation ??
      new RolloutEvaluation({
        ...{ generator: model, environmentOf, prompts, schemaFor, verifiers, responseMaxTokens, entryMaxTokens },
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
    const { roles, takes, trainEveryProblems, queue, leaseMs } = config.trainer;
    const { log, objects } = drivers;
    const doubted = context.metrics.counter(
      'seam_training_plans_doubted_total',
      'Recorded plans that are not carried out, since the log does not bear them out.',
    );
    const history = await historyOf(context, () => doubted.inc());
    const worker = roles.includes('worker')
      ? await createRunTraining(context, assets, { history, checks: 'start' })
      : undefined;
    let planner: PlanWindowsHandler | undefined;
    if (roles.includes('planner')) {
      await assertCanSign(config, ['TrainingRunPlanned']);
      const method = plannedMethod(config.trainer, worker?.methods.values() ?? assets.methods);
      assertReadsOutcomes(config.trainer, method);
      const models =
        worker === undefined
          ? await modelsWithoutWorker(config, assets)
          : modelsOf(worker.methods.get(method.name)!.runner);
      const planRun = planRunOf(context, method, models);
      measureQueue(context.metrics, history, queue);
      planner = new PlanWindowsHandler(
        { log, history, planRun, clock: systemClock, logger },
        { trainEveryProblems, queue },
      );
    }
    if (worker !== undefined) {
      const leases = new RunLeases(objects, systemClock, leaseMs);
      const passedOver = context.metrics.counter(
        'seam_training_runs_passed_over_total',
        'Planned runs that this worker left to another one, by what it lacks.',
        ['lacks'],
      );
      // Last: it begins at once.
      const takeRuns = new TakeRuns(
        {
          log,
          objects,
          history,
          leases,
          runTraining: worker.runTraining,
          abilities: abilitiesOf(worker.methods),
          logger,
          onPassedOver: (what) => passedOver.inc({ lacks: what }),
        },
        { queue, takes, lookEveryMs: Math.max(LOOK_EVERY_MS, leaseMs / 3), retrying: config.consuming },
      );
      context.endsWith(takeRuns.ended);
      context.onClose(() => takeRuns.close());
    }
    if (roles.includes('releaser')) await startReleaser(context);
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
