/** Libraries and texts that have everything of a library but its content: what it is compared with. */
import { quoteRulesOf, quotesIn } from '@seamstream/experience';
import { compareText, Random } from '@seamstream/kernel';
import { cyclicDerangement } from '@seamstream/statistics';
import { type ExperienceLibrary, type LibraryItem, libraryOf } from './library.js';
import type { EntrySchemasLike } from './phrases.js';

/**
 * The same items with their advice exchanged: of texts that quote a thing, what follows the quote goes to the next text of the same field.
 * Of a text that quotes nothing the words change places. Lengths and words stay as they are.
 */
export function shuffledLibrary(
  library: ExperienceLibrary,
  schemaFor: EntrySchemasLike,
  seed: string,
): ExperienceLibrary {
  const random = Random.of(seed, 'shuffled library', library.digest);
  const texts = new Map<string, string>();
  const places = Map.groupBy(library.items, ({ domain, field }) => JSON.stringify([domain, field]));
  for (const [, items] of [...places].sort(([a], [b]) => compareText(a, b))) {
    const split = items.map((item) => ({ item, head: headOf(item, schemaFor) }));
    const quoting = split.filter(({ head }) => head !== undefined);
    if (quoting.length > 1) {
      const order = cyclicDerangement(quoting.length, random);
      for (const [at, { item, head }] of quoting.entries()) {
        const other = quoting[order[at]!]!;
        texts.set(item.id, `${head}${other.item.text.slice(other.head!.length)}`);
      }
    }
    for (const { item, head } of split)
      if (head === undefined) texts.set(item.id, random.shuffled(item.text.split(/\s+/u)).join(' '));
  }
  const items = library.items.map((item) => ({ ...item, text: texts.get(item.id) ?? item.text }));
  return libraryOf({ ...library, items, changes: [] });
}

/** A text up to the end of its only quote; undefined where it quotes nothing, or several things. */
function headOf({ text, domain, field }: LibraryItem, schemaFor: EntrySchemasLike): string | undefined {
  if (domain === null || field === null) return undefined;
  const rules = quoteRulesOf(schemaFor(domain))?.properties?.get(field);
  const rule = rules?.items?.rule ?? rules?.rule;
  const quotes = rule === undefined ? [] : (quotesIn(text, rule) ?? []);
  const [only] = quotes;
  if (only === undefined || quotes.length > 1) return undefined;
  return text.slice(0, text.indexOf(only) + only.length);
}

const FILLER =
  'this line is here to fill the room that an experience takes and it says nothing of the problem that follows it'.split(
    ' ',
  );

/** Text that says nothing, of as many tokens as another one, or up to a word more. */
export function fillerOf(text: string, tokenizer: { encode(text: string): readonly number[] }): string {
  const wanted = tokenizer.encode(text).length;
  const words: string[] = [];
  while (tokenizer.encode(words.join(' ')).length < wanted) words.push(FILLER[words.length % FILLER.length]!);
  return words.join(' ');
}
