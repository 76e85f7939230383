import { type DynamicModule, Module } from '@nestjs/common';
import { GROUP } from '@seamstream/events';
import { type EntrySchemas, loadEntrySchemas, loadPrompts, type Prompts } from '@seamstream/experience';
import { SeamError, systemClock } from '@seamstream/kernel';
import {
  fromNamedFolder,
  LanguageModel,
  type ModelConfig,
  type TrainableSettings,
  trainableShapes,
} from '@seamstream/language-model';
import { assertGenerates, openVllmGenerator } from '@seamstream/model-clients';
import { type GeneratorModel } from '@seamstream/rollout';
import { editWriter, entryKind } from '@seamstream/self-edits';
import { RationedLines, type ServiceContext, type ServiceDefinition } from '@seamstream/service-kit';
import type { GeneratorConfig } from './config.js';
import { longestWriting } from './edits-in-time.decide.js';
import { ProblemsConsumer } from './problems.consumer.js';
import { type ProvableModel, ServingAdapter } from './serving-adapter.js';
import { WriteExperiencesHandler } from './write-experiences.handler.js';

export { type GeneratorConfig, generatorConfigSchema } from './config.js';
export { ServingAdapter } from './serving-adapter.js';

/** What a host may bring along instead of having it loaded; what it brings, it closes. */
export interface GeneratorAssets {
  readonly model?: GeneratorModel & ProvableModel;
  readonly prompts?: Prompts;
  readonly schemaFor?: EntrySchemas;
}

@Module({})
export class GeneratorModule {
  static async forRoot(context: ServiceContext<GeneratorConfig>, assets: GeneratorAssets = {}): Promise<DynamicModule> {
    const { config, drivers, logger, metrics, health, onClose } = context;
    const writesEdits = entryKind(config.entrySchemas) !== null;
    const opened = assets.model === undefined ? await openGenerator(config.generator, process.env) : undefined;
    if (opened !== undefined) onClose(opened.close);
    const model = assets.model ?? opened!.model;
    if (writesEdits) assertEditsEndInTime(config, model);
    health.add({
      name: 'generator',
      check: async () => {
        opened?.assertAnswering();
        return { baseModelDigest: model.digest };
      },
    });
    const refusals = metrics.counter(
      'seam_adapters_refused_total',
      'Promoted adapters that this generator refused to serve.',
    );
    const unfounded = metrics.counter(
      'seam_promotions_unfounded_total',
      'Promotions and rollbacks in the log that nothing else in it bears out: they were not followed.',
    );
    const adapters = new ServingAdapter({
      ...drivers,
      model,
      slot: config.generator.slot,
      shapesFor: shapesOf(model),
      logger,
      lines: new RationedLines(logger, onClose),
      onRefused: () => refusals.inc(),
      onUnfounded: () => unfounded.inc(),
    });
    health.add({ name: 'adapter', check: async () => adapters.status() });
    const prompts = assets.prompts ?? (await loadPrompts({ writer: editWriter(config.entrySchemas) }));
    const schemaFor = assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas));
    await assertGenerates(model, prompts, schemaFor, config.generator.sampling.maxTokens);
    const unaugmented = metrics.counter(
      'seam_edits_unaugmented_total',
      'Self-edits that were not written in their tries, by the code of the last failure.',
      ['code'],
    );
    const handler = new WriteExperiencesHandler(
      {
        model,
        prompts,
        schemaFor,
        adapters,
        clock: systemClock,
        editLimits: writesEdits ? config.generator.edits : null,
        onUnaugmented: (code) => unaugmented.inc({ code }),
      },
      config.generator,
    );
    return {
      module: GeneratorModule,
      controllers: [ProblemsConsumer],
      providers: [
        { provide: WriteExperiencesHandler, useValue: handler },
        { provide: ServingAdapter, useValue: adapters },
      ],
    };
  }
}

/** @throws INVALID_CONFIGURATION where the tries of one passage may take longer than its batch is given */
function assertEditsEndInTime({ generator, consuming: { deadlineMs } }: GeneratorConfig, model: GeneratorModel): void {
  const { tries, timeoutMs } = generator.edits;
  const longest = longestWriting(generator, hasLayers(model.config) ? model.config : null);
  if (longest.ms < deadlineMs) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot start the generator: expected a batch's deadline above ${longest.ms} ms, for ${tries} tries of an edit with ${timeoutMs} ms each, in ${longest.turns} turns, got ${deadlineMs} ms. Raise SEAM_CONSUMING_DEADLINE_MS, or for fewer turns SEAM_GENERATOR_CACHE_MIB or SEAM_GENERATOR_VLLM_CONCURRENCY, or lower SEAM_GENERATOR_EDITS_TIMEOUT_MS or SEAM_GENERATOR_EDITS_TRIES.`,
  );
}

/** The tensors that an adapter must have for this model; undefined for a double that has no layers. */
function shapesOf({
  config,
}: GeneratorModel): ((settings: TrainableSettings) => ReadonlyMap<string, readonly number[]>) | undefined {
  return hasLayers(config) ? (settings) => trainableShapes(config, settings) : undefined;
}

function hasLayers(config: GeneratorModel['config']): config is ModelConfig {
  return 'layers' in config && 'hiddenSize' in config;
}

export interface OpenedGenerator {
  readonly model: GeneratorModel & ProvableModel;
  /** @throws SeamError where it answers no caller */
  readonly assertAnswering: () => void;
  readonly close: () => Promise<void>;
}

/**
 * The model that the configuration chooses.
 * @param environment of the process: the key of a server is in it
 * @throws as the model that is chosen
 */
export async function openGenerator(
  settings: GeneratorConfig['generator'],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenedGenerator> {
  const opening: Promise<OpenedGenerator> =
    settings.driver === 'vllm' ? openVllmGenerator(settings, environment) : openCheckpoint(settings);
  return fromNamedFolder('SEAM_GENERATOR_MODEL_FOLDER', settings.modelFolder, opening);
}

async function openCheckpoint(settings: GeneratorConfig['generator']): Promise<OpenedGenerator> {
  const { modelFolder, threads, executionProvider, cacheMib, chatTemplate } = settings;
  const model = await LanguageModel.load(modelFolder, {
    threads,
    executionProvider,
    cacheBytes: cacheMib * 2 ** 20,
    chatTemplate,
    digest: 'remembered',
  });
  try {
    // Asked for now: a folder without a tokenizer is refused before a problem comes.
    model.tokenizer.assertFits(model.config.vocabularySize);
  } catch (error) {
    await model.close();
    throw error;
  }
  return { model, assertAnswering: () => undefined, close: () => model.close() };
}

/** The generator as a service: problems in, experiences out. */
export function generatorService(assets: GeneratorAssets = {}): ServiceDefinition<GeneratorConfig> {
  return {
    name: 'generator',
    module: (context) => GeneratorModule.forRoot(context, assets),
    consumption: ({ generator }) => ({ [GROUP.generator]: { maxBatchRecords: generator.maxBatchRecords } }),
  };
}
