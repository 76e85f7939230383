import type { ToolCall } from './generated/events.generated.js';

/** A call as text: what the model wrote, what it called with what, and the result. For people, and for models that read attempts. */
export function toldToolCall({ said, tool, arguments: written, outcome, result }: ToolCall): string {
  const before = said === null ? '' : `${said}\n`;
  return `${before}${tool}(${written})\n${outcome === 'answered' ? '' : `${outcome}: `}${result}`;
}

/** What an executor did and wrote: its calls of tools, then its response. The response alone where it has no tools. */
export function toldAttempt({
  toolCalls,
  response,
}: {
  readonly toolCalls?: readonly ToolCall[] | null | undefined;
  readonly response: string;
}): string {
  const calls = (toolCalls ?? []).map((call) => `Turn ${call.turn}: ${toldToolCall(call)}`);
  return calls.length === 0 ? response : [...calls, `Answer: ${response}`].join('\n');
}
