/** The frozen executor as another party's server: asked by chat completions. Each prompt is one request, or acts by tools in a loop. */

import type { ExecutorAnswer, ExecutorModel } from '@seamstream/environments';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import {
  type ChatCompletion,
  type ChatDecoding,
  chatCompletionSchema,
  chatUsage,
  type EndpointClient,
  type Spending,
} from '@seamstream/openai-endpoint';
import { ServedModel, type ServedModelSettings } from './served-model.js';

/** How a prompt becomes an answer, where one request is not all. */
export interface WayToAnswer {
  /** What outcomes record of it, besides the decoding. */
  readonly identity: Readonly<Record<string, unknown>>;
  answer(
    served: Pick<ServedModel, 'ask'>,
    prompt: string,
    decoding: ChatDecoding,
    signal?: AbortSignal,
  ): Promise<ExecutorAnswer>;
}

/** Answers that are kept for a caller who had to ask for others again. */
const KEPT_ANSWERS = 4096;

/** One request, one answer. */
const AT_ONCE: WayToAnswer = {
  identity: {},
  async answer(served, prompt, decoding, signal) {
    const messages = [{ role: 'user', content: prompt }] as const;
    const result = await served.ask({ messages, decoding, schema: chatCompletionSchema }, signal);
    return result.status === 'failed' ? result : answerOf(result.completion);
  },
};

export class EndpointExecutor implements ExecutorModel {
  readonly identity: ExecutorModel['identity'];
  /** By what was asked, seed included: the answer to it is as good the second time. */
  private readonly kept = new Map<string, ExecutorAnswer>();

  private constructor(
    private readonly served: ServedModel,
    private readonly way: WayToAnswer,
  ) {
    const { model, decoding } = served.settings;
    const { temperature, topP, maxTokens, seed, stop, extraBody } = decoding;
    this.identity = {
      model,
      revision: served.revision,
      decoding: canonicalJson({
        maxTokens,
        temperature,
        topP,
        ...(seed === null ? {} : { seed }),
        ...(stop.length === 0 ? {} : { stop }),
        ...(Object.keys(extraBody).length === 0 ? {} : { extraBody }),
        ...way.identity,
      }),
    };
  }

  /**
   * @param nowMs milliseconds of any clock that does not go back
   * @throws as {@link ServedModel.open}
   */
  static async open(
    client: EndpointClient,
    settings: ServedModelSettings,
    nowMs: () => number,
    way: WayToAnswer = AT_ONCE,
  ): Promise<EndpointExecutor> {
    return new EndpointExecutor(await ServedModel.open(client, settings, nowMs), way);
  }

  /** What was spent, with what was counted as spent at the beginning. */
  get spent(): Spending {
    return this.served.spent;
  }

  /** @throws SeamError why no request is answered: at present, or before a person acts */
  assertAnswering(): void {
    this.served.assertAnswering();
  }

  async answer(
    ...[prompts, signal, , , mostTokens]: Parameters<ExecutorModel['answer']>
  ): Promise<readonly ExecutorAnswer[]> {
    await this.served.lookAtList(signal);
    const decoding = this.decodingWithin(mostTokens);
    // Without a seed each answer is another draw: one that is kept would stand for two.
    if (decoding.temperature > 0 && decoding.seed === null)
      return Promise.all(prompts.map((prompt) => this.way.answer(this.served, prompt, decoding, signal)));
    const asked = new Map<string, Promise<ExecutorAnswer>>();
    for (const prompt of prompts) {
      if (!asked.has(prompt)) asked.set(prompt, this.askOnce(prompt, decoding, signal));
    }
    return Promise.all(prompts.map((prompt) => asked.get(prompt)!));
  }

  async sample(
    ...[requests, { temperature, topP }, signal, , , mostTokens]: Parameters<NonNullable<ExecutorModel['sample']>>
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    await this.served.lookAtList(signal);
    const decoding = this.decodingWithin(mostTokens);
    return Promise.all(
      requests.map(({ prompt, seeds }) =>
        Promise.all(
          seeds.map((seed) => this.askOnce(prompt, { ...decoding, temperature, topP, seed: seedNumber(seed) }, signal)),
        ),
      ),
    );
  }

  private decodingWithin(mostTokens = Infinity): ChatDecoding {
    const { decoding } = this.served.settings;
    return { ...decoding, maxTokens: Math.min(decoding.maxTokens, mostTokens) };
  }

  private async askOnce(prompt: string, decoding: ChatDecoding, signal?: AbortSignal): Promise<ExecutorAnswer> {
    const { temperature, topP, seed, maxTokens } = decoding;
    const asked = sha256(canonicalJson({ prompt, temperature, topP, seed, maxTokens }));
    const kept = this.kept.get(asked);
    if (kept !== undefined) return kept;
    const answer = await this.way.answer(this.served, prompt, decoding, signal);
    if (answer.status === 'answered') {
      this.kept.set(asked, answer);
      if (this.kept.size > KEPT_ANSWERS) this.kept.delete(this.kept.keys().next().value!);
    }
    return answer;
  }
}

function answerOf(completion: ChatCompletion): ExecutorAnswer {
  const choice = completion.choices[0]!;
  if (choice.finish_reason === 'content_filter') {
    const reason = "The endpoint's filter has cut off the answer: what is left is not the model's.";
    return { status: 'failed', code: 'ENDPOINT_REFUSED', reason, retryable: false };
  }
  return {
    status: 'answered',
    // A model that thinks up to its limit has said nothing yet; one that refuses has said so.
    text: choice.message.content ?? choice.message.refusal ?? '',
    finished: choice.finish_reason === 'stop',
    ...chatUsage(completion),
  };
}

/** A seed as OpenAI wants one: a whole number, of 31 bits since not all servers take more. */
function seedNumber(seed: string): number {
  return Number.parseInt(sha256(seed).slice(0, 8), 16) >>> 1;
}
