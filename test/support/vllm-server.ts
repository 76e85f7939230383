/**
 * The part of vLLM's server that the generator speaks to, over the engine here: completions of token ids under masks, with
 * log-probabilities after them (--logprobs-mode processed_logprobs), and adapters in PEFT's form that are loaded by name. It fails as
 * vLLM 0.32 was seen to: where the real one can be had, test/vllm runs the same suite on it.
 */
import { readFile } from 'node:fs/promises';
import { messageOf, Random } from '@seamstream/kernel';
import { type Adapter, createAdapter, decodePeft, type LanguageModel, PEFT_FILE } from '@seamstream/language-model';
import { type Behaviour, ModelServer, type SeenRequest } from '@seamstream/testing/model-server';

interface CompletionRequest {
  readonly model: string;
  readonly prompt: readonly number[];
  readonly max_tokens: number;
  readonly temperature: number;
  readonly seed?: number;
  readonly allowed_token_ids?: readonly number[];
  readonly logit_bias?: Readonly<Record<string, number>>;
  readonly stop_token_ids?: readonly number[];
  readonly logprobs?: number;
}

interface VllmSettings {
  /** What requests call the model. */
  readonly name: string;
  readonly key: string;
  /** --max-lora-rank */
  readonly rank: number;
  /** --max-num-queued-reqs */
  readonly queued: number;
}

/** --max-loras */
const ENGINE_ADAPTERS = 2;

const error = (status: number, message: string): Behaviour => ({
  kind: 'answer',
  status,
  body: { error: { message, type: 'Error', param: null, code: status } },
});

export class VllmServer {
  /** Folders of those that are listed now, by name. */
  readonly listed = new Map<string, string>();
  /** Whether log-probabilities are those under the masks. */
  logprobsMode: 'processed' | 'raw' = 'processed';
  /** By folder, oldest use first: what the engine has read. */
  private readonly engine = new Map<string, Adapter>();
  private isDead = false;
  private underWay = 0;

  private constructor(
    private readonly model: LanguageModel,
    private readonly settings: VllmSettings,
    public http: ModelServer,
  ) {}

  static async start(model: LanguageModel, settings: VllmSettings): Promise<VllmServer> {
    const http = await ModelServer.start(() => error(500, 'not ready'));
    const server = new VllmServer(model, settings, http);
    http.behave = (request) => server.answer(request);
    return server;
  }

  /** Ends what is under way; it is there again at the same address, without adapters. */
  async restart(): Promise<void> {
    const { port, behave } = this.http;
    await this.http.stop();
    this.listed.clear();
    this.engine.clear();
    this.isDead = false;
    this.underWay = 0;
    this.http = await ModelServer.start(behave, port);
  }

  private async answer({ url, body, headers }: SeenRequest): Promise<Behaviour> {
    if (headers.authorization !== `Bearer ${this.settings.key}`)
      return { kind: 'answer', status: 401, body: { error: 'Unauthorized' } };
    switch (url) {
      case '/v1/models':
        return { kind: 'answer', body: { object: 'list', data: this.models() } };
      case '/v1/completions':
        return this.admitted(body as unknown as CompletionRequest);
      case '/v1/load_lora_adapter':
        return this.load(body as { lora_name: string; lora_path: string });
      case '/v1/unload_lora_adapter': {
        const { lora_name: name } = body as { lora_name: string };
        if (!this.listed.delete(name)) return error(404, `The lora adapter '${name}' cannot be found.`);
        return { kind: 'answer', body: `Success: LoRA adapter '${name}' removed successfully.` };
      }
      default:
        return error(404, 'Not Found');
    }
  }

  private models(): unknown[] {
    const entry = { object: 'model', created: Date.now(), owned_by: 'vllm' };
    const { name } = this.settings;
    return [
      { ...entry, id: name, root: '/models/base', parent: null, max_model_len: this.model.config.maxPositions },
      ...[...this.listed].map(([id, root]) => ({ ...entry, id, root, parent: name, max_model_len: null })),
    ];
  }

  private async load({ lora_name: name, lora_path: path }: { lora_name: string; lora_path: string }) {
    if (this.listed.has(name)) return error(400, `The lora adapter '${name}' has already been loaded.`);
    try {
      await this.activate(path);
    } catch (cause) {
      if ((cause as { code?: string }).code === 'ENOENT')
        return error(404, `Loading lora ${name} failed: No adapter found for ${path}`);
      return error(500, `Call to add_lora method failed: Worker failed with error '${messageOf(cause)}'`);
    }
    this.listed.set(name, path);
    return { kind: 'answer', body: `Success: LoRA adapter '${name}' added successfully.` } as const;
  }

