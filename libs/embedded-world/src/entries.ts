/** Entries of the embedded world: `for <word of the statement> <advice>` in each field. */

import type { Problem } from '@seamstream/events';
import { domainEntrySchema, type FieldWords } from '@seamstream/experience';
import { type Random, SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { isWorldDomain, loreOf } from './domains.js';
import { CORRECTIONS, type Solution } from './lore/lore.js';
import { adviceFor, pitfallWords, stockOf, wordingOf } from './problems.js';

export interface WorldEntry {
  readonly concepts: readonly string[];
  readonly strategy: readonly string[];
  readonly pitfalls: readonly string[];
}

const advise = (word: string, advice: string): string => `for ${word} ${advice}`;
const allAdvice = (words: readonly string[], advices: readonly string[]): string[] =>
  words.flatMap((word) => advices.map((advice) => advise(word, advice)));
/** Marks around the word of the statement in what {@link advise} writes. */
const AROUND_WORD = ['for ', ' '] as const;
const different = (values: Iterable<string>): string[] => [...new Set(values)];

/** By domain: what is worked out about a schema (its digest, its grammar) is remembered by its object. */
const schemas = new Map<string, JsonSchema>();

/**
 * The schema of a domain's entries: every word with every advice of its field, so that it states the language and none of
 * the lore; the word is a quote from the statement. Undefined for a domain of another world; the same
 * object for the same one.
 */
export function entrySchemaFor(domain: string): JsonSchema | undefined {
  if (!isWorldDomain(domain)) return undefined;
  const schema = schemas.get(domain) ?? schemaOf(domain);
  schemas.set(domain, schema);
  return schema;
}

function schemaOf(domain: string): JsonSchema {
  const { numCues, cues, items, phrases, pitfalls } = loreOf(domain);
  const pitfallFields: FieldWords =
    pitfalls.length === 0
      ? { words: ['nothing'], minItems: 0, maxItems: 0 }
      : {
          words: allAdvice(Object.keys(pitfallWords(loreOf(domain))), Object.keys(CORRECTIONS)),
          minItems: 0,
          maxItems: 1,
          quotesBetween: AROUND_WORD,
        };
  return domainEntrySchema({
    concepts: { words: allAdvice(Object.keys(cues), items), minItems: numCues, quotesBetween: AROUND_WORD },
    strategy: { words: allAdvice(Object.keys(phrases), different(Object.values(phrases))), quotesBetween: AROUND_WORD },
    pitfalls: pitfallFields,
  });
}

/** The entry that says what the lore says. @throws INVALID_INPUT, NOT_FOUND for a problem of another world */
export function goldEntry(problem: Problem): WorldEntry {
  const wording = wordingOf(problem);
  const { items, strategy, pitfall } = adviceFor(loreOf(problem.domain), wording);
  return {
    concepts: wording.cues.map((cue, index) => advise(cue, items[index]!)),
    strategy: [advise(wording.phrase, strategy)],
    pitfalls: pitfall === undefined ? [] : [advise(wording.pitfall!, pitfall)],
  };
}

/** An entry of one who reads the statement well and knows nothing: the right words, each with any advice of its field. */
export function randomEntry(problem: Problem, random: Random): WorldEntry {
  const { cues, phrase, pitfall } = wordingOf(problem);
  const { items, phrases } = loreOf(problem.domain);
  return {
    concepts: cues.map((cue) => advise(cue, random.pick(items))),
    strategy: [advise(phrase, random.pick(different(Object.values(phrases))))],
    pitfalls: pitfall === undefined ? [] : [advise(pitfall, random.pick(Object.keys(CORRECTIONS)))],
  };
}

/**
 * What an obedient solver writes: it follows the advice, right or wrong, and does not ask which word it was for. The
 * executor was trained to this; it decides no verdict.
 * @throws INVALID_INPUT when the entry is not one of the problem's domain.
 */
export function followEntry(problem: Problem, entry: WorldEntry): Solution {
  const lore = loreOf(problem.domain);
  const stock = stockOf(problem);
  const refuse = (what: string): never => {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot follow an entry of ${lore.domain}: expected ${what}, got ${JSON.stringify(entry)}.`,
    );
  };
  const adviceOf = (text: string | undefined): string => /^for \S+ (.+)$/.exec(text ?? '')?.[1] ?? '';
  if (entry.concepts.length !== lore.numCues) refuse(`${lore.numCues} concepts`);
  const strategy = adviceOf(entry.strategy[0]);
  if (!Object.values(lore.phrases).includes(strategy)) refuse('a strategy of the domain');
  const correction = entry.pitfalls.length === 0 ? 0 : CORRECTIONS[adviceOf(entry.pitfalls[0])];
  if (correction === undefined) return refuse('a pitfall of the domain');
  const items = entry.concepts.map((concept) => {
    const name = adviceOf(concept);
    return { name, amount: stock.get(name) ?? refuse('concepts of the statement') };
  });
  return lore.solve({ items, strategy, correction });
}
