/** Weights that an executor learned and kept, from their folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeLearned, LEARNED_FILE } from '@seamstream/inner-update';
import { messageOf, SeamError } from '@seamstream/kernel';
import type { Adapter, LanguageModel } from '@seamstream/language-model';

/**
 * @param base the model that they change
 * @throws NOT_FOUND for a folder without the files; ADAPTER_INVALID for what is not what the folder's record says
 */
export async function loadLearned(folder: string, base: Pick<LanguageModel, 'config' | 'digest'>): Promise<Adapter> {
  const [tensors, config, record] = await Promise.all(
    [LEARNED_FILE.tensors, LEARNED_FILE.config, LEARNED_FILE.record].map((file) => readPart(folder, file)),
  );
  return decodeLearned(folder, { tensors: tensors!, config: config!, record: record! }, base).adapter;
}

async function readPart(folder: string, file: string): Promise<Uint8Array> {
  try {
    return await readFile(join(folder, file));
  } catch (cause) {
    throw new SeamError(
      'NOT_FOUND',
      `Cannot use the weights in ${folder}: expected the file ${file}, got none that can be read (${messageOf(cause)}). Name a folder that seam edits train wrote (SEAM_EXECUTOR_ADAPTER_FOLDER).`,
      { cause },
    );
  }
}
