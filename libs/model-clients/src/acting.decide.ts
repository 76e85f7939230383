/** What a model that acts by tools may do next: bounded in turns, calls and tokens, and only by calls that are allowed. Pure. */
import type { ActingCompletion, CalledTool } from '@seamstream/openai-endpoint';

export interface ActingLimits {
  /** Answers of the model, the last one included. */
  readonly maxTurns: number;
  /** Calls of all turns. */
  readonly maxCalls: number;
  /** Tokens of all prompts and answers, looked at before each turn: the last one may pass it. */
  readonly maxTokens: number;
  /** Wrong calls that the model may correct; one more ends the attempt. */
  readonly maxWrongCalls: number;
}

/** How far an attempt has come. */
export interface ActingState {
  /** Answers of the model so far. */
  readonly turns: number;
  readonly calls: number;
  readonly wrongCalls: number;
  readonly tokens: number;
}

export const NOT_BEGUN: ActingState = { turns: 0, calls: 0, wrongCalls: 0, tokens: 0 };

export type PlannedCall = CalledTool &
  (
    | { readonly kind: 'call'; readonly args: Readonly<Record<string, unknown>> }
    /** The model gets the reason. */
    | { readonly kind: 'refused'; readonly fault: string }
  );

export type NextStep =
  | { readonly kind: 'answer' }
  /** The model did not come to an answer, its own fault. */
  | { readonly kind: 'ended'; readonly why: string }
  | { readonly kind: 'calls'; readonly calls: readonly PlannedCall[]; readonly state: ActingState };

/** Why no further turn begins; undefined where one does. */
export function endBefore({ tokens }: ActingState, { maxTokens }: ActingLimits): string | undefined {
  return tokens < maxTokens ? undefined : `it used ${tokens} tokens without an answer, of ${maxTokens}`;
}

/**
 * What follows from the model's answer.
 * @param state with the turn and the tokens of this answer
 * @param faultOf why a call of this tool with these arguments is not made; undefined where it is
 */
export function nextStep(
  state: ActingState,
  { choices: [choice] }: ActingCompletion,
  limits: ActingLimits,
  faultOf: (name: string, args: Readonly<Record<string, unknown>>) => string | undefined,
): NextStep {
  const { finish_reason: reason, message } = choice!;
  // Cut off at its limit of tokens: what calls it has may be half of what was meant.
  if (reason === 'length') return { kind: 'ended', why: 'a turn reached its token limit' };
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return { kind: 'answer' };
  if (state.turns >= limits.maxTurns)
    return { kind: 'ended', why: `it called a tool in its last turn, the ${limits.maxTurns}th` };
  if (state.calls + calls.length > limits.maxCalls)
    return { kind: 'ended', why: `it made more than ${limits.maxCalls} calls` };
  const planned = calls.map(({ id, function: { name, arguments: written } }) =>
    plannedCall({ id, name, arguments: written }, faultOf),
  );
  const wrong = planned.filter((call) => call.kind === 'refused');
  const wrongCalls = state.wrongCalls + wrong.length;
  if (wrongCalls > limits.maxWrongCalls) {
    const [first] = wrong;
    return { kind: 'ended', why: `it called ${first!.name.slice(0, 64)} wrongly: ${first!.fault}` };
  }
  return { kind: 'calls', calls: planned, state: { ...state, calls: state.calls + calls.length, wrongCalls } };
}

function plannedCall(
  call: CalledTool,
  faultOf: (name: string, args: Readonly<Record<string, unknown>>) => string | undefined,
): PlannedCall {
  const args = argumentsIn(call.arguments);
  if (args === undefined) return { ...call, kind: 'refused', fault: 'its arguments are no JSON object' };
  const fault = faultOf(call.name, args);
  return fault === undefined ? { ...call, kind: 'call', args } : { ...call, kind: 'refused', fault };
}

/** No arguments may be written as an empty text. */
function argumentsIn(written: string): Readonly<Record<string, unknown>> | undefined {
  if (written.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(written);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
