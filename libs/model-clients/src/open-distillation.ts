/** The model that a configuration chooses to bring libraries on. */
import { type ExecutionProvider, fromNamedFolder, LanguageModel } from '@seamstream/language-model';
import type { DistillationSettings } from './distillation.config.js';
import { DistillationClient } from './distillation.endpoint.adapter.js';
import { LanguageModelDistillation } from './distillation.language-model.adapter.js';
import type { DistillationSource } from './distillation.port.js';

/**
 * @param environment of the process: the key of a server is in it
 * @throws INVALID_CONFIGURATION without a server and a folder, and for a variable that is not set
 */
export function openDistillation(
  settings: DistillationSettings,
  environment: Readonly<Record<string, string | undefined>>,
  compute: { readonly threads: number; readonly executionProvider: ExecutionProvider },
): DistillationSource {
  const { modelFolder, chatTemplate } = settings;
  if (modelFolder === undefined) return new DistillationClient(settings, environment);
  return new LanguageModelDistillation(settings, async () => {
    const loading = LanguageModel.load(modelFolder, { ...compute, chatTemplate });
    const model = await fromNamedFolder('SEAM_TRAINER_DISTILLATION_MODEL_FOLDER', modelFolder, loading);
    try {
      await fromNamedFolder('SEAM_TRAINER_DISTILLATION_MODEL_FOLDER', modelFolder, withTokenizer(model));
      return model;
    } catch (error) {
      await model.close();
      throw error;
    }
  });
}

/** @throws CHECKPOINT_INVALID where the folder has none: text cannot be asked then */
async function withTokenizer(model: LanguageModel): Promise<unknown> {
  return model.tokenizer;
}
