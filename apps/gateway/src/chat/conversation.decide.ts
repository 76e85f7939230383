/**
 * What a conversation of a client is to the system: a problem's prompt, the unit that its arm is drawn for, and the messages with an entry.
 * Pure.
 */
import type { ProblemPublished } from '@seamstream/events';
import type { ChatMessage, ChatRequest } from '@seamstream/gateway-contract';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { type TurnsTask, turnsContent, turnsFault, turnsPrompt } from '@seamstream/tasks';

/** Most characters of a recorded prompt: a record has to fit into a batch of Kafka's, and a generator reads some 30,000 tokens at most. */
const MOST_PROMPT = 60_000;

const ROLES: Readonly<Record<string, TurnsTask['turns'][number]['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

export interface ConversationProblem {
  readonly prompt: string;
  /** Null for a single question, and where the turns do not alternate. */
  readonly task: ProblemPublished['task'];
  /** The beginning was left out. */
  readonly isCut: boolean;
}

/**
 * The conversation up to its last message of a user. What follows (a tool's results) belongs to the same question, so that within a loop of
 * tools the problem, and with it the experience, stays the same.
 */
export function problemOf(messages: readonly ChatMessage[]): ConversationProblem {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const said = (last < 0 ? messages : messages.slice(0, last + 1)).map((message) => ({
    role: ROLES[message.role] ?? ('user' as const),
    text: textOf(message),
  }));
  const [only] = said;
  if (only !== undefined && said.length === 1) return bounded(only.text, null);
  const turns = { kind: 'turns' as const, turns: said };
  return bounded(turnsPrompt(turns), turnsFault(said) === undefined ? turnsContent(turns) : null);
}

/** The end of a long conversation is what is asked. */
function bounded(prompt: string, task: ProblemPublished['task']): ConversationProblem {
  if (prompt.length <= MOST_PROMPT) return { prompt, task, isCut: false };
  return { prompt: prompt.slice(-MOST_PROMPT).toWellFormed(), task: null, isCut: true };
}

/** What a request adds to its conversation: its last message, where a user said it. Null: nothing, or no text. */
export function messageIn(messages: readonly ChatMessage[]): string | null {
  const last = messages.at(-1);
  if (last?.role !== 'user') return null;
  const text = textOf(last).trim();
  return text === '' ? null : text;
}

/** Text as it is; of other content that there is some. */
function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

/**
 * The unit that the arm of a request is drawn for: its conversation. A client that names none has one by its first messages, which every
 * later turn repeats. A client chooses the text and not the unit: log and client are part of it.
 */
export function unitOf(
  { messages, user, seam }: Pick<ChatRequest, 'messages' | 'user' | 'seam'>,
  { log, client }: { readonly log: string; readonly client: string | null },
): string {
  const first = messages.findIndex(({ role }) => role === 'user');
  const beginning = first < 0 ? messages : messages.slice(0, first + 1);
  const conversation = seam?.conversation ?? canonicalJson([user ?? null, beginning]);
  return sha256(canonicalJson([log, client, conversation])).slice(0, 32);
}

/** The messages with the block behind the system's text: there it is the server's, and the beginning of the prompt stays the same. */
export function withBlock(messages: readonly ChatMessage[], block: string): readonly ChatMessage[] {
  const end = messages.findIndex(({ role }) => ROLES[role] !== 'system');
  const at = (end < 0 ? messages.length : end) - 1;
  const system = messages[at];
  if (system === undefined) return [{ role: 'system', content: block }, ...messages];
  const { content } = system;
  const extended = Array.isArray(content)
    ? [...content, { type: 'text', text: block }]
    : [content ?? '', block].filter((text) => text !== '').join('\n\n');
  return messages.with(at, { ...system, content: extended });
}
