/** Answers in words, and their spelling. */
import type { Form } from './form.js';

export function unwrapText(text: string): string {
  return text.replaceAll(/\\text\{([^{}]*)\}/g, '$1');
}

export function isPlainWords(text: string): boolean {
  const bare = unwrapText(text).trim();
  if (!/[a-zA-Z]/.test(bare)) return false;
  if (/^[a-zA-Z]$/.test(bare)) return true;
  if (/[\\^_=<>+*/|&]|\d/.test(text.includes('\\text') ? text.replaceAll(/\\text\{[^{}]*\}/g, '') : bare)) return false;
  const outside = text.replaceAll(/\\text\{[^{}]*\}/g, ' ').trim();
  if (outside === '' || /^[\s.,()'-]*$/.test(outside)) return true;
  return /^[\p{L}\s.,'()!?-]+$/u.test(bare) && /\p{L}{2,}/u.test(bare);
}

/**
 * Words in one spelling. A capital that begins a word says nothing, but C is not c, and AB not ab: letters that stand for something keep
 * their case, and so do abbreviations.
 */
export function spelled(words: string): string {
  const plain = words
    .replaceAll(/(?<=\d)\s+(?=\d)/g, '\u0001')
    // A sign, a decimal point and the groups of a number are no punctuation.
    .replaceAll(/[\\{}\s()'"!?_]|(?<!\d)[.,]|[.,](?!\d)|-(?!\s*[\d.])|degrees(?=\W|$)/g, '');
  const isSymbol = /^[a-zA-Z]$|^[A-Z]{2,3}$/.test(plain) && !/^(?:YES|NO)$/.test(plain);
  return isSymbol ? plain : plain.toLowerCase();
}

export function wordsOf(text: string): Form {
  return { kind: 'words', words: spelled(unwrapText(text)) };
}
