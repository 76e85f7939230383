/** One thread of a language model; see language-model.ts. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import type { Adapter } from './adapter.js';
import { loadCheckpoint } from './checkpoint.js';
import type { GenerationRequest } from './generation.types.js';
import { GenerationLane } from './generation-lane.js';
import type { ScoredSequence } from './sequence-batch.js';
import { Tokenizer } from './tokenizer.js';
import { serveCalls } from './worker-call.js';

interface StartData {
  readonly folder: string;
  readonly threads: number;
}

serveCalls(async ({ folder, threads }: StartData) => {
  const checkpoint = await loadCheckpoint(folder);
  const hasTokenizer = await access(join(folder, 'tokenizer.json')).then(
    () => true,
    () => false,
  );
  const lane = new GenerationLane(checkpoint, hasTokenizer ? await Tokenizer.load(folder) : undefined, { threads });
  const adapters = new Map<string, Adapter>();
  const adapterOf = (digest: string | undefined): Adapter | undefined => {
    if (digest === undefined) return undefined;
    const adapter = adapters.get(digest);
    if (!adapter) throw new SeamError('INTERNAL', `Adapter ${digest} was not handed to this worker`);
    return adapter;
  };
  return {
    describe: async () => ({ digest: checkpoint.digest, config: checkpoint.config, hasTokenizer }),
    keepAdapter: async (adapter: Adapter) => void adapters.set(adapter.digest, adapter),
    dropAdapter: async (digest: string) => void adapters.delete(digest),
    generate: async ({ requests, adapter }: { requests: readonly GenerationRequest[]; adapter?: string }) =>
      lane.generate(requests, adapterOf(adapter)),
    logProbabilities: async ({ sequences, adapter }: { sequences: readonly ScoredSequence[]; adapter?: string }) =>
      lane.logProbabilities(sequences, adapterOf(adapter)),
    probe: async ({ prompts, adapter }: { prompts: readonly (readonly number[])[]; adapter?: string }) =>
      lane.probe(prompts, adapterOf(adapter)),
  };
});
