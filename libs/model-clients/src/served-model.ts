/**
 * A frozen model behind a chat endpoint: opened by a first token, asked, and watched, so that it stays the one that it was. What it is
 * asked about, and in how many turns, is an executor's matter.
 */

import type { ExecutorFailure } from '@seamstream/environments';
import { type ErrorCode, raceAbort, SeamError } from '@seamstream/kernel';
import {
  type ChatDecoding,
  type ChatMessage,
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
  type ToldByAnswer,
  worstCase,
} from '@seamstream/openai-endpoint';
import type { z } from 'zod';

export interface ServedModelSettings {
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

/** A request, and what its answer has to be. */
export interface AskedCompletion<T> {
  /** Without the system message. */
  readonly messages: readonly ChatMessage[];
  readonly decoding: ChatDecoding;
  /** Fields beyond those of every request. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly schema: z.ZodType<T>;
}

/** What every kind of completion says. */
type Told = ToldByAnswer & { readonly usage: Parameters<typeof chatUsage>[0]['usage'] };

/** What the server reported when it was asked first. */
interface FirstReport {
  readonly revision: string | null;
  readonly listed: string | null;
}

/** A server's list of models is looked at again after so long. */
const LIST_AGAIN_AFTER_MS = 60_000;
/** Any server can begin an answer to it. */
const PROBE: readonly ChatMessage[] = [{ role: 'user', content: 'Hello' }];
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

export class ServedModel {
  /** What is configured, or what the server reported. */
  readonly revision: string;
  private listedAtMs: number;
  private noticed: string | null = null;
  private probing: Promise<boolean> | undefined;

  private constructor(
    private readonly client: EndpointClient,
    readonly settings: ServedModelSettings,
    private readonly told: FirstReport,
    private readonly nowMs: () => number,
  ) {
    this.revision = settings.revision ?? told.revision ?? '';
    this.listedAtMs = nowMs();
  }

  /**
   * Asks for one token, so that a wrong address, key, model or setting is found before the first problem, and for what the server
   * reports about the model.
   * @param nowMs milliseconds of any clock that does not go back
   * @throws INVALID_CONFIGURATION where the endpoint refuses or reports no revision and none is configured; BUDGET_SPENT;
   * ENDPOINT_UNAVAILABLE, ENDPOINT_FAILED where it does not answer
   */
  static async open(client: EndpointClient, settings: ServedModelSettings, nowMs: () => number): Promise<ServedModel> {
    const { model, revision } = settings;
    const first = valueOf(await complete(client, settings, probeOf(settings)));
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
    return new ServedModel(client, settings, told, nowMs);
  }

  /** What was spent, with what was counted as spent at the beginning. */
  get spent(): Spending {
    return this.client.spent;
  }

  /** @throws SeamError why no request is answered: at present, or before a person acts */
  assertAnswering(): void {
    this.client.assertAnswering();
  }

  /** An answer of the model that it was. @throws ABORTED */
  async ask<T extends Told>(
    asked: AskedCompletion<T>,
    signal?: AbortSignal,
  ): Promise<{ readonly status: 'completed'; readonly completion: T } | ExecutorFailure> {
    const result = await complete(this.client, this.settings, asked, signal);
    if (result.kind === 'failed') {
      // Is it the server, or this prompt, which would hold up all others for ever?
      if (result.code !== 'ENDPOINT_FAILED' || (await this.isServing(signal))) return failure(result);
      const reason = `${result.reason} Nor does it answer a request of one token.`;
      return { status: 'failed', code: 'ENDPOINT_UNAVAILABLE', reason, retryable: true };
    }
    const exchanged = this.exchanged(reportedRevision(this.settings.model, result.value, this.told.listed));
    return exchanged ?? { status: 'completed', completion: result.value };
  }

  /** Whether it answers anything at all. One question at a time for all callers, so that no caller's signal ends it. */
  private isServing(signal?: AbortSignal): Promise<boolean> {
    this.probing ??= complete(this.client, this.settings, probeOf(this.settings), undefined, 1)
      .then(({ kind }) => kind === 'answer')
      .finally(() => {
        this.probing = undefined;
      });
    return raceAbort(signal, this.probing, 'the answer to a question of one token');
  }

  /** Whether the server is still the one that it was: its list, now and then. */
  async lookAtList(signal?: AbortSignal): Promise<void> {
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

function probeOf({ decoding }: ServedModelSettings): AskedCompletion<z.infer<typeof chatCompletionSchema>> {
  return { messages: PROBE, decoding: { ...decoding, maxTokens: 1 }, schema: chatCompletionSchema };
}

function complete<T extends Told>(
  client: EndpointClient,
  { model, system }: ServedModelSettings,
  { messages, decoding, fields = {}, schema }: AskedCompletion<T>,
  signal?: AbortSignal,
  attempts?: number,
): Promise<EndpointResult<T>> {
  const all = [...(system === null ? [] : [{ role: 'system' as const, content: system }]), ...messages];
  return client.ask(
    {
      method: 'POST',
      path: 'chat/completions',
      body: { ...chatRequest(model, all, decoding), ...fields },
      schema,
      worst: worstCase(textsOf(all, fields), decoding.maxTokens),
      usage: chatUsage,
      ...(attempts === undefined ? {} : { attempts }),
    },
    signal,
  );
}

/** Everything that a server may count as prompt. */
function textsOf(messages: readonly ChatMessage[], fields: Readonly<Record<string, unknown>>): readonly string[] {
  const calls = messages.flatMap((message) => ('tool_calls' in message ? [JSON.stringify(message.tool_calls)] : []));
  const further = Object.keys(fields).length === 0 ? [] : [JSON.stringify(fields)];
  return [...messages.map(({ content }) => content ?? ''), ...calls, ...further];
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
