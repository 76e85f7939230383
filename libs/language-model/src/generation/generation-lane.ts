/**
 * Generation on one thread: requests are checked and become jobs, weights become sessions, and a queue runs candidates of
 * many callers together. Tokens that the grammar forces cost no separate run: they travel in one chunk with the choice
 * before them.
 *
 * A candidate depends on its own request and seed only, never on who shares its wave; see wave.ts.
 */
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type { StoredTensor } from '@seamstream/model-files';
import { assertExecutionProvider } from '@seamstream/tensor-graph';
import type { Adapter } from '../adapters/adapter.js';
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import { CompiledModel } from '../graphs/compiled-model.js';
import type { ComputePlan } from '../graphs/compute-plan.js';
import type { WeightSource } from '../graphs/decoder.js';
import { type ScoredSequence, scoreSequences } from '../training/sequence-batch.js';
import { type Job, sequenceOf, startCandidate } from './candidate.js';
import type { WeightFeeds } from './decode-step.js';
import type { GenerationRequest, GenerationResult } from './generation.types.js';
import { GenerationQueue, type QueueCall } from './generation-queue.js';
import { type GrammarOf, Grammars } from './grammars.js';
import { computePrompts } from './prefill.js';

const BASE = 'base';
/** The weights in use, their predecessor and the base. */
const KEPT_WEIGHTS = 3;

export class GenerationLane {
  readonly #checkpoint: Checkpoint;
  readonly grammars: Grammars;
  readonly #base: WeightSource;
  readonly #plan: ComputePlan;
  readonly #compiled = new Map<string, CompiledModel>();
  readonly #queue: GenerationQueue;

  /** @param inMemory weights that are not mapped, see compute-plan.ts */
  constructor(checkpoint: Checkpoint, plan: ComputePlan, inMemory?: ReadonlyMap<string, StoredTensor>) {
    this.#checkpoint = checkpoint;
    this.#base = { checkpoint, ...(inMemory ? { inMemory } : {}) };
    this.grammars = new Grammars(checkpoint.folder);
    this.#plan = plan;
    this.#queue = new GenerationQueue(checkpoint.config, plan.cacheBytes);
  }

  /**
   * Compiles a large model before it is asked for; a small one is compiled fast enough when it is. What the execution
   * provider cannot do comes out here, by computing something.
   */
  async prepare(): Promise<void> {
    await assertExecutionProvider(this.#plan.executionProvider);
    if (this.#plan.isLarge) await this.#withWeights(undefined, (compiled) => compiled.prefill());
    if (this.#plan.executionProvider !== 'cpu') await this.probe([[0, 1, 2]]);
  }

  /**
   * @throws PROMPT_TOO_LONG, INVALID_INPUT, UNSUPPORTED_JSON_SCHEMA, NON_FINITE, SESSION_FAILED; ABORTED when the signal
   *   ended it
   */
  async generate(
    requests: readonly GenerationRequest[],
    adapter?: Adapter,
    listening: Pick<QueueCall, 'signal' | 'onTokens' | 'onProgress'> = {},
  ): Promise<GenerationResult[]> {
    const grammarOf = await this.grammars.prepare(requests.map(({ schema }) => schema));
    const jobs = requests.map((request, index) => {
      const job = this.#job(request, index, grammarOf);
      return { job, candidates: request.seeds.map((seed, seedIndex) => startCandidate(job, seed, seedIndex)) };
    });
    const weightsKey = adapter?.digest ?? BASE;
    await this.#withWeights(adapter, (sessions, feeds) =>
      this.#queue.run({ weightsKey, sessions, feeds, jobs, ...listening }),
    );
    return jobs.map(({ candidates }) => candidates.map(sequenceOf));
  }

  /** ln π of the targets of each sequence; see scoreSequences. */
  async logProbabilities(sequences: readonly ScoredSequence[], adapter?: Adapter): Promise<number[][]> {
    const grammarOf = await this.grammars.prepare(sequences.map(({ schema }) => schema));
    return this.#withWeights(adapter, (compiled, feeds) =>
      scoreSequences(this.#checkpoint.config, sequences, grammarOf, async (batch, isMasked) => {
        const session = await compiled.scoring(isMasked);
        return (await session.run({ ...feeds, ...batch })).log_probs!.data;
      }),
    );
  }