  /** Into the engine, where the one that was not used for longest makes room: that one is read again when it is needed. */
  private async activate(path: string): Promise<Adapter> {
    let adapter = this.engine.get(path);
    if (adapter === undefined) {
      const [config, tensors] = await Promise.all(
        [PEFT_FILE.config, PEFT_FILE.tensors].map((file) => readFile(`${path}/${file}`)),
      );
      const { rank } = this.settings;
      const content = decodePeft({ config: config!, tensors: tensors! }, this.model);
      if (content.settings.kind === 'lora' && content.settings.rank > rank)
        throw new Error(`LoRA rank ${content.settings.rank} is greater than max_lora_rank ${rank}.`);
      adapter = createAdapter(content);
    }
    this.engine.delete(path);
    this.engine.set(path, adapter);
    for (const oldest of [...this.engine.keys()].slice(0, -ENGINE_ADAPTERS)) this.engine.delete(oldest);
    return adapter;
  }

  private async admitted(request: CompletionRequest): Promise<Behaviour> {
    if (this.underWay >= this.settings.queued)
      return error(503, 'The engine is currently busy and cannot accept new requests.');
    this.underWay++;
    try {
      return await this.complete(request);
    } finally {
      this.underWay--;
    }
  }

  private async complete(request: CompletionRequest): Promise<Behaviour> {
    const { model, prompt, max_tokens: maxTokens, stop_token_ids: stopIds = [] } = request;
    const path = this.listed.get(model);
    if (path === undefined && model !== this.settings.name)
      return error(404, `The model \`${model}\` does not exist. Valid aliases: ${this.settings.name}.`);
    let adapter: Adapter | undefined;
    try {
      adapter = path === undefined ? undefined : await this.activate(path);
    } catch {
      // So does vLLM: an adapter whose folder is gone ends the engine.
      this.isDead = true;
    }
    if (this.isDead) return error(500, 'EngineCore encountered an issue.');
    if (prompt.length + maxTokens > this.model.config.maxPositions)
      return error(400, `This model's maximum context length is ${this.model.config.maxPositions} tokens.`);
    const random = Random.of('vllm', request.seed ?? 0);
    const tokenIds: number[] = [];
    const logprobs: number[] = [];
    const told: Record<string, number>[] = [];
    while (tokenIds.length < maxTokens && !stopIds.includes(tokenIds.at(-1) ?? -1)) {
      const raw = await this.nextLogProbs([...prompt, ...tokenIds], adapter);
      const processed = masked(raw, request);
      const id = draw(processed, request.temperature, random);
      tokenIds.push(id);
      const shown = this.logprobsMode === 'processed' ? processed : raw;
      logprobs.push(shown[id]!);
      told.push(
        Object.fromEntries(likeliest(shown, request.logprobs ?? 0).map((each) => [`token_id:${each}`, shown[each]!])),
      );
    }
    const isStopped = stopIds.includes(tokenIds.at(-1) ?? -1);
    const choice = {
      index: 0,
      text: this.model.tokenizer.decode(tokenIds),
      logprobs: { text_offset: [], token_logprobs: logprobs, tokens: tokenIds.map(String), top_logprobs: told },
      finish_reason: isStopped ? 'stop' : 'length',
      stop_reason: isStopped ? tokenIds.at(-1) : null,
      token_ids: tokenIds,
      prompt_token_ids: prompt,
    };
    const usage = { prompt_tokens: prompt.length, completion_tokens: tokenIds.length };
    return {
      kind: 'answer',
      body: {
        id: 'cmpl-1',
        object: 'text_completion',
        created: 1,
        model,
        choices: [choice],
        usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
      },
    };
  }

  /** ln p of every token of the vocabulary behind the sequence, by the engine. */
  private async nextLogProbs(tokenIds: readonly number[], adapter: Adapter | undefined): Promise<number[]> {
    const scored = await this.model.logProbabilities(
      Array.from({ length: this.model.config.vocabularySize }, (_, id) => ({
        tokenIds: [...tokenIds, id],
        targets: [tokenIds.length],
      })),
      adapter === undefined ? {} : { adapter },
    );
    return scored.map(([logProb]) => logProb!);
  }
}

function likeliest(logProbs: readonly number[], count: number): number[] {
  return [...logProbs.keys()].sort((a, b) => logProbs[b]! - logProbs[a]!).slice(0, count);
}

function masked(
  raw: readonly number[],
  { allowed_token_ids: allowed, logit_bias: bias = {} }: CompletionRequest,
): number[] {
  const isAllowed = allowed === undefined ? undefined : new Set(allowed);
  const biased = raw.map((logProb, id) =>
    isAllowed?.has(id) === false ? -Infinity : logProb + (bias[String(id)] ?? 0),
  );
  const most = Math.max(...biased);
  const total = Math.log(biased.reduce((sum, each) => sum + Math.exp(each - most), 0)) + most;
  return biased.map((each) => each - total);
}

function draw(logProbs: readonly number[], temperature: number, random: Random): number {
  if (temperature === 0) return logProbs.indexOf(Math.max(...logProbs));
  let left = random.float();
  for (const [id, logProb] of logProbs.entries()) {
    left -= Math.exp(logProb);
    if (left < 0) return id;
  }
  return logProbs.indexOf(Math.max(...logProbs));
}
