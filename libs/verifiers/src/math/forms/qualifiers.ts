/** Phrases at the end of an answer that say of what kind a letter is. */
import { isName } from './names.js';

const KIND =
  '(?:(?:real|integer|natural|positive|negative|non-?negative|whole|rational|complex|arbitrary) )*(?:numbers?|integers?|constants?|reals?)';
const QUALIFIERS: readonly RegExp[] = [
  new RegExp(`[,;]? ?(?:(?:for|where|with) )?(?:(?:all|any|every|some|each|an?|arbitrary) )+${KIND} [a-zA-Z]$`),
  new RegExp(`[,;]? ?(?:for|where|with) [a-zA-Z] (?:is|being) (?:(?:any|an?|some|arbitrary) )*${KIND}$`),
  /[,;]? ?(?:for|where|with) (?:(?:all|any|every|some) )?[a-zA-Z] ?\\in ?\\(?:mathbb ?\{ ?[ZNQR] ?\}|[ZNQR])$/,
];

/** The text without a phrase at its end that says of what kind a letter is: "for all real numbers t", "any integer n", "where k is an integer". */
export function withoutQualifier(text: string): string {
  const tail = text.slice(-120);
  const plain = tail
    .replaceAll(/\\text\{([^{}]*)\}/g, ' $1 ')
    .replaceAll(/[$ ]+/g, ' ')
    .replace(/[ .)]+$/, '');
  for (const qualifier of QUALIFIERS) {
    const found = qualifier.exec(plain);
    if (found === null || found.index === 0) continue;
    const head = `${text.slice(0, -120)}${plain.slice(0, found.index)}`.trim();
    // What is left must stand for itself: brackets that were cut in two do not.
    if (head !== '' && !isName(head) && isBalanced(head)) return head;
  }
  return text;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const bracket of text) {
    if ('([{'.includes(bracket)) depth++;
    else if (')]}'.includes(bracket)) depth--;
  }
  return depth === 0;
}

const MEMBERSHIP =
  /(?:,\s*|\(\s*|\\text\{\s*,?\s*(?:for|where|with)[a-z\s]*\}\s*|(?:,\s*)?\b(?:for|where|with)(?:\s+(?:all|any|some|every))?\s+)(?:\\forall\s*)?[a-zA-Z]\s*\\in\s*\\mathbb\{[ZNQ]\}(?:\s*[\^_]\s*\{?[+*\d]\}?)?\s*\)?$/;

/** The text without "…, k ∈ ℤ" at its end, which says of what kind a letter of the answer is. */
export function withoutMembership(text: string): string {
  const found = MEMBERSHIP.exec(text);
  if (found === null || found.index === 0) return text;
  const head = text.slice(0, found.index);
  return isName(head.trim()) ? text : head;
}
