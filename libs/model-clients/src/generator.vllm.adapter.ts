/**
 * The generator as a vLLM server (POST /v1/completions as vLLM documents it, https://docs.vllm.ai/en/latest/serving/openai_compatible_server):
 * prompts are token ids, adapters are loaded while it runs.
 *
 * The grammar is the engine's own and stays here. vLLM's structured outputs would hold an entry to the same schema, but let it be
 * spelled by other tokens than the canonical ones (ADR 0011), and the trainer forms its ratios under the mask of this grammar. So what is
 * forced is written without asking, and each choice is asked for with the legal tokens as the server's mask. While the legal tokens stay
 * the same (inside a text), one request draws many. A token is kept only if the mask that it was drawn under is the grammar's at its
 * place: what is drawn is distributed as the engine draws it, and the server's log-probabilities are those under the mask.
 */
import { isSeamError, raceAbort, SeamError } from '@seamstream/kernel';
import {
  type Adapter,
  type GeneratedSequence,
  type GenerationRequest,
  type GenerationResult,
  Grammars,
  loadCheckpoint,
  type ModelConfig,
} from '@seamstream/language-model';
import {
  type EndpointClient,
  type EndpointResult,
  type EndpointTask,
  type ModelList,
  modelListSchema,
} from '@seamstream/openai-endpoint';
import type { GeneratorModel } from '@seamstream/rollout';
import type { JsonSchema, TokenGrammar } from '@seamstream/token-grammar';
import { Tokenizer } from '@seamstream/tokenizer';
import { VllmAdapters } from './vllm-adapters.js';
import { distanceFrom } from './vllm-attestation.js';
import {
  assertPlain,
  type Completion,
  completionSchema,
  type Drawn,
  drawnOf,
  greedy,
  inTime,
  isSame,
  NO_TOKENS,
  PROBE_TOKENS,
  probePrompt,
  seedNumber,
  sequence,
  toldOf,
  type Until,
  valueOf,
} from './vllm-completions.js';
import { maskFields } from './vllm-masks.js';

export interface VllmGeneratorSettings {
  /** Folder of the base model, as the server has it: its tokenizer, its configuration and its digest are read. */
  readonly modelFolder: string;
  readonly chatTemplate: 'auto' | 'none';
  /** The base model as the server calls it (--served-model-name). */
  readonly model: string;
  /** Where adapters are written for the server. */
  readonly adaptersFolder: string;
  /** The same folder as the server sees it. */
  readonly serverAdaptersFolder: string;
  /** Candidates that are written at a time: no more than the client has requests under way. */
  readonly concurrency: number;
  /** How far an adapter's answers may be from its fingerprint, as a share of the largest logit. */
  readonly tolerance: number;
}
/** Times that one request finds its adapter missing and has it loaded; a server that loses it more often needs a person. */
const RELOADS = 5;
/** More than rounding makes of a log-probability in half precision, and less than any training does. */
const PROBE_DIFFERENCE = 1e-4;

export class VllmGenerator implements GeneratorModel {
  private readonly grammars: Grammars;
  private readonly adapters: VllmAdapters;

  private constructor(
    private readonly client: EndpointClient,
    private readonly settings: VllmGeneratorSettings,
    readonly tokenizer: Tokenizer,
    readonly digest: string,
    readonly config: ModelConfig,
  ) {
    this.grammars = new Grammars(tokenizer);
    this.adapters = new VllmAdapters(client, settings, config, {
      attest: (name, fingerprint) => this.attest(name, fingerprint),
      isServing: async () => {
        const asked = await this.ask(settings.model, probePrompt(config.vocabularySize), greedy(1), true);
        return asked.kind === 'answer';
      },
    });
  }

