/** The frozen executor as another party's server: asked by chat completions, one request per answer. */

import type {
  ExecutorAnswer,
  ExecutorFailure,
  ExecutorModel,
  SampledAnswerRequest,
  SamplingParams,
} from '@seamstream/environments';
import { canonicalJson, type ErrorCode, raceAbort, SeamError, sha256 } from '@seamstream/kernel';
import {
  type ChatCompletion,
  type ChatDecoding,
  chatCompletionSchema,
  chatRequest,
  chatUsage,
  type EndpointClient,
  type EndpointFailure,
  type EndpointResult,
  type EndpointTask,
  listedFacts,
  type ModelList,
  modelListSchema,
  reportedRevision,
  type Spending,
  worstCase,
} from '@seamstream/openai-endpoint';

export interface EndpointExecutorSettings {
  /** As the server calls it. */
  readonly model: string;
  /** What is recorded as its revision; null: what the server reports, which must then stay. */
  readonly revision: string | null;
  readonly decoding: ChatDecoding;
  /** System message of every request; null: none. */
  readonly system: string | null;
  /** Called with what an operator should know and nothing stops for. */
  readonly onNotice?: (message: string) => void;
}

/** What the server reported when it was asked first. */
interface Told {
  readonly revision: string | null;
  readonly listed: string | null;
}

/** Answers that are kept for a caller who had to ask for others again. */
const KEPT_ANSWERS = 4096;
/** A server's list of models is looked at again after so long. */
const LIST_AGAIN_AFTER_MS = 60_000;
/** Any server can begin an answer to it. */
const PROBE = 'Hello';
const NO_TOKENS = { promptTokens: 0, responseTokens: 0 };
const LIST: EndpointTask<ModelList> = {
  method: 'GET',
  path: 'models',
  schema: modelListSchema,
  worst: NO_TOKENS,
  attempts: 1,
  isOptional: true,
  usage: () => NO_TOKENS,
};

export class EndpointExecutor implements ExecutorModel {
  readonly identity: ExecutorModel['identity'];
  /** By what was asked, seed included: the answer to it is as good the second time. */
  private readonly kept = new Map<string, ExecutorAnswer>();
  private listedAtMs: number;
  private noticed: string | null = null;
  private probing: Promise<boolean> | undefined;

  private constructor(
    private readonly client: EndpointClient,
    private readonly settings: EndpointExecutorSettings,
    private readonly told: Told,
    private readonly nowMs: () => number,
  ) {
    const { model, revision, decoding } = settings;
    const { temperature, topP, maxTokens, seed, stop, extraBody } = decoding;
    this.identity = {
      model,
      revision: revision ?? told.revision ?? '',
      decoding: canonicalJson({
        maxTokens,
        temperature,
        topP,
        ...(seed === null ? {} : { seed }),
        ...(stop.length === 0 ? {} : { stop }),
        ...(Object.keys(extraBody).length === 0 ? {} : { extraBody }),
      }),
    };
    this.listedAtMs = nowMs();
  }

