/** Where a LaTeX text may be split: nothing within brackets, braces, environments or the argument of a command is looked at. */

interface Token {
  readonly text: string;
  readonly at: number;
}

const TOKEN = /\\begin\{[a-zA-Z*]+\}|\\end\{[a-zA-Z*]+\}|\\text\{[^{}]*\}|\\[a-zA-Z]+|\\[^a-zA-Z]|[\s\S]/g;
const OPENING = /^(?:[([{]|\\\{|\\langle|\\lfloor|\\lceil|\\begin\{.*)$/s;
const CLOSING = /^(?:[)\]}]|\\\}|\\rangle|\\rfloor|\\rceil|\\end\{.*)$/s;

/** The tokens at depth 0 with their places. */
export function* topLevel(text: string): Generator<Token> {
  let depth = 0;
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    if (CLOSING.test(token)) depth = Math.max(0, depth - 1);
    if (depth === 0) yield { text: token, at };
    if (OPENING.test(token)) depth++;
  }
}

/** The parts between separators at depth 0, with the separators. */
export function splitTopLevel(
  text: string,
  isSeparator: (token: string, at: number) => boolean,
): { readonly parts: readonly string[]; readonly separators: readonly string[] } {
  const parts: string[] = [];
  const separators: string[] = [];
  let from = 0;
  for (const { text: token, at } of topLevel(text)) {
    if (at < from || !isSeparator(token, at)) continue;
    parts.push(text.slice(from, at));
    separators.push(token);
    from = at + token.length;
  }
  parts.push(text.slice(from));
  return { parts, separators };
}

/** What is inside, where one pair of brackets surrounds the whole text; null otherwise. */
export function bracketed(
  text: string,
): { readonly open: string; readonly inner: string; readonly close: string } | null {
  const tokens = [...text.matchAll(TOKEN)];
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined || tokens.length < 2) return null;
  if (!OPENING.test(first[0]) || !CLOSING.test(last[0])) return null;
  let depth = 0;
  for (const token of tokens) {
    if (OPENING.test(token[0])) depth++;
    else if (CLOSING.test(token[0])) depth--;
    if (depth === 0 && token !== last) return null;
  }
  if (depth !== 0) return null;
  return { open: first[0], inner: text.slice(first[0].length, last.index), close: last[0] };
}
