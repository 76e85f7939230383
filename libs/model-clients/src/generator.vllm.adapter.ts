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
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, Random, raceAbort, SeamError, sha256 } from '@seamstream/kernel';
import {
  type Adapter,
  encodePeft,
  type GeneratedSequence,
  type GenerationRequest,
  type GenerationResult,
  Grammars,
  loadCheckpoint,
  type ModelConfig,
  PEFT_FILE,
  type SamplingSettings,
} from '@seamstream/language-model';
import {
  type EndpointClient,
  type EndpointFailure,
  type EndpointResult,
  type EndpointTask,
  type ModelList,
  modelListSchema,
} from '@seamstream/openai-endpoint';
import type { GeneratorModel } from '@seamstream/rollout';
import { type JsonSchema, type TokenGrammar } from '@seamstream/token-grammar';
import { Tokenizer } from '@seamstream/tokenizer';
import { z } from 'zod';

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
}

/** What is used of a completion; see vllm/entrypoints/openai/completion/protocol.py. */
const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.enum(['stop', 'length']),
        token_ids: z.array(z.int().nonnegative()),
        prompt_token_ids: z.array(z.int().nonnegative()).nullish(),
        logprobs: z.object({ token_logprobs: z.array(z.number().max(1e-6)) }),
      }),
    )
    .length(1, 'expected one choice'),
  usage: z.object({ prompt_tokens: z.int().nonnegative(), completion_tokens: z.int().nonnegative() }),
});
type Completion = z.infer<typeof completionSchema>;

/** With fewer legal tokens the next place has others; with more it is likely inside a text. */
const RUN_FROM_LEGAL = 256;
/** Tokens of a run: what is drawn beyond its end is thrown away. */
const RUN_TOKENS = 64;
/** vLLM takes biases from −100 to 100. */
const BANNED = -100;
const QUOTATION_MARK = 0x22;
/** How many adapters stay loaded: the one that serves and the one before, which work in flight may still use. */
const LOADED_ADAPTERS = 2;
/** Times that one request finds its adapter missing and has it loaded; a server that loses it more often needs a person. */
const RELOADS = 5;
const PROBE_TOKENS = 12;
/** More than rounding makes of a log-probability in half precision, and less than any training does. */
const PROBE_DIFFERENCE = 1e-4;
const NO_TOKENS = { promptTokens: 0, responseTokens: 0 };

interface Drawn {
  readonly tokenIds: readonly number[];
  readonly logProbs: readonly number[];
  readonly finishReason: 'stop' | 'length';
}