  /**
   * Asks for one token, so that a wrong address, key, model or setting is found before the first problem, and for what the server
   * reports about the model.
   * @param nowMs milliseconds of any clock that does not go back
   * @throws INVALID_CONFIGURATION where the endpoint refuses or reports no revision and none is configured; BUDGET_SPENT;
   * ENDPOINT_UNAVAILABLE, ENDPOINT_FAILED where it does not answer
   */
  static async open(
    client: EndpointClient,
    settings: EndpointExecutorSettings,
    nowMs: () => number,
  ): Promise<EndpointExecutor> {
    const { model, system, revision } = settings;
    const probe = { ...settings.decoding, maxTokens: 1 };
    const first = valueOf(await complete(client, model, { system, user: PROBE }, probe));
    const list = await client.ask(LIST);
    // Many servers have no list: then there are no facts in it.
    const listed = list.kind === 'answer' ? listedFacts(list.value, model) : null;
    const told = { revision: reportedRevision(model, first, listed), listed };
    if (revision === null && told.revision === null) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot start executor ${model}: its server reports neither a fingerprint nor anything else about the model but its name. Outcomes need a revision: configure the one that you know (SEAM_EXECUTOR_ENDPOINT_REVISION).`,
      );
    }
    return new EndpointExecutor(client, settings, told, nowMs);
  }

  /** What was spent, with what was counted as spent at the beginning. */
  get spent(): Spending {
    return this.client.spent;
  }

  /** @throws SeamError why no request is answered: at present, or before a person acts */
  assertAnswering(): void {
    this.client.assertAnswering();
  }

  async answer(prompts: readonly string[], signal?: AbortSignal): Promise<readonly ExecutorAnswer[]> {
    await this.lookAtList(signal);
    const { decoding } = this.settings;
    // Without a seed each answer is another draw: one that is kept would stand for two.
    if (decoding.temperature > 0 && decoding.seed === null)
      return Promise.all(prompts.map((prompt) => this.ask(prompt, decoding, signal)));
    const asked = new Map<string, Promise<ExecutorAnswer>>();
    for (const prompt of prompts) {
      if (!asked.has(prompt)) asked.set(prompt, this.askOnce(prompt, decoding, signal));
    }
    return Promise.all(prompts.map((prompt) => asked.get(prompt)!));
  }

  async sample(
    requests: readonly SampledAnswerRequest[],
    { temperature, topP }: SamplingParams,
    signal?: AbortSignal,
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    await this.lookAtList(signal);
    return Promise.all(
      requests.map(({ prompt, seeds }) =>
        Promise.all(
          seeds.map((seed) =>
            this.askOnce(prompt, { ...this.settings.decoding, temperature, topP, seed: seedNumber(seed) }, signal),
          ),
        ),
      ),
    );
  }

  private async askOnce(prompt: string, decoding: ChatDecoding, signal?: AbortSignal): Promise<ExecutorAnswer> {
    const { temperature, topP, seed } = decoding;
    const asked = sha256(canonicalJson({ prompt, temperature, topP, seed }));
    const kept = this.kept.get(asked);
    if (kept !== undefined) return kept;
    const answer = await this.ask(prompt, decoding, signal);
    if (answer.status === 'answered') {
      this.kept.set(asked, answer);
      if (this.kept.size > KEPT_ANSWERS) this.kept.delete(this.kept.keys().next().value!);
    }
    return answer;
  }

  private async ask(prompt: string, decoding: ChatDecoding, signal?: AbortSignal): Promise<ExecutorAnswer> {
    const { model, system } = this.settings;
    const result = await complete(this.client, model, { system, user: prompt }, decoding, signal);
    if (result.kind === 'failed') {
      // Is it the server, or this prompt, which would hold up all others for ever?
      if (result.code !== 'ENDPOINT_FAILED' || (await this.isServing(signal))) return failure(result);
      const reason = `${result.reason} Nor does it answer a request of one token.`;
      return { status: 'failed', code: 'ENDPOINT_UNAVAILABLE', reason, retryable: true };
    }
    const exchanged = this.exchanged(reportedRevision(model, result.value, this.told.listed));
    return exchanged ?? answerOf(result.value);
  }

  /** Whether it answers anything at all. One question at a time for all callers, so that no caller's signal ends it. */
  private isServing(signal?: AbortSignal): Promise<boolean> {
    const { model, system, decoding } = this.settings;
    const messages = { system, user: PROBE };
    this.probing ??= complete(this.client, model, messages, { ...decoding, maxTokens: 1 }, undefined, 1)
      .then(({ kind }) => kind === 'answer')
      .finally(() => {
        this.probing = undefined;
      });
    return raceAbort(signal, this.probing, 'the answer to a question of one token');
  }

  /** Whether the server is still the one that it was: its list, now and then. */
  private async lookAtList(signal?: AbortSignal): Promise<void> {
    if (this.told.listed === null || this.nowMs() < this.listedAtMs + LIST_AGAIN_AFTER_MS) return;
    this.listedAtMs = this.nowMs();
    const { model } = this.settings;
    const list = await this.client.ask(LIST, signal);
    if (list.kind !== 'answer') return; // what keeps it from answering, the next prompt finds out
    const listed = listedFacts(list.value, model);
    if (listed !== this.told.listed) this.exchanged(`models@${listed?.slice(0, 16) ?? 'none'}`);
  }

  /** What is to be done about what the server reports now: nothing, to say it, or to stop. */
  private exchanged(now: string | null): ExecutorFailure | undefined {
    const { model, revision, onNotice } = this.settings;
    if (now === this.told.revision) return undefined;
    const change = `executor ${model} reported revision ${this.told.revision ?? 'none'} at first and reports ${now ?? 'none'} now`;
    if (revision !== null) {
      if (this.noticed !== now) onNotice?.(`${change}; outcomes still name the configured ${revision}`);
      this.noticed = now;
      return undefined;
    }
    return failure(
      this.client.haltWith(
        'CONFLICT',
        `${change}. The executor of a log is frozen: restore it, begin a new log, or configure the revision if both are the same model`,
      ),
    );
  }
}

function complete(
  client: EndpointClient,
  model: string,
  { system, user }: { readonly system: string | null; readonly user: string },
  decoding: ChatDecoding,
  signal?: AbortSignal,
  attempts?: number,
): Promise<EndpointResult<ChatCompletion>> {
  return client.ask(
    {
      method: 'POST',
      path: 'chat/completions',
      body: chatRequest(
        model,
        [...(system === null ? [] : [{ role: 'system' as const, content: system }]), { role: 'user', content: user }],
        decoding,
      ),
      schema: chatCompletionSchema,
      worst: worstCase([system, user], decoding.maxTokens),
      usage: chatUsage,
      ...(attempts === undefined ? {} : { attempts }),
    },
    signal,
  );
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

function failure({ code, reason, retryable, halts }: EndpointFailure): ExecutorFailure {
  return { status: 'failed', code, reason, retryable, ...(halts ? { halts } : {}) };
}

function valueOf<T>(result: EndpointResult<T>): T {
  if (result.kind === 'answer') return result.value;
  const code: ErrorCode = result.code === 'ENDPOINT_REFUSED' ? 'INVALID_CONFIGURATION' : result.code;
  throw new SeamError(
    code,
    `Cannot start the executor: a first request of one token was not answered. ${result.reason}`,
  );
}

/** A seed as OpenAI wants one: a whole number, of 31 bits since not all servers take more. */
function seedNumber(seed: string): number {
  return Number.parseInt(sha256(seed).slice(0, 8), 16) >>> 1;
}