  /**
   * Reads the folder and asks the server whether it is the one that is needed.
   * @throws INVALID_CONFIGURATION where it is another model's, where its log-probabilities are not those under the mask, or as the
   * endpoint refuses; CHECKPOINT_INVALID; ENDPOINT_UNAVAILABLE, ENDPOINT_FAILED where it does not answer
   */
  static async open(client: EndpointClient, settings: VllmGeneratorSettings): Promise<VllmGenerator> {
    const { modelFolder, chatTemplate, model } = settings;
    const [{ config, digest }, tokenizer] = await Promise.all([
      loadCheckpoint(modelFolder),
      Tokenizer.load(modelFolder, { chatTemplate }),
    ]);
    const list = valueOf(
      await client.ask<ModelList>({
        method: 'GET',
        path: 'models',
        schema: modelListSchema,
        worst: NO_TOKENS,
        usage: () => NO_TOKENS,
      }),
    );
    const entry = list.data.find(({ id }) => id === model);
    const fault = (problem: string): SeamError =>
      new SeamError('INVALID_CONFIGURATION', `Cannot start the generator on vLLM: ${problem}`);
    if (entry === undefined) {
      const known = list.data.map(({ id }) => id).join(', ') || 'none';
      throw fault(`expected a model called ${model}, it serves ${known}. Correct SEAM_GENERATOR_VLLM_MODEL.`);
    }
    const maxPositions = Math.min(config.maxPositions, entry.max_model_len ?? Infinity);
    const generator = new VllmGenerator(client, settings, tokenizer, digest, { ...config, maxPositions });
    const prompt = probePrompt(config.vocabularySize);
    const [only] = prompt;
    const drawn = await generator.complete(model, prompt, {
      ...greedy(1),
      allowed_token_ids: [only!],
      return_token_ids: true,
    });
    const [choice] = drawn.choices;
    if (choice!.prompt_token_ids?.join() !== prompt.join())
      throw fault('expected the prompt back as it was sent, token by token. Serve the same model as in the folder.');
    if (choice!.token_ids.join() !== String(only) || choice!.logprobs.token_logprobs[0]! < -1e-3) {
      throw fault(
        'expected a single legal token to be drawn with probability 1, its log-probability is another. Start it with --logprobs-mode processed_logprobs.',
      );
    }
    return generator;
  }

  assertWrites(schemas: readonly JsonSchema[], maxTokens: number): Promise<void> {
    return this.grammars.assertWithin(schemas, maxTokens);
  }

  /** The first candidate that fails ends all others: their results are no longer needed. */
  async generate(
    requests: readonly GenerationRequest[],
    { adapter, signal, onProgress }: Parameters<GeneratorModel['generate']>[1] = {},
  ): Promise<readonly GenerationResult[]> {
    for (const { sampling } of requests) assertPlain(sampling);
    const grammarOf = await this.grammars.prepare(requests.map(({ schema }) => schema));
    const failing = new AbortController();
    const until = signal === undefined ? failing.signal : AbortSignal.any([failing.signal, signal]);
    const results = requests.map(({ seeds }) => new Array<GeneratedSequence>(seeds.length));
    const places = requests.flatMap(({ seeds }, request) => seeds.map((_, candidate) => ({ request, candidate })));
    // One iterator for all writers: each takes the next candidate when it is done with one.
    const left = places.values();
    let tokens = 0;
    const unwritten = requests.map(({ seeds }) => seeds.length);
    const writer = async (): Promise<void> => {
      for (const { request, candidate } of left) {
        const asked = requests[request]!;
        try {
          const grammar = asked.schema === undefined ? undefined : grammarOf(asked.schema);
          const written = await inTime(asked, until, (until) =>
            this.candidate(asked, grammar, asked.seeds[candidate]!, adapter, until),
          );
          results[request]![candidate] = written;
          tokens += written.tokenIds.length;
          const others = (unwritten[request]! -= 1);
          const isWhole = others === 0;
          onProgress?.({ tokens, finished: isWhole ? [{ request, candidates: results[request]! }] : [] });
        } catch (error) {
          failing.abort();
          throw error;
        }
      }
    };
    const { concurrency } = this.settings;
    const writers = Array.from({ length: Math.min(concurrency, places.length) }, writer);
    await Promise.all(writers).finally(() => Promise.allSettled(writers));
    return results;
  }

