/**
 * The part of vLLM's server that the generator speaks to, over the engine here: completions of token ids under masks, with
 * log-probabilities after them (--logprobs-mode processed_logprobs), and adapters in PEFT's form that are loaded by name. Written by its
 * documentation and protocol files; it is not vLLM, which needs a graphics processor.
 */
import { readFile } from 'node:fs/promises';
import { Random } from '@seamstream/kernel';
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
}

const error = (status: number, message: string): Behaviour => ({
  kind: 'answer',
  status,
  body: { error: { message, type: status === 404 ? 'NotFoundError' : 'BadRequestError', param: null, code: status } },
});

export class VllmServer {
  /** Those that are loaded now, by name. */
  readonly adapters = new Map<string, Adapter>();
  /** Whether log-probabilities are those under the masks. */
  logprobsMode: 'processed' | 'raw' = 'processed';

  private constructor(
    private readonly model: LanguageModel,
    private readonly name: string,
    readonly http: ModelServer,
  ) {}

  static async start(model: LanguageModel, name: string): Promise<VllmServer> {
    const http = await ModelServer.start(() => error(500, 'not ready'));
    const server = new VllmServer(model, name, http);
    http.behave = (request) => server.answer(request);
    return server;
  }

  private async answer({ url, body }: SeenRequest): Promise<Behaviour> {
    switch (url) {
      case '/v1/models':
        return { kind: 'answer', body: { object: 'list', data: this.models() } };
      case '/v1/completions':
        return this.complete(body as unknown as CompletionRequest);
      case '/v1/load_lora_adapter':
        return this.load(body as { lora_name: string; lora_path: string });
      case '/v1/unload_lora_adapter': {
        const { lora_name: name } = body as { lora_name: string };
        if (!this.adapters.delete(name)) return error(404, `The lora adapter '${name}' cannot be found.`);
        return { kind: 'answer', body: `Success: LoRA adapter '${name}' removed successfully.` };
      }
      default:
        return error(404, 'Not Found');
    }
  }

  private models(): unknown[] {
    const entry = { object: 'model', created: Date.now(), owned_by: 'vllm' };
    return [
      { ...entry, id: this.name, root: '/models/base', parent: null, max_model_len: this.model.config.maxPositions },
      ...[...this.adapters.keys()].map((id) => ({ ...entry, id, root: id, parent: this.name })),
    ];
  }

  private async load({
    lora_name: name,
    lora_path: path,
  }: {
    lora_name: string;
    lora_path: string;
  }): Promise<Behaviour> {
    if (this.adapters.has(name)) return error(400, `The lora adapter '${name}' has already been loaded.`);
    const [config, tensors] = await Promise.all(
      [PEFT_FILE.config, PEFT_FILE.tensors].map((file) => readFile(`${path}/${file}`)),
    );
    this.adapters.set(name, createAdapter(decodePeft({ config: config!, tensors: tensors! }, this.model)));
    return { kind: 'answer', body: `Success: LoRA adapter '${name}' added successfully.` };
  }

  private async complete(request: CompletionRequest): Promise<Behaviour> {
    const { model, prompt, max_tokens: maxTokens, stop_token_ids: stopIds = [] } = request;
    const adapter = this.adapters.get(model);
    if (adapter === undefined && model !== this.name) return error(404, `The model \`${model}\` does not exist.`);
    if (prompt.length + maxTokens > this.model.config.maxPositions)
      return error(400, `This model's maximum context length is ${this.model.config.maxPositions} tokens.`);
    const random = Random.of('vllm', request.seed ?? 0);
    const tokenIds: number[] = [];
    const logprobs: number[] = [];
    while (tokenIds.length < maxTokens && !stopIds.includes(tokenIds.at(-1) ?? -1)) {
      const raw = await this.nextLogProbs([...prompt, ...tokenIds], adapter);
      const processed = masked(raw, request);
      const id = draw(processed, request.temperature, random);
      tokenIds.push(id);
      logprobs.push((this.logprobsMode === 'processed' ? processed : raw)[id]!);
    }
    const isStopped = stopIds.includes(tokenIds.at(-1) ?? -1);
    const choice = {
      index: 0,
      text: this.model.tokenizer.decode(tokenIds),
      logprobs: { text_offset: [], token_logprobs: logprobs, tokens: tokenIds.map(String), top_logprobs: [] },
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
