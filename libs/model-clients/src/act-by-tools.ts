/**
 * A frozen model that acts by tools before it answers: it is asked, its calls are made, their results are handed back, until it answers
 * or a bound is reached. What the endpoint or a server failed to do is a failure; what the model did wrong is an attempt without an answer.
 */
import type { ExecutorAnswer, ExecutorFailure } from '@seamstream/environments';
import type { ToolCall } from '@seamstream/events';
import { onOneLine, SeamError, Semaphore, sha256 } from '@seamstream/kernel';
import {
  type ActingCompletion,
  actingCompletionSchema,
  type ChatDecoding,
  type ChatMessage,
  callingMessage,
  chatUsage,
  offeredTools,
} from '@seamstream/openai-endpoint';
import { type ToolBox, within } from '@seamstream/tool-servers';
import {
  type ActingLimits,
  type ActingState,
  endBefore,
  NOT_BEGUN,
  nextStep,
  type PlannedCall,
} from './acting.decide.js';
import type { WayToAnswer } from './executor.endpoint.adapter.js';
import type { AskedCompletion, ServedModel } from './served-model.js';

export interface ActingSettings {
  readonly limits: ActingLimits;
  /** Longest time of an attempt. How long turns take says nothing about the model, so a longer one has failed, and is no zero. */
  readonly timeMs: number;
  /** Attempts at a time. */
  readonly concurrency: number;
}

/** Bytes of UTF-8 that are recorded of what a model wrote, of arguments, and of a result; digests are of the whole. */
const RECORDED = { said: 1024, arguments: 1024, result: 2048 };

/** The part of {@link ServedModel} that an attempt needs. */
export type AskedModel = Pick<ServedModel, 'ask'>;

export function actingByTools(tools: ToolBox, settings: ActingSettings): WayToAnswer {
  const permits = new Semaphore(settings.concurrency);
  const { maxTurns, maxCalls, maxTokens, maxWrongCalls } = settings.limits;
  const names = tools.offered.map(({ name }) => name).sort();
  return {
    identity: { tools: { digest: tools.digest, names, maxTurns, maxCalls, maxTokens, maxWrongCalls } },
    answer: (served, prompt, decoding, signal) =>
      permits.run(() => timedAttempt({ served, tools, decoding, settings }, prompt, signal), signal),
  };
}

interface Acting {
  readonly served: AskedModel;
  readonly tools: ToolBox;
  readonly decoding: ChatDecoding;
  readonly settings: ActingSettings;
}

async function timedAttempt(acting: Acting, prompt: string, signal?: AbortSignal): Promise<ExecutorAnswer> {
  const { timeMs } = acting.settings;
  const late = AbortSignal.timeout(timeMs);
  try {
    return await attempt(acting, prompt, signal === undefined ? late : AbortSignal.any([signal, late]));
  } catch (error) {
    if (!late.aborted || signal?.aborted === true) throw error;
    const reason = `Cannot answer by tools: expected an end of the attempt within ${timeMs} ms, got none. Raise SEAM_EXECUTOR_TOOLS_TIME_MS, or look at the servers.`;
    return { status: 'failed', code: 'ENDPOINT_FAILED', reason, retryable: true };
  }
}

async function attempt(acting: Acting, prompt: string, signal: AbortSignal): Promise<ExecutorAnswer> {
  const { served, tools, decoding, settings } = acting;
  const messages: ChatMessage[] = [{ role: 'user', content: prompt }];
  const toolCalls: ToolCall[] = [];
  const used = { promptTokens: 0, responseTokens: 0 };
  const answered = (text: string, ended?: string): ExecutorAnswer => ({
    ...{ status: 'answered', text, finished: ended === undefined, ...used, toolCalls },
    ...(ended === undefined ? {} : { ended: onOneLine(ended) }),
  });
  for (let state: ActingState = NOT_BEGUN, said = ''; ; ) {
    const end = endBefore(state, settings.limits);
    if (end !== undefined) return answered(said, end);
    const result = await served.ask(asked(messages, decoding, tools), signal);
    if (result.status === 'failed') return result;
    const [choice] = result.completion.choices;
    const { content, refusal } = choice!.message;
    if (choice!.finish_reason === 'content_filter') return filtered();
    // A model that refuses has said so.
    said = content ?? refusal ?? '';
    const tokens = chatUsage(result.completion);
    used.promptTokens += tokens.promptTokens;
    used.responseTokens += tokens.responseTokens;
    state = { ...state, turns: state.turns + 1, tokens: used.promptTokens + used.responseTokens };
    const step = nextStep(state, result.completion, settings.limits, (name, args) => tools.fault(name, args));
    if (step.kind === 'answer') return answered(said);
    if (step.kind === 'ended') return answered(said, step.why);
    state = step.state;
    messages.push(callingMessage(content ?? null, step.calls));
    for (const [index, call] of step.calls.entries()) {
      const outcome = await outcomeOf(call, tools, signal);
      if ('status' in outcome) return outcome;
      messages.push({ role: 'tool', tool_call_id: call.id, content: outcome.text });
      toolCalls.push(recorded(call, outcome, { turn: state.turns, said: index === 0 ? said : '' }));
    }
  }
}

function asked(
  messages: readonly ChatMessage[],
  decoding: ChatDecoding,
  { offered }: ToolBox,
): AskedCompletion<ActingCompletion> {
  return { messages, decoding, fields: offeredTools(offered), schema: actingCompletionSchema };
}

interface CallOutcome {
  readonly outcome: 'answered' | 'error' | 'refused';
  /** As the model reads it. */
  readonly text: string;
}

async function outcomeOf(
  call: PlannedCall,
  tools: ToolBox,
  signal: AbortSignal,
): Promise<CallOutcome | ExecutorFailure> {
  if (call.kind === 'refused') return { outcome: 'refused', text: `The call was not made: ${onOneLine(call.fault)}.` };
  if (signal.aborted) throw new SeamError('ABORTED', 'Cannot call a tool: aborted before it was called.');
  const result = await tools.call(call.name, call.args, signal);
  if (result.kind === 'result') return { outcome: result.isError ? 'error' : 'answered', text: result.text };
  const { code, reason, retryable, halts } = result;
  return { status: 'failed', code, reason, retryable, ...(halts ? { halts } : {}) };
}

function recorded(
  call: PlannedCall,
  { outcome, text }: CallOutcome,
  { turn, said }: { readonly turn: number; readonly said: string },
): ToolCall {
  return {
    turn,
    said: said === '' ? null : within(RECORDED.said, said),
    tool: within(64, call.name),
    arguments: within(RECORDED.arguments, call.arguments),
    argumentsDigest: sha256(call.arguments),
    outcome,
    result: within(RECORDED.result, text),
    resultDigest: sha256(text),
  };
}

function filtered(): ExecutorFailure {
  const reason = "The endpoint's filter has cut off the answer: what is left is not the model's.";
  return { status: 'failed', code: 'ENDPOINT_REFUSED', reason, retryable: false };
}