  /**
   * Proves that the server applies the adapter: it answers as the promotion's fingerprint says, and otherwise than the base model. From now
   * on the adapter is used only while it does.
   * @throws ADAPTER_INVALID where it does not, or where the server refuses the adapter
   */
  async prove(adapter: Adapter, fingerprint: string): Promise<void> {
    this.adapters.expect(adapter.digest, fingerprint);
    try {
      await this.adapters.loaded(adapter);
    } catch (error) {
      // Here it halts nothing: the adapter before it keeps serving.
      if (!isSeamError(error, 'ADAPTER_INVALID')) throw error;
      throw new SeamError(error.code, error.message, { cause: error });
    }
    const prompt = probePrompt(this.config.vocabularySize);
    const ask = async (carried: Adapter | undefined): Promise<Drawn> =>
      drawnOf(await this.completeWith(carried, prompt, greedy(PROBE_TOKENS)));
    const [bare, carrying] = [await ask(undefined), await ask(adapter)];
    const differs =
      bare.tokenIds.join() !== carrying.tokenIds.join() ||
      bare.logProbs.some((logProb, at) => Math.abs(logProb - carrying.logProbs[at]!) > PROBE_DIFFERENCE);
    if (!differs) {
      throw new SeamError(
        'ADAPTER_INVALID',
        `Cannot serve adapter ${adapter.digest} by vLLM: expected another answer to the probe than the base model's, got the same. The adapter changes nothing, or the server does not apply it.`,
      );
    }
  }

  /** @throws ADAPTER_INVALID where what is loaded under this name answers otherwise than the fingerprint says */
  private async attest(name: string, fingerprint: string): Promise<void> {
    const { config, settings } = this;
    const distance = await distanceFrom(fingerprint, config.vocabularySize, async (prompt, tokens) =>
      toldOf(
        valueOf(
          await this.ask(
            name,
            prompt,
            {
              ...greedy(1),
              allowed_token_ids: tokens,
              logprobs: tokens.length,
              return_tokens_as_token_ids: true,
            },
            true,
          ),
        ),
      ),
    );
    if (distance <= settings.tolerance) return;
    throw new SeamError(
      'ADAPTER_INVALID',
      `Cannot serve ${name} by vLLM: expected answers within ${settings.tolerance} of the promotion's fingerprint, they are ${distance.toPrecision(2)} from it. The server computes with other weights, or in half precision: serve the base model that was trained on, in float32, or raise SEAM_GENERATOR_VLLM_TOLERANCE.`,
    );
  }

  private candidate(
    request: GenerationRequest,
    grammar: TokenGrammar | undefined,
    seed: string,
    adapter: Adapter | undefined,
    until: Until,
  ): Promise<GeneratedSequence> {
    return grammar === undefined
      ? this.freeCandidate(request, seed, adapter, until)
      : this.maskedCandidate(request, grammar, seed, adapter, until);
  }

  /** Text without a schema: one request. */
  private async freeCandidate(
    { promptTokenIds, sampling: { maxTokens, temperature }, stopTokenIds }: GenerationRequest,
    seed: string,
    adapter: Adapter | undefined,
    until: Until,
  ): Promise<GeneratedSequence> {
    const fields = {
      temperature,
      max_tokens: maxTokens,
      seed: seedNumber(seed, 0),
      ...(stopTokenIds === undefined ? {} : { stop_token_ids: stopTokenIds }),
    };
    const { tokenIds, logProbs, finishReason } = drawnOf(
      await this.completeWith(adapter, promptTokenIds, fields, until),
    );
    return sequence(
      tokenIds,
      logProbs,
      tokenIds.map(() => false),
      finishReason === 'stop' ? 'completed' : 'length',
    );
  }

