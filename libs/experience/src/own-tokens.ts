/**
 * Control tokens of one model's own vocabulary, wherever they are spelled in text from outside. plain-data.ts breaks the forms that the
 * known families share; what a tokenizer.json adds beyond them (`<filename>`, `>>TITLE<<`) is known only from that file.
 */
import { asData } from './plain-data.js';

/** A tree of spellings, character by character. */
interface Node {
  readonly next: Map<string, Node>;
  isEnd: boolean;
}

const breakers = new WeakMap<readonly string[], (text: string) => string>();

/**
 * Puts a blank behind the first character of each spelling, so that none of them is left.
 * Linear: at each place of a text at most the longest spelling is compared.
 * @param spellings of one tokenizer; the same array is prepared once
 */
export function breakerOf(spellings: readonly string[]): (text: string) => string {
  let breaker = breakers.get(spellings);
  if (breaker === undefined) breakers.set(spellings, (breaker = makeBreaker(spellings)));
  return breaker;
}

function makeBreaker(spellings: readonly string[]): (text: string) => string {
  // White space around a spelling is not what makes it one. What text from outside cannot hold any more needs no second look.
  const own = spellings.map((spelling) => spelling.trim()).filter((each) => each.length > 1 && asData(each) === each);
  if (own.length === 0) return (text) => text;
  const root: Node = { next: new Map(), isEnd: false };
  for (const spelling of own) {
    let node = root;
    for (const unit of spelling.split('')) {
      let next = node.next.get(unit);
      if (next === undefined) node.next.set(unit, (next = { next: new Map(), isEnd: false }));
      node = next;
    }
    node.isEnd = true;
  }
  return (text) => {
    // A blank may complete a spelling that contains one: then one more is next to it. No spelling has more blanks than characters.
    for (let broken = breakOnce(text, root); ; broken = breakOnce(text, root)) {
      if (broken === text) return text;
      text = broken;
    }
  };
}

function breakOnce(text: string, root: Node): string {
  let broken = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!beginsOne(text, at, root)) continue;
    broken += `${text.slice(from, at + 1)} `;
    from = at + 1;
  }
  return from === 0 ? text : broken + text.slice(from);
}

function beginsOne(text: string, at: number, root: Node): boolean {
  let node: Node | undefined = root;
  for (let i = at; i < text.length; i++) {
    node = node.next.get(text[i]!);
    if (node === undefined) return false;
    if (node.isEnd) return true;
  }
  return false;
}
