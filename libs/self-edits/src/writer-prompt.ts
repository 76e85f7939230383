/** What the writer of an edit reads: the request with the passage, and never the questions that the edit is judged by. */
import { asData } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type { Passage, SelfEditKind } from './self-edit-kinds.js';

export interface WriterMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The placeholders of a request. */
export const PLACEHOLDER = /\{([a-z][a-zA-Z]*)\}/g;

/**
 * The request as a dialogue, for a model that chats: the system's message, each example with its edit, and the passage.
 * @throws INVALID_INPUT for a kind of which nothing is written
 */
export function writerMessages(kind: SelfEditKind, passage: Passage): readonly WriterMessage[] {
  const { name, template, system, examples } = kind;
  if (template === null) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot ask for a self-edit of the kind "${name}": expected a kind that is written, got the passage alone. Train on the passage as it is.`,
    );
  }
  return [
    ...(system === null ? [] : [{ role: 'system', content: system } as const]),
    ...examples.flatMap((example) => [
      { role: 'user', content: rendered(template, example) } as const,
      { role: 'assistant', content: example.edit } as const,
    ]),
    { role: 'user', content: rendered(template, passage) },
  ];
}

/** The request as one text, which a model continues with an edit. @throws INVALID_INPUT as {@link writerMessages} */
export function writerPrompt(kind: SelfEditKind, passage: Passage): string {
  let prompt = '';
  for (const { role, content } of writerMessages(kind, passage)) {
    // An edit continues its request; everything else begins a paragraph.
    prompt += prompt === '' ? content : `${role === 'assistant' ? '\n' : '\n\n'}${content}`;
  }
  return prompt;
}

/** Each placeholder is replaced once; what a passage holds is never read as a placeholder. A line for a title that is not known is left out. */
function rendered(template: string, { title, passage }: Passage): string {
  const request = title === null ? template.replace(/^\{title\}\r?\n/m, '') : template;
  const values: Readonly<Record<string, string>> = { title: asData(title ?? ''), passage: asData(passage) };
  return request.replace(PLACEHOLDER, (placeholder, name: string) => values[name] ?? placeholder);
}
