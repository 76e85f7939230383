/** Messages of a conversation, as chat completions have them. */

interface SpokenMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface CalledTool {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** What the model wrote when it called. */
interface CallingMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** What a tool answered. */
interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

/** A conversation in which a model acts by tools has the two further forms. */
export type ChatMessage = SpokenMessage | CallingMessage | ToolMessage;

export function callingMessage(content: string | null, calls: readonly CalledTool[]): CallingMessage {
  return {
    role: 'assistant',
    content,
    tool_calls: calls.map(({ id, name, arguments: written }) => ({
      id,
      type: 'function',
      function: { name, arguments: written },
    })),
  };
}