  /** Logits of the last token of each prompt, [V] each, every prompt computed alone. */
  async probe(prompts: readonly (readonly number[])[], adapter?: Adapter): Promise<Float32Array[]> {
    const { config } = this.#checkpoint;
    return this.#withWeights(adapter, async (sessions, feeds) => {
      const logits: Float32Array[] = [];
      for (const prompt of prompts) {
        const computed = await computePrompts(config, sessions, feeds, [prompt], prompt.length);
        logits.push(computed.logits.slice(0, config.vocabularySize));
      }
      return logits;
    });
  }

  async close(): Promise<void> {
    for (const compiled of this.#compiled.values()) await compiled.close();
    this.#compiled.clear();
  }

  /** Lets `use` work with an adapter's weights and keeps them open until it is done. */
  async #withWeights<Result>(
    adapter: Adapter | undefined,
    use: (compiled: CompiledModel, feeds: WeightFeeds) => Promise<Result>,
  ): Promise<Result> {
    const { key, source, feeds } = this.#sourceOf(adapter);
    const compiled = this.#compiled.get(key) ?? new CompiledModel(source, this.#plan);
    // Most recently used last.
    this.#compiled.delete(key);
    this.#compiled.set(key, compiled);
    compiled.users++;
    try {
      await this.#closeUnused();
      return await use(compiled, feeds);
    } finally {
      compiled.users--;
    }
  }

  /** LoRA factors are fed to sessions shared by all adapters of one form; a full adapter has separate sessions. */
  #sourceOf(adapter: Adapter | undefined): { key: string; source: WeightSource; feeds: WeightFeeds } {
    if (!adapter) return { key: BASE, source: this.#base, feeds: {} };
    if (adapter.settings.kind === 'full') {
      return { key: adapter.digest, source: { ...this.#base, inMemory: adapter.tensors }, feeds: {} };
    }
    const feeds = [...adapter.tensors].map(([name, { data, shape }]) => [name, { data, dims: shape }] as const);
    return {
      // Adapters that differ in nothing but the seed of their factors have one form.
      key: canonicalJson({ ...adapter.settings, seed: '' }),
      source: { ...this.#base, inputs: adapter.settings },
      feeds: Object.fromEntries(feeds),
    };
  }

  /** Of small models what was used last and the base stay compiled; of a large one only what is in use. */
  async #closeUnused(): Promise<void> {
    const kept = this.#plan.isLarge ? 1 : KEPT_WEIGHTS;
    for (const [key, compiled] of [...this.#compiled]) {
      if (this.#compiled.size <= kept) break;
      if (compiled.users > 0 || (key === BASE && !this.#plan.isLarge)) continue;
      this.#compiled.delete(key);
      await compiled.close();
    }
  }

  #job(request: GenerationRequest, index: number, grammarOf: GrammarOf): Job {
    const { promptTokenIds, sampling, schema } = request;
    const { maxPositions, vocabularySize } = this.#checkpoint.config;
    const bad = promptTokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabularySize);
    if (promptTokenIds.length === 0 || bad !== undefined || request.seeds.length === 0 || !(sampling.maxTokens >= 1)) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot generate: expected a prompt of token ids below ${vocabularySize}, a seed and maxTokens ≥ 1, got ${promptTokenIds.length} ids${bad === undefined ? '' : ` with ${bad} among them`}, ${request.seeds.length} seeds, maxTokens ${sampling.maxTokens}.`,
      );
    }
    if (promptTokenIds.length + sampling.maxTokens > maxPositions) {
      throw new SeamError(
        'PROMPT_TOO_LONG',
        `Cannot generate: expected prompt and answer within the ${maxPositions} tokens of the model, got a prompt of ${promptTokenIds.length} and maxTokens ${sampling.maxTokens}. Shorten the prompt or lower maxTokens.`,
        { details: { promptTokens: promptTokenIds.length, maxTokens: sampling.maxTokens, maxPositions } },
      );
    }
    const grammar = schema ? grammarOf(schema) : undefined;
    const start = grammar?.start();
    if (grammar && start && grammar.minTokensToComplete(start) > sampling.maxTokens) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot generate: expected maxTokens of at least ${grammar.minTokensToComplete(start)}, the shortest valid text under the schema, got ${sampling.maxTokens}. Raise maxTokens.`,
      );
    }
    const opening = grammar && start ? grammar.forcedRun(start).slice(0, sampling.maxTokens) : [];
    const stops = new Set(request.stopTokenIds ?? this.#checkpoint.generation.eosTokenIds);
    return { request, index, grammar, start, opening, prefix: [...promptTokenIds, ...opening], stops };
  }
}
