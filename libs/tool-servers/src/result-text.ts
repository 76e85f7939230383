/** What a tool answered, as text for a model: a stranger's words, broken, bounded and without secrets. Pure. */
import { asData } from '@seamstream/experience';

/** Parts of a result, as MCP has them. */
export interface ToolAnswer {
  readonly content?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly structuredContent?: unknown;
}

/**
 * Texts one under another; other parts by a word about them. Where there is no text, the structured content as JSON.
 * @param secrets replaced wherever they stand
 * @param maxBytes of the text in UTF-8, the remark about what was cut off included
 */
export function resultText(answer: ToolAnswer, secrets: readonly string[], maxBytes: number): string {
  const { content = [], structuredContent } = answer;
  const parts = content.map(textOf);
  const isText = content.some(({ type }) => type === 'text');
  if (!isText && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return within(maxBytes, asData(withoutSecrets(parts.join('\n'), secrets)));
}

/** A shorter value is a word or a number: to replace it hides nothing, and makes a page say something else. */
const SHORTEST_SECRET = 8;

/** The text with each secret replaced, also as an address or JSON spells it. The longest first: one may begin with another. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .reduce((safe, spelling) => safe.replaceAll(spelling, '***'), text);
}

/** The beginning of a text in so many bytes of UTF-8, with a remark where it was cut. No character is cut in two. */
export function within(maxBytes: number, given: string): string {
  const text = given.toWellFormed();
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const remark = `\n(cut off: ${bytes} bytes)`;
  const room = Math.max(0, maxBytes - remark.length);
  const start = Buffer.from(text)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD$/, '');
  return `${start}${remark}`.slice(0, maxBytes);
}

function textOf(part: Readonly<Record<string, unknown>>): string {
  const { type, text, resource } = part;
  if (type === 'text' && typeof text === 'string') return text;
  const inner =
    typeof resource === 'object' && resource !== null ? (resource as Record<string, unknown>).text : undefined;
  if (typeof inner === 'string') return inner;
  return `(${typeof type === 'string' ? type.slice(0, 40) : 'a part'} without text is left out)`;
}
