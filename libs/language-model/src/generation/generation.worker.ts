/** One thread of a language model; see language-model.ts. */
import { SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import type { Adapter } from '../adapters/adapter.js';
import { checkpointDigest, openCheckpoint, readWeights } from '../checkpoint/checkpoint.js';
import type { ComputePlan } from '../graphs/compute-plan.js';
import type { ScoredSequence } from '../training/sequence-batch.js';
import { type ServedCall, serveCalls } from '../worker/worker-call.js';
import type { GenerationProgress, GenerationRequest, TokensWritten } from './generation.types.js';
import { GenerationLane } from './generation-lane.js';

interface GenerateCall {
  readonly requests: readonly GenerationRequest[];
  readonly adapter?: string;
  /** The caller wants to hear of tokens as they are written. */
  readonly isHeard: boolean;
  /** The caller wants to hear of how far the call has come. */
  readonly isWatched: boolean;
}

/** What a call reports before its answer. */
export type GenerationNews =
  | { readonly kind: 'tokens'; readonly written: readonly TokensWritten[] }
  | { readonly kind: 'progress'; readonly progress: GenerationProgress };

interface StartData {
  readonly folder: string;
  readonly plan: ComputePlan;
}

serveCalls(async ({ folder, plan }: StartData) => {
  const checkpoint = await openCheckpoint(folder);
  const inMemory = plan.isLarge ? undefined : await readWeights(checkpoint);
  const lane = new GenerationLane(checkpoint, plan, inMemory);
  const adapters = new Map<string, Adapter>();
  const adapterOf = (digest: string | undefined): Adapter | undefined => {
    if (digest === undefined) return undefined;
    const adapter = adapters.get(digest);
    if (!adapter) throw new SeamError('INTERNAL', `Cannot use adapter ${digest}: this worker was not given it.`);
    return adapter;
  };
  return {
    digest: async () => checkpointDigest(checkpoint),
    prepare: async () => lane.prepare(),
    assertWithin: async ({ schemas, maxTokens }: { schemas: readonly JsonSchema[]; maxTokens: number }) =>
      lane.grammars.assertWithin(schemas, maxTokens),
    keepAdapter: async (adapter: Adapter) => void adapters.set(adapter.digest, adapter),
    dropAdapter: async (digest: string) => void adapters.delete(digest),
    generate: async ({ requests, adapter, isHeard, isWatched }: GenerateCall, { signal, tell }: ServedCall) => {
      const say = (news: GenerationNews): void => tell(news);
      return lane.generate(requests, adapterOf(adapter), {
        signal,
        ...(isHeard ? { onTokens: (written) => say({ kind: 'tokens', written }) } : {}),
        ...(isWatched ? { onProgress: (progress) => say({ kind: 'progress', progress }) } : {}),
      });
    },
    logProbabilities: async ({ sequences, adapter }: { sequences: readonly ScoredSequence[]; adapter?: string }) =>
      lane.logProbabilities(sequences, adapterOf(adapter)),
    probe: async ({ prompts, adapter }: { prompts: readonly (readonly number[])[]; adapter?: string }) =>
      lane.probe(prompts, adapterOf(adapter)),
  };
}, 'side by side');
