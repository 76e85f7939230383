/** What operations on edits are given of the process: writers, judges, and where edits are kept. Models are loaded when one is opened. */
import type { GeneratorConfig } from '@seamstream/generator/config';
import { SeamError } from '@seamstream/kernel';
import type { EditsWorld } from '@seamstream/operations/edits';
import type { EditWriter, TextSimilarity } from '@seamstream/self-edits';
import type { CommandRuntime } from '../command-runtime.js';

interface ProcessWorld extends Pick<CommandRuntime, 'openKeptLog' | 'openObjects'> {
  /** Of the process: keys are in it. */
  environment(): Readonly<Record<string, string | undefined>>;
  /** As the services are configured. */
  loadAll(): Promise<Pick<GeneratorConfig, 'generator'>>;
  loadCommon(): Promise<{ readonly dataFolder: string }>;
  onClose(close: () => Promise<void>): void;
}

export function editDoors(world: ProcessWorld): Pick<EditsWorld, 'openEditWriter' | 'openSimilarity' | 'dataFolder'> {
  return {
    openEditWriter: (...asked) => openEditWriter(world, ...asked),
    openSimilarity: (...asked) => openSimilarityIn(world, ...asked),
    dataFolder: async () => (await world.loadCommon()).dataFolder,
  };
}

/** @throws as the model, the adapter or the key that the choice names */
async function openEditWriter(
  world: ProcessWorld,
  ...[choice, reading]: Parameters<EditsWorld['openEditWriter']>
): Promise<EditWriter> {
  const { LanguageModelEditWriter, openTeacher } = await import('@seamstream/model-clients');
  if (choice.by === 'teacher') {
    const teacher = openTeacher(choice, world.environment());
    world.onClose(() => teacher.close());
    return teacher;
  }
  const { openGenerator } = await import('@seamstream/generator');
  const { weightsOf } = await import('@seamstream/rollout');
  const { loadAdapter } = await import('@seamstream/operations/adapters');
  const { modelFolder, adapter: word, batch } = choice;
  const { generator: configured } = await world.loadAll();
  const settings =
    modelFolder === undefined ? configured : { ...configured, driver: 'checkpoint' as const, modelFolder };
  const { model, close } = await openGenerator(settings, world.environment());
  world.onClose(close);
  const served = await loadAdapter(world, word, model.digest, reading);
  const adapter = weightsOf(served);
  if (served !== null && adapter === null)
    throw new SeamError('INVALID_INPUT', `Cannot write edits with ${word}: expected weights, got a library of texts.`);
  return new LanguageModelEditWriter(model, { adapter, batch });
}

/** @throws INVALID_CONFIGURATION for a key that is not set */
async function openSimilarityIn(
  world: ProcessWorld,
  ...[settings]: Parameters<EditsWorld['openSimilarity']>
): Promise<TextSimilarity> {
  const { openSimilarity } = await import('@seamstream/model-clients');
  const similarity = openSimilarity(settings, world.environment());
  world.onClose(() => similarity.close());
  return similarity;
}
