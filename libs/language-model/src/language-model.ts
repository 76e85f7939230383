/**
 * A language model that is ready to generate. The work is done in worker threads, each with one-threaded sessions of its
 * own: requests are shared out, the event loop keeps ticking, and because a candidate does not depend on its batch mates,
 * neither the number of threads nor the sharing out can be seen in a result.
 */
import { isSeamError, raceAbort, SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { Tokenizer, type TokenizerSettings } from '@seamstream/tokenizer';
import type { Adapter } from './adapters/adapter.js';
import { checkpointDigest, openCheckpoint } from './checkpoint/checkpoint.js';
import { DigestMemory, findFiles } from './checkpoint/digest-memory.js';
import { fingerprintOf, probePrompts } from './checkpoint/fingerprint.js';
import type { ModelConfig } from './checkpoint/model-config.types.js';
import type {
  GeneratedSequence,
  GenerationProgress,
  GenerationRequest,
  GenerationResult,
  TokensWritten,
} from './generation/generation.types.js';
import type { GenerationNews } from './generation/generation.worker.js';
import { errandsOf, type GenerationTask, ProgressWatch } from './generation/generation-tasks.js';
import { Grammars } from './generation/grammars.js';
import { type SpelledText, spelledText } from './generation/spelled-text.js';
import { type ComputeSettings, computePlan } from './graphs/compute-plan.js';
import type { ScoredSequence } from './training/sequence-batch.js';
import { WorkerClient } from './worker/worker-call.js';

export interface LoadSettings extends TokenizerSettings, ComputeSettings {
  /**
   * `measured` (default): all of a model is read before it is there. `remembered`: a large model whose files are as they were
   * when they were last measured begins with that digest, and gives no answer before it is measured again.
   */
  readonly digest?: 'measured' | 'remembered';
}

export interface WeightOptions {
  /** Weights to use instead of the base model's. */
  readonly adapter?: Adapter;
}

export interface GenerationOptions extends WeightOptions {
  /** Ends the call before it is done. */
  readonly signal?: AbortSignal;
  /** The most time that the call may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** Is called with tokens as they are written; those of one candidate come in order. */
  readonly onTokens?: (written: readonly TokensWritten[]) => void;
  /** Is called with the progress of the call, a few times a second; before the call rejects, of what it had finished. */
  readonly onProgress?: (progress: GenerationProgress) => void;
}
/** Adapters that a worker keeps: the serving one, its predecessor, and two under evaluation. */
const KEPT_ADAPTERS = 4;

interface Lane {
  worker: WorkerClient;
  /** Resolves once the worker has shown that it holds this model's weights. */
  ready: Promise<void>;
  /** How many calls use each adapter that the worker holds, by digest, the most recently asked for last. */
  readonly held: Map<string, number>;
}

export class LanguageModel {
  readonly #lanes: readonly Lane[];
  readonly #startWorker: () => WorkerClient;
  readonly #tokenizer: Tokenizer | undefined;
  /** Whose weights are to be measured still; absent where that was done while loading. */
  readonly #unmeasured: string | undefined;
  #proof: Promise<void> | undefined;
  #grammars: Grammars | undefined;
  readonly #closing = new AbortController();

  private constructor(
    workers: readonly WorkerClient[],
    startWorker: () => WorkerClient,
    tokenizer: Tokenizer | undefined,
    /**
     * SHA-256 of configuration and weights; see Checkpoint. Where it was remembered, the first answer shows that it is right.
     */
    readonly digest: string,
    readonly config: ModelConfig,
    /** Any of them ends a text. */
    private readonly endTokenIds: readonly number[],
    unmeasured: string | undefined,
  ) {
    this.#lanes = workers.map((worker) => ({ worker, ready: Promise.resolve(), held: new Map() }));
    this.#startWorker = startWorker;
    this.#tokenizer = tokenizer;
    this.#unmeasured = unmeasured;
  }

  /**
   * Loads a model folder as Hugging Face publishes it.
   * @throws CHECKPOINT_INVALID, UNSUPPORTED_MODEL, SESSION_FAILED; INVALID_CONFIGURATION where the installation does not
   *   have the execution provider
   */
  static async load(folder: string, settings: LoadSettings = {}): Promise<LanguageModel> {
    const checkpoint = await openCheckpoint(folder);
    const { config } = checkpoint;
    const plan = computePlan(config, settings);
    const entry = new URL('../dist/generation/generation.worker.js', import.meta.url);
    const startWorker = (): WorkerClient => new WorkerClient(entry, { folder, plan });
    const mayExpect = plan.isLarge && settings.digest === 'remembered';
    const expected = mayExpect ? await new DigestMemory().of(await findFiles(checkpoint)) : undefined;
    const workers = Array.from({ length: plan.lanes }, startWorker);
    try {
      // Reading all of a large model and compiling it take about as long: they run side by side.
      const [digest, tokenizer] = await Promise.all([
        expected ?? (plan.isLarge ? digestAside(folder) : checkpointDigest(checkpoint)),
        Tokenizer.loadIfPresent(folder, settings),
        ...workers.map((worker) => worker.call<undefined>('prepare', undefined)),
      ]);
      tokenizer?.assertFits(config.vocabularySize, checkpoint.generation.eosTokenIds);
      const unmeasured = expected === undefined ? undefined : folder;
      const { eosTokenIds } = checkpoint.generation;
      return new LanguageModel(workers, startWorker, tokenizer, digest, config, eosTokenIds, unmeasured);
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.close()));
      throw error;
    }
  }

  /** @throws CHECKPOINT_INVALID when the folder has no tokenizer.json. */
  get tokenizer(): Tokenizer {
    if (!this.#tokenizer) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        'Cannot find the tokenizer: expected tokenizer.json in the model folder, got none. Add the one it was trained with.',
      );
    }
    return this.#tokenizer;
  }

  /**
   * Continues every prompt once per seed.
   * @returns one result per request, its candidates in the order of the seeds.
   * @throws PROMPT_TOO_LONG, INVALID_INPUT, UNSUPPORTED_JSON_SCHEMA, NON_FINITE, ADAPTER_INVALID; SESSION_FAILED when a
   *   worker thread ends, after which the same call may succeed: another thread takes its place; ABORTED when the
   *   signal ended it, DEADLINE_EXCEEDED when its time was over
   */
  async generate(requests: readonly GenerationRequest[], options: GenerationOptions = {}): Promise<GenerationResult[]> {
    const { timeoutMs } = options;
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const signals = [options.signal, deadline].filter((signal) => signal !== undefined);
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined;
    try {
      return await this.#generate(requests, options, signal);
    } catch (error) {
      if (!deadline?.aborted || options.signal?.aborted || !isSeamError(error, 'ABORTED')) throw error;
      throw new SeamError(
        'DEADLINE_EXCEEDED',
        `Cannot generate ${requests.length} requests: expected to end within ${timeoutMs} ms, got no end. Ask for less at once, or give it more time.`,
      );
    }
  }

  async #generate(
    requests: readonly GenerationRequest[],
    { adapter: weights, onTokens, onProgress }: GenerationOptions,
    signal: AbortSignal | undefined,
  ): Promise<GenerationResult[]> {
    const results = requests.map(({ seeds }) => new Array<GeneratedSequence>(seeds.length));
    const watch = onProgress && new ProgressWatch(requests, results, onProgress);
    // Who hears of the first token is to hear of it soon: measuring waits for that.
    if (onTokens === undefined) this.#beginProof();
    const generate = async (
      worker: WorkerClient,
      errands: readonly GenerationTask[],
      adapter?: string,
    ): Promise<void> => {
      const watched = watch?.errand(errands);
      const onNews = (news: GenerationNews): void => {
        this.#beginProof();
        if (news.kind === 'progress') {
          watched?.tell(news.progress);
          return;
        }
        // What an errand calls its requests and seeds, the caller knows by other numbers.
        onTokens?.(
          news.written.map(({ request, seed, tokenIds }) => {
            const { index, firstSeed } = errands[request]!;
            return { request: index, seed: firstSeed + seed, tokenIds };
          }),
        );
      };
      const answers = await worker.call<GenerationResult[]>(
        'generate',
        {
          requests: errands.map(({ request }) => request),
          isHeard: onTokens !== undefined,
          isWatched: onProgress !== undefined,
          ...(adapter === undefined ? {} : { adapter }),
        },
        { signal, onNews },
      );
      answers.forEach((candidates, at) => {
        const { index, firstSeed } = errands[at]!;
        candidates.forEach((candidate, seed) => {
          results[index]![firstSeed + seed] = candidate;
        });
      });
      watched?.end(answers);
    };
    await this.#share(errandsOf(requests, this.#lanes.length), weights, generate, signal);
    return results;
  }

  /**
   * ln π of the targets of each sequence in nats: under the softmax over legal tokens where it has a schema.
   * @throws INVALID_INPUT
   */
  async logProbabilities(sequences: readonly ScoredSequence[], options: WeightOptions = {}): Promise<number[][]> {
    const results: number[][] = sequences.map(() => []);
    const size = Math.max(1, Math.ceil(sequences.length / this.#lanes.length));
    const parts = Array.from({ length: Math.ceil(sequences.length / size) }, (_, part) => part * size);
    await this.#share(parts, options.adapter, async (worker, first, adapter) => {
      const scores = await worker.call<number[][]>('logProbabilities', {
        sequences: sequences.slice(first, first + size),
        ...(adapter === undefined ? {} : { adapter }),
      });
      scores.forEach((score, at) => {
        results[first + at] = score;
      });
    });
    return results;
  }

  /**
   * Shows that it can write texts under these schemas within a budget; what is compiled for that is there when it is needed.
   * @throws UNSUPPORTED_JSON_SCHEMA, INVALID_INPUT
   */
  async assertWrites(schemas: readonly JsonSchema[], maxTokens: number): Promise<void> {
    await Promise.all(
      this.#lanes.map(async (lane) => {
        await (await this.#workerOf(lane)).call<undefined>('assertWithin', { schemas, maxTokens });
      }),
    );
  }

  /**
   * A text as it would have written it; undefined where the schema does not allow it.
   * @throws UNSUPPORTED_JSON_SCHEMA; CHECKPOINT_INVALID without a tokenizer
   */
  spell(text: string, schema?: JsonSchema): Promise<SpelledText | undefined> {
    const { tokenizer, endTokenIds } = this;
    this.#grammars ??= new Grammars(tokenizer);
    return spelledText(text, { tokenizer, grammars: this.#grammars, schema, endTokenIds });
  }

  /** What these weights answer to fixed prompts, by the graphs that serve; compare with {@link sameFingerprint}. */
  async fingerprint(adapter?: Adapter): Promise<string> {
    let logits: Float32Array[] = [];
    await this.#share([probePrompts(this.config.vocabularySize)], adapter, async (worker, prompts, digest) => {
      logits = await worker.call<Float32Array[]>('probe', {
        prompts,
        ...(digest === undefined ? {} : { adapter: digest }),
      });
    });
    return fingerprintOf(logits);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#lanes.map(({ worker }) => worker.close()));
    await this.#proof?.catch(() => undefined);
  }

  /** Hands errands to whichever worker is free, each worker having been given the adapter first. */
  async #share<Part>(
    parts: readonly Part[],
    adapter: Adapter | undefined,
    perform: (worker: WorkerClient, part: Part, adapter: string | undefined) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    if (adapter && adapter.baseModelDigest !== this.digest) {
      await this.#proven();
      throw new SeamError(
        'ADAPTER_INVALID',
        `Cannot use adapter ${adapter.digest}: expected one of base model ${this.digest}, got one of ${adapter.baseModelDigest}. Load the model it belongs to.`,
      );
    }
    let next = 0;
    // The first failure stops the handing out; what runs is waited for, so that no errand outlives the call.
    const outcomes = await Promise.allSettled(
      this.#lanes.slice(0, parts.length).map(async (lane) => {
        const worker = await this.#workerOf(lane);
        const release = await this.#provide(worker, lane, adapter);
        try {
          while (next < parts.length) await perform(worker, parts[next++]!, adapter?.digest);
        } finally {
          next = parts.length;
          release();
        }
      }),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    await raceAbort(signal, this.#proven(), 'the proof of the weights');
  }

  #beginProof(): void {
    this.#proven().catch(() => undefined); // reported to the caller that waits for an answer
  }

  /** @throws CHECKPOINT_INVALID, for ever, where the weights are not those that {@link digest} names. */
  #proven(): Promise<void> {
    this.#proof ??= this.#prove().catch((error: unknown) => {
      if (!isSeamError(error, 'CHECKPOINT_INVALID')) this.#proof = undefined;
      throw error;
    });
    return this.#proof;
  }

  async #prove(): Promise<void> {
    if (this.#unmeasured === undefined) return;
    const measured = await digestAside(this.#unmeasured, this.#closing.signal);
    if (measured === this.digest) return;
    throw new SeamError(
      'CHECKPOINT_INVALID',
      `Cannot use model ${this.digest}: its files look as they did when that was measured, and hold ${measured}. Nothing was answered; restart to use the other model.`,
    );
  }

  /** The lane's worker, a new one when the last has ended (say, for want of memory). */
  async #workerOf(lane: Lane): Promise<WorkerClient> {
    if (lane.worker.hasEnded && !this.#closing.signal.aborted) {
      const worker = this.#startWorker();
      lane.worker = worker;
      lane.held.clear(); // with its counts: who used the last worker has no claim on this one
      // One that is not proven is no worker: the next call tries another.
      lane.ready = this.#assertSameWeights(worker).catch(async (error: unknown) => {
        await worker.close();
        throw error;
      });
    }
    await lane.ready;
    return lane.worker;
  }

  async #assertSameWeights(worker: WorkerClient): Promise<void> {
    const digest = await worker.call<string>('digest', undefined);
    if (digest === this.digest) return;
    throw new SeamError(
      'CHECKPOINT_INVALID',
      `Cannot replace a worker thread of model ${this.digest}: its folder now holds ${digest}. Restore the folder, or restart to use the other model.`,
    );
  }

  /** Gives the worker the adapter, and keeps it there until what is returned is called. */
  async #provide(worker: WorkerClient, lane: Lane, adapter: Adapter | undefined): Promise<() => void> {
    if (!adapter) return () => undefined;
    const { digest } = adapter;
    const users = lane.held.get(digest);
    lane.held.delete(digest);
    lane.held.set(digest, (users ?? 0) + 1);
    const release = (): void => {
      const count = lane.held.get(digest);
      if (lane.worker === worker && count !== undefined) lane.held.set(digest, count - 1);
    };
    if (users !== undefined) return release;
    const calls = [worker.call('keepAdapter', adapter)];
    for (const [known, count] of lane.held) {
      if (lane.held.size <= KEPT_ADAPTERS) break;
      if (count > 0) continue;
      lane.held.delete(known);
      calls.push(worker.call('dropAdapter', known));
    }
    try {
      await Promise.all(calls);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** The digest, taken on another thread while this one continues. @throws SESSION_FAILED when the signal ended it */
async function digestAside(folder: string, signal?: AbortSignal): Promise<string> {
  if (signal?.aborted) throw new SeamError('SESSION_FAILED', 'Cannot measure the weights: the model was closed.');
  const worker = new WorkerClient(new URL('../dist/checkpoint/checkpoint-digest.worker.js', import.meta.url), folder);
  const stop = (): void => void worker.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await worker.call<string>('digest', undefined);
  } finally {
    signal?.removeEventListener('abort', stop);
    await worker.close();
  }
}
