/** A vLLM server's protocol, as far as tests of its client need it, and the checkpoint that it serves. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@seamstream/kernel';
import {
  checkpointShapes,
  createAdapter,
  decodePeft,
  type ModelConfig,
  PEFT_FILE,
  saveCheckpoint,
} from '@seamstream/language-model';
import type { Behaviour, SeenRequest } from '@seamstream/testing/model-server';
import { trainByteLevelBpe } from '@seamstream/tokenizer';

export const VLLM_CONFIG: ModelConfig = {
  family: 'llama',
  vocabularySize: 270,
  hiddenSize: 8,
  layers: 1,
  heads: 1,
  keyValueHeads: 1,
  headDimension: 8,
  intermediateSize: 8,
  ropeTheta: 10000,
  rmsNormEpsilon: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  queryKeyNorm: false,
  maxPositions: 256,
};
/** Writes the checkpoint that the server serves as `base`. */
export async function saveVllmModel(folder: string): Promise<void> {
  const tensors = tensorsOf(checkpointShapes(VLLM_CONFIG), 'model');
  const tokenizer = trainByteLevelBpe(['What is two?'], VLLM_CONFIG.vocabularySize, ['<|end|>']);
  await saveCheckpoint(folder, { config: VLLM_CONFIG, tensors, generation: { eosTokenIds: [0] }, tokenizer });
}

/** Speaks as much of the protocol as the tests need; what it draws means nothing. */
export class ScriptedVllm {
  readonly adapters = new Set<string>();
  readonly loads: string[] = [];
  /** Of the base model that adapters are for. */
  digest = '';
  /** In the place of completions. */
  fault: Behaviour | undefined;

  constructor(private readonly random: Random) {}

  async answer({ url, body }: SeenRequest): Promise<Behaviour> {
    if (url === '/v1/models') return { kind: 'answer', body: { object: 'list', data: [{ id: 'base' }] } };
    const { lora_name: name, lora_path: path } = body as { lora_name: string; lora_path: string };
    if (url === '/v1/load_lora_adapter') return this.load(name, path);
    if (url === '/v1/unload_lora_adapter')
      return this.adapters.delete(name) ? { kind: 'answer', body: 'Success' } : refusal(404, 'cannot be found');
    await sleep(this.random.int(6));
    return this.fault ?? this.complete(body as unknown as CompletionRequest);
  }

  private async load(name: string, path: string): Promise<Behaviour> {
    this.loads.push(name);
    try {
      const config = await readFile(join(path, PEFT_FILE.config));
      await sleep(this.random.int(6));
      const tensors = await readFile(join(path, PEFT_FILE.tensors));
      const adapter = createAdapter(decodePeft({ config, tensors }, { config: VLLM_CONFIG, digest: this.digest }));
      if (name !== `seam-${adapter.digest}`) return refusal(400, 'another adapter');
    } catch (error) {
      return refusal(400, `No adapter found: ${String(error)}`);
    }
    if (this.adapters.has(name)) return refusal(400, `The lora adapter '${name}' has already been loaded.`);
    this.adapters.add(name);
    return { kind: 'answer', body: 'Success' };
  }

  private complete({
    model,
    prompt,
    max_tokens: maxTokens,
    allowed_token_ids: allowed = prompt,
  }: CompletionRequest): Behaviour {
    if (model !== 'base' && !this.adapters.has(model)) return refusal(404, `The model \`${model}\` does not exist.`);
    const tokens = Array.from({ length: maxTokens }, () => this.random.pick(allowed));
    return {
      kind: 'answer',
      body: {
        choices: [
          {
            finish_reason: 'length',
            token_ids: tokens,
            prompt_token_ids: prompt,
            logprobs: { token_logprobs: tokens.map(() => 0) },
          },
        ],
        usage: { prompt_tokens: prompt.length, completion_tokens: maxTokens },
      },
    };
  }
}

interface CompletionRequest {
  readonly model: string;
  readonly prompt: readonly number[];
  readonly max_tokens: number;
  readonly allowed_token_ids?: readonly number[];
}

/** An answer of another status than 200. */
export function refusal(status: number, message: string): Behaviour {
  return { kind: 'answer', status, body: { error: { message } } };
}

/** Random tensors of these shapes. */
export function tensorsOf(
  shapes: Iterable<readonly [string, readonly number[]]>,
  seed: string,
): Map<string, { readonly shape: readonly number[]; readonly data: Float32Array }> {
  return new Map(
    [...shapes].map(([name, shape]) => {
      const random = Random.of(seed, name);
      const size = shape.reduce((total, length) => total * length, 1);
      return [name, { shape: [...shape], data: Float32Array.from({ length: size }, () => random.normal()) }];
    }),
  );
}
