import { foldProjection } from '@seamstream/log-reader';
import { type AdapterLineage, adapterLineageProjection, type Projection } from '@seamstream/read-models';
import type { ServedAdapterState } from '@seamstream/release';
import type { CommandRuntime } from '../command-runtime.js';

export interface Serving {
  readonly lineage: AdapterLineage;
  /** What decides which adapter is served, as generators fold it. */
  readonly state: ServedAdapterState;
}

type LineageState = ReturnType<typeof adapterLineageProjection.initialState>;

const servingProjection: Projection<LineageState, Serving> = {
  ...adapterLineageProjection,
  read: (state) => ({ lineage: adapterLineageProjection.read(state), state: state.served }),
};

/** All adapters of the log with what became of them, and what decides which one is served. */
export async function readServing(runtime: CommandRuntime): Promise<Serving> {
  const { terminal, signal } = runtime;
  const log = await runtime.openLog('read');
  const progress = (total: number) => terminal.progress('reading the log', total);
  return (await foldProjection(log, servingProjection, { signal, progress })).answer;
}

/** All adapters of the log, with what became of them. */
export async function readLineage(runtime: CommandRuntime): Promise<AdapterLineage> {
  return (await readServing(runtime)).lineage;
}
