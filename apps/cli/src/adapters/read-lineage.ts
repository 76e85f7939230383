import { type AdapterLineage, adapterLineageProjection } from '@seamstream/read-models';
import type { CommandRuntime } from '../command-runtime.js';
import { foldProjection } from '../log/fold-projection.js';

/** All adapters of the log, with what became of them. */
export async function readLineage(runtime: CommandRuntime): Promise<AdapterLineage> {
  const { terminal, signal } = runtime;
  const log = await runtime.openLog('read');
  const progress = (total: number) => terminal.progress('reading the log', total);
  return (await foldProjection(log, adapterLineageProjection, { signal, progress })).answer;
}
