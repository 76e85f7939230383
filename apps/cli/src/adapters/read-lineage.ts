import * as readModels from '@seamstream/operations/read-models';
import type { AdapterLineage } from '@seamstream/read-models';
import type { CommandRuntime, ReadModelOptions } from '../command-runtime.js';
import { keptLogOf } from '../read-models/read-model-options.js';

/** All adapters of the log, with what became of them. */
export async function readLineage(runtime: CommandRuntime, options: ReadModelOptions = {}): Promise<AdapterLineage> {
  return (await readModels.readLineage(...(await keptLogOf(runtime, options)))).answer;
}