  /** Text under a schema: a request for each token or run of tokens between which the grammar's mask changes. */
  private async maskedCandidate(
    { promptTokenIds, sampling: { maxTokens, temperature } }: GenerationRequest,
    grammar: TokenGrammar,
    seed: string,
    adapter: Adapter | undefined,
    until: Until,
  ): Promise<GeneratedSequence> {
    const tokenIds: number[] = [];
    const logProbs: number[] = [];
    const forced: boolean[] = [];
    let state = grammar.start();
    const write = (id: number, logProb: number, isForced: boolean): void => {
      state = grammar.advance(state, id);
      tokenIds.push(id);
      logProbs.push(isForced ? 0 : Math.min(0, logProb));
      forced.push(isForced);
    };
    while (!grammar.isComplete(state) && tokenIds.length < maxTokens) {
      const legal = grammar.allowedWithin(state, maxTokens - tokenIds.length).ids;
      if (legal.length === 1) {
        write(legal[0]!, 0, true);
        continue;
      }
      const drawn = drawnOf(
        await this.completeWith(
          adapter,
          [...promptTokenIds, ...tokenIds],
          {
            temperature,
            seed: seedNumber(seed, tokenIds.length),
            ...maskFields(this.tokenizer.vocabulary, this.config.vocabularySize, legal, maxTokens - tokenIds.length),
          },
          until,
        ),
      );
      const isLegal = new Set(legal);
      for (const [at, id] of drawn.tokenIds.entries()) {
        const now = at === 0 ? legal : grammar.allowedWithin(state, maxTokens - tokenIds.length).ids;
        // This token was drawn under a stale mask: it and all after it are discarded and drawn again.
        if (grammar.isComplete(state) || !isSame(now, legal)) break;
        if (!isLegal.has(id)) {
          throw new SeamError(
            'ENDPOINT_FAILED',
            `Cannot generate by vLLM: it drew token ${id}, which its mask of ${legal.length} legal tokens does not hold. Look into the server's version.`,
          );
        }
        write(id, drawn.logProbs[at]!, false);
      }
      if (drawn.tokenIds.length === 0)
        throw new SeamError('ENDPOINT_FAILED', 'Cannot generate by vLLM: expected at least one token, got none.');
    }
    return sequence(tokenIds, logProbs, forced, grammar.isComplete(state) ? 'completed' : 'length');
  }

  /** With an adapter: as {@link complete}; a server that was started again has lost its adapters and is given this one again. */
  private async completeWith(
    adapter: Adapter | undefined,
    prompt: readonly number[],
    fields: Readonly<Record<string, unknown>>,
    until?: Until,
  ): Promise<Completion> {
    if (adapter === undefined) return this.complete(this.settings.model, prompt, fields, until);
    for (let reloads = 0; reloads < RELOADS; reloads++) {
      const loading = this.adapters.loaded(adapter);
      const name = await raceAbort(until?.signal, loading, 'its adapter');
      const result = await this.adapters.using(name, () => this.ask(name, prompt, fields, true, until));
      if (result.kind === 'answer' || result.retryable || result.code !== 'INVALID_CONFIGURATION')
        return valueOf(result);
      // Many requests find it missing at once: the first has it loaded again, and the others find that under way.
      this.adapters.forget(adapter.digest, loading);
    }
    const name = await raceAbort(until?.signal, this.adapters.loaded(adapter), 'its adapter');
    return this.adapters.using(name, () => this.complete(name, prompt, fields, until));
  }

  private async complete(
    model: string,
    prompt: readonly number[],
    fields: Readonly<Record<string, unknown>>,
    until?: Until,
  ): Promise<Completion> {
    return valueOf(await this.ask(model, prompt, fields, false, until));
  }

  private ask(
    model: string,
    prompt: readonly number[],
    fields: Readonly<Record<string, unknown>>,
    isOptional: boolean,
    until?: Until,
  ): Promise<EndpointResult<Completion>> {
    const task: EndpointTask<Completion> = {
      method: 'POST',
      path: 'completions',
      body: {
        top_p: 1,
        top_k: 0,
        logprobs: 0,
        ...fields,
        model,
        prompt,
        n: 1,
        stream: false,
        return_token_ids: true,
        add_special_tokens: false,
      },
      schema: completionSchema,
      worst: { promptTokens: prompt.length, responseTokens: Number(fields.max_tokens) },
      isOptional,
      ...(until?.time === undefined ? {} : { time: until.time }),
      usage: ({ usage }) => ({ promptTokens: usage.prompt_tokens, responseTokens: usage.completion_tokens }),
    };
    return this.client.ask(task, until?.signal);
  }
}