export class VllmGenerator implements GeneratorModel {
  private readonly grammars: Grammars;
  /** Names of loaded adapters by digest, oldest use first. */
  private readonly loading = new Map<string, Promise<string>>();
  /** Adapters come and go one after the other: a folder is not taken away while it is written or read. */
  private administration: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly client: EndpointClient,
    private readonly settings: VllmGeneratorSettings,
    readonly tokenizer: Tokenizer,
    readonly digest: string,
    readonly config: ModelConfig,
  ) {
    this.grammars = new Grammars(tokenizer);
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
      new SeamError('INVALID_CONFIGURATION', `Starting the generator on vLLM: ${problem}`);
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

  /** The first candidate that fails ends all others: nobody waits for them any more. */
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
          const written = await this.candidate(
            asked,
            asked.schema === undefined ? undefined : grammarOf(asked.schema),
            asked.seeds[candidate]!,
            adapter,
            until,
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
   * Proves that the server applies the adapter: it answers a fixed prompt otherwise than the base model.
   * @throws ADAPTER_INVALID where it does not, or where the server refuses the adapter
   */
  async prove(adapter: Adapter): Promise<void> {
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
        `Serving adapter ${adapter.digest} by vLLM: expected another answer to the probe than the base model's, came the same. The adapter changes nothing, or the server does not apply it.`,
      );
    }
  }

  private async candidate(
    { promptTokenIds, sampling, stopTokenIds }: GenerationRequest,
    grammar: TokenGrammar | undefined,
    seed: string,
    adapter: Adapter | undefined,
    signal: AbortSignal,
  ): Promise<GeneratedSequence> {
    const { maxTokens, temperature } = sampling;
    if (grammar === undefined) {
      const drawn = drawnOf(
        await this.completeWith(
          adapter,
          promptTokenIds,
          {
            temperature,
            max_tokens: maxTokens,
            seed: seedNumber(seed, 0),
            ...(stopTokenIds === undefined ? {} : { stop_token_ids: stopTokenIds }),
          },
          signal,
        ),
      );
      return sequence(
        drawn.tokenIds,
        drawn.logProbs,
        drawn.tokenIds.map(() => false),
        drawn.finishReason === 'stop',
      );
    }
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
            ...this.maskOf(legal, maxTokens - tokenIds.length),
          },
          signal,
        ),
      );
      const isLegal = new Set(legal);
      for (const [at, id] of drawn.tokenIds.entries()) {
        const now = at === 0 ? legal : grammar.allowedWithin(state, maxTokens - tokenIds.length).ids;
        // Drawn under a mask that was the grammar's before this place, and is not here: what follows is drawn anew.
        if (grammar.isComplete(state) || !isSame(now, legal)) break;
        if (!isLegal.has(id)) {
          throw new SeamError(
            'ENDPOINT_FAILED',
            `Generating by vLLM: it drew token ${id}, which its mask of ${legal.length} legal tokens does not hold. Look into the server's version.`,
          );
        }
        write(id, drawn.logProbs[at]!, false);
      }
      if (drawn.tokenIds.length === 0)
        throw new SeamError('ENDPOINT_FAILED', 'Generating by vLLM: expected at least one token, came none.');
    }
    return sequence(tokenIds, logProbs, forced, grammar.isComplete(state));
  }

  /** The legal tokens as the server is told them, by whichever list is shorter, and how many tokens to draw under them. */
  private maskOf(legal: Int32Array, remaining: number): Record<string, unknown> {
    const vocabulary = this.tokenizer.vocabulary;
    const isText = legal.length >= RUN_FROM_LEGAL;
    const run = isText
      ? {
          max_tokens: Math.min(RUN_TOKENS, remaining),
          // What may end a text is followed by other legal tokens.
          stop_token_ids: [...legal].filter((id) => vocabulary[id]!.includes(QUOTATION_MARK)),
        }
      : { max_tokens: 1 };
    if (legal.length * 2 <= vocabulary.length) return { ...run, allowed_token_ids: [...legal] };
    const isLegal = new Set(legal);
    const banned: Record<string, number> = {};
    for (let id = 0; id < this.config.vocabularySize; id++) if (!isLegal.has(id)) banned[String(id)] = BANNED;
    return { ...run, logit_bias: banned };
  }

  /** With an adapter: as {@link complete}; a server that was started again has lost its adapters and is given this one again. */
  private async completeWith(
    adapter: Adapter | undefined,
    prompt: readonly number[],
    fields: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Completion> {
    if (adapter === undefined) return this.complete(this.settings.model, prompt, fields, signal);
    for (let reloads = 0; reloads < RELOADS; reloads++) {
      const loading = this.loaded(adapter);
      const result = await this.ask(await raceAbort(signal, loading, 'its adapter'), prompt, fields, true, signal);
      if (result.kind === 'answer' || result.retryable || result.code !== 'INVALID_CONFIGURATION')
        return valueOf(result);
      // Many requests find it missing at once: the first has it loaded again, and the others find that under way.
      this.forget(adapter.digest, loading);
    }
    return this.complete(await raceAbort(signal, this.loaded(adapter), 'its adapter'), prompt, fields, signal);
  }

  private async complete(
    model: string,
    prompt: readonly number[],
    fields: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Completion> {
    return valueOf(await this.ask(model, prompt, fields, false, signal));
  }

  private ask(
    model: string,
    prompt: readonly number[],
    fields: Readonly<Record<string, unknown>>,
    isOptional: boolean,
    signal?: AbortSignal,
  ): Promise<EndpointResult<Completion>> {
    const task: EndpointTask<Completion> = {
      method: 'POST',
      path: 'completions',
      body: {
        top_p: 1,
        top_k: 0,
        ...fields,
        model,
        prompt,
        n: 1,
        stream: false,
        logprobs: 0,
        return_token_ids: true,
        add_special_tokens: false,
      },
      schema: completionSchema,
      worst: { promptTokens: prompt.length, responseTokens: Number(fields.max_tokens) },
      isOptional,
      usage: ({ usage }) => ({ promptTokens: usage.prompt_tokens, responseTokens: usage.completion_tokens }),
    };
    return this.client.ask(task, signal);
  }

  /** Under which name it is loaded; the same promise for all who ask, until it is forgotten. */
  private loaded(adapter: Adapter): Promise<string> {
    const { digest } = adapter;
    const loading = this.loading.get(digest) ?? this.administered(() => this.load(adapter));
    // Set anew, so that the order is that of use.
    this.loading.delete(digest);
    this.loading.set(digest, loading);
    loading.catch(() => this.forget(digest, loading));
    this.unloadUnused();
    return loading;
  }

  private forget(digest: string, loading: Promise<string>): void {
    if (this.loading.get(digest) === loading) this.loading.delete(digest);
  }

  private administered<T>(work: () => Promise<T>): Promise<T> {
    const done = this.administration.then(work);
    this.administration = done.catch(() => undefined);
    return done;
  }

  private async load(adapter: Adapter): Promise<string> {
    const { adaptersFolder, serverAdaptersFolder, model } = this.settings;
    let files: ReturnType<typeof encodePeft>;
    try {
      files = encodePeft(adapter, this.config, model);
    } catch (cause) {
      throw new SeamError('ADAPTER_INVALID', `Serving by vLLM: ${messageOf(cause)}`, { cause });
    }
    const name = `seam-${adapter.digest}`;
    await writeFolder(adaptersFolder, name, {
      [PEFT_FILE.config]: files.config,
      [PEFT_FILE.tensors]: files.tensors,
    });
    const result = await this.administer('load_lora_adapter', {
      lora_name: name,
      lora_path: `${serverAdaptersFolder.replace(/\/$/, '')}/${name}`,
    });
    // Under this name there is only one content, so one that is there already is this one.
    if (result.kind === 'failed' && !/already/i.test(result.reason)) {
      if (result.retryable) throw errorOf(result);
      throw new SeamError(
        'ADAPTER_INVALID',
        `Loading adapter ${adapter.digest} into vLLM: ${result.reason} It needs --enable-lora, a --max-lora-rank that suffices, VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, and to see the folder of adapters.`,
      );
    }
    return name;
  }

  /** Begins to unload what was not used for longest; who asks does not wait for it. */
  private unloadUnused(): void {
    while (this.loading.size > LOADED_ADAPTERS) {
      const [digest] = this.loading.keys();
      this.loading.delete(digest!);
      const name = `seam-${digest!}`;
      void this.administered(async () => {
        // What cannot be unloaded takes room, no more: the server ends with it, or says that it is full.
        await this.administer('unload_lora_adapter', { lora_name: name });
        await rm(join(this.settings.adaptersFolder, name), { recursive: true, force: true });
      }).catch(() => undefined);
    }
  }

  private administer(path: string, body: Record<string, string>): Promise<EndpointResult<string>> {
    return this.client.ask({
      method: 'POST',
      path,
      body,
      format: 'text',
      schema: z.string(),
      worst: NO_TOKENS,
      isOptional: true,
      usage: () => NO_TOKENS,
    });
  }
}

/** The files under their final name, or nothing: a server never sees half an adapter. What is there already stays, since a server may be reading it. */
async function writeFolder(parent: string, name: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const folder = join(parent, name);
  if (await holds(folder, files)) return;
  await mkdir(parent, { recursive: true });
  const part = await mkdtemp(join(parent, 'part-'));
  try {
    for (const [file, bytes] of Object.entries(files)) await writeFile(join(part, file), bytes);
    await rm(folder, { recursive: true, force: true });
    await rename(part, folder);
  } catch (error) {
    // Another generator may have written the same at the same time.
    if (!(await holds(folder, files))) throw error;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function holds(folder: string, files: Readonly<Record<string, Uint8Array>>): Promise<boolean> {
  const same = await Promise.all(
    Object.entries(files).map(async ([file, bytes]) => {
      const there = await readFile(join(folder, file)).catch(() => undefined);
      return there?.equals(bytes) === true;
    }),
  );
  return same.every(Boolean);
}

/** The server tells log-probabilities after temperature and top-p; what is recorded is before them. */
function assertPlain({ temperature, topK, topP }: SamplingSettings): void {
  if ((temperature === 0 || temperature === 1) && topK === 0 && topP === 1) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Generating by vLLM: expected temperature 0 or 1 without top-k and top-p, came ${temperature}, ${topK} and ${topP}: its log-probabilities would be of another distribution than the recorded one.`,
    { details: { halts: true } },
  );
}

function drawnOf({ choices: [choice] }: Completion): Drawn {
  const { token_ids: tokenIds, logprobs, finish_reason: finishReason } = choice!;
  if (logprobs.token_logprobs.length !== tokenIds.length) {
    throw new SeamError(
      'ENDPOINT_FAILED',
      `Generating by vLLM: expected a log-probability for each of ${tokenIds.length} tokens, came ${logprobs.token_logprobs.length}.`,
    );
  }
  return { tokenIds, logProbs: logprobs.token_logprobs, finishReason };
}

/** The legal tokens' mass is not told by the server: 1, as where it is not computed. */
function sequence(
  tokenIds: readonly number[],
  logProbs: readonly number[],
  forced: readonly boolean[],
  isComplete: boolean,
): GeneratedSequence {
  return {
    tokenIds,
    logProbs,
    legalMass: tokenIds.map(() => 1),
    forced,
    finishReason: isComplete ? 'completed' : 'length',
  };
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  return a === b || (a.length === b.length && a.every((id, at) => id === b[at]));
}

function greedy(maxTokens: number): Record<string, unknown> {
  return { temperature: 0, max_tokens: maxTokens };
}

/** Fixed for a vocabulary. */
function probePrompt(vocabularySize: number): number[] {
  const random = Random.of('vllm probe');
  return Array.from({ length: 8 }, () => random.int(vocabularySize));
}

/** A whole number for each place of each candidate. */
function seedNumber(seed: string, place: number): number {
  return Number.parseInt(sha256(`${seed}/${place}`).slice(0, 12), 16);
}

function valueOf<T>(result: EndpointResult<T>): T {
  if (result.kind === 'answer') return result.value;
  throw errorOf(result);
}

function errorOf({ code, reason, halts }: EndpointFailure): SeamError {
  return new SeamError(code, `Generating by vLLM: ${reason}`, { details: { halts } });
}
