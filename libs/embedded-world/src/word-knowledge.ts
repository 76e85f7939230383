/**
 * What a generator knows of the lore, measured word by word: the probability of the right advice behind a quoted word, and of a
 * word's partners in a statement. An average over words would show nothing: a model that knew every fact would still name each
 * advice as often as any other.
 */
import type { Problem } from '@seamstream/events';
import { entryText } from '@seamstream/experience';
import type { ScoredSequence } from '@seamstream/language-model';
import { loreOf } from './domains.js';
import { entrySchemaFor, goldEntry } from './entries.js';
import { pitfallWords, wordingOf } from './problems.js';

/** The model that is asked. */
export interface AskedModel {
  readonly tokenizer: { encode(text: string): number[]; decode(tokenIds: readonly number[]): string };
  /** What it reads before it writes an entry. */
  readonly promptOf: (statement: string) => string;
  /** ln p of the targets of each sequence, in nats. */
  logProbabilities(sequences: readonly ScoredSequence[]): Promise<readonly (readonly number[])[]>;
}

export interface WordKnowledge {
  readonly domain: string;
  readonly word: string;
  /** Mean over statements of P(right advice | statement, word quoted), under the grammar of the domain's entries. */
  readonly probability: number;
  /** What a model that knows nothing gives it: one over the advices of its field. */
  readonly chance: number;
  /** Statements that hold the word. */
  readonly statements: number;
}

/** How well the right advice is known, by domain and word, of every word that has more than one. */
export async function adviceKnowledge(problems: readonly Problem[], model: AskedModel): Promise<WordKnowledge[]> {
  const asked = problems.map((problem) => adviceSequence(problem, model));
  const scored = await model.logProbabilities(asked.map(({ sequence }) => sequence));
  const byWord = new Map<string, { probabilities: number[]; chance: number; domain: string; word: string }>();
  asked.forEach(({ places, domain }, index) => {
    for (const { word, chance, from, to } of places) {
      // Of an advice of several tokens the product.
      const probability = Math.exp(scored[index]!.slice(from, to).reduce((sum, nats) => sum + nats, 0));
      const key = `${domain}/${word}`;
      const known = byWord.get(key) ?? { probabilities: [], chance, domain, word };
      known.probabilities.push(probability);
      byWord.set(key, known);
    }
  });
  return [...byWord.values()].map(({ probabilities, ...facts }) => ({
    ...facts,
    probability: mean(probabilities),
    statements: probabilities.length,
  }));
}

export interface PartnerKnowledge {
  readonly domain: string;
  /** Mean of P(second word | statement up to it) over the words that share an item with the first. */
  readonly sameItem: number;
  /** The same over the words of other items. */
  readonly otherItem: number;
  /** Words whose least likely second word is one of the same item. */
  readonly wordsTold: number;
  readonly words: number;
}

/** What is known of a statement's second word: a statement never asks for two words of one item, which gives pairs away. */
export async function partnerKnowledge(problems: readonly Problem[], model: AskedModel): Promise<PartnerKnowledge[]> {
  const asked = problems
    .filter(({ domain }) => loreOf(domain).numCues === 2)
    .flatMap((problem) => {
      const { cues } = wordingOf(problem);
      const [first, second] = cues as [string, string];
      const before = problem.prompt.slice(0, problem.prompt.lastIndexOf(` ${second}`));
      const text = model.promptOf(problem.prompt);
      const prefix = model.tokenizer.encode(text.slice(0, text.indexOf(before) + before.length));
      const others = Object.keys(loreOf(problem.domain).cues).filter((word) => word !== first);
      return others.map((word) => ({
        ...{ domain: problem.domain, first, word },
        sequence: { tokenIds: [...prefix, ...model.tokenizer.encode(` ${word}`)], targets: [prefix.length] },
      }));
    });
  const scored = await model.logProbabilities(asked.map(({ sequence }) => sequence));
  const probabilityOf = new Map(asked.map((each, index) => [each, Math.exp(scored[index]![0]!)]));
  return [...Map.groupBy(asked, ({ domain }) => domain)].map(([domain, ofDomain]) => {
    const { cues } = loreOf(domain);
    const shares = ({ first, word }: { first: string; word: string }): boolean => cues[first] === cues[word];
    const means = (given: readonly (typeof asked)[number][]): number =>
      mean(given.map((each) => probabilityOf.get(each)!));
    const told = [...Map.groupBy(ofDomain, ({ first }) => first).values()].map((ofWord) => {
      const byPartner = [...Map.groupBy(ofWord, ({ word }) => word).values()].sort((a, b) => means(a) - means(b));
      return shares(byPartner[0]![0]!);
    });
    return {
      domain,
      sameItem: means(ofDomain.filter(shares)),
      otherItem: means(ofDomain.filter((each) => !shares(each))),
      wordsTold: told.filter(Boolean).length,
      words: told.length,
    };
  });
}

/** The entry that the lore would write, and where in it the advices stand. */
function adviceSequence(problem: Problem, { tokenizer, promptOf }: AskedModel) {
  const schema = entrySchemaFor(problem.domain)!;
  const text = entryText(goldEntry(problem), schema);
  const prompt = tokenizer.encode(promptOf(problem.prompt));
  const written = tokenizer.encode(text);
  const targets: number[] = [];
  const places: { word: string; chance: number; from: number; to: number }[] = [];
  for (const { word, advices } of wordsOf(problem)) {
    const quote = `for ${word}`;
    const begin = text.indexOf(quote) + quote.length;
    const end = text.indexOf('"', begin);
    const from = targets.length;
    let at = 0;
    written.forEach((id, index) => {
      const { length } = tokenizer.decode([id]);
      if (at >= begin && at < end) targets.push(prompt.length + index);
      at += length;
    });
    places.push({ word, chance: 1 / advices, from, to: targets.length });
  }
  const sequence: ScoredSequence = {
    tokenIds: [...prompt, ...written],
    targets,
    schema,
    continuationStart: prompt.length,
  };
  return { domain: problem.domain, sequence, places };
}

/** The words of a statement in the order of its entry, with how many advices each may be given; those with one are left out. */
function wordsOf(problem: Problem): { readonly word: string; readonly advices: number }[] {
  const { cues, phrase, pitfall } = wordingOf(problem);
  const lore = loreOf(problem.domain);
  const different = (advices: Readonly<Record<string, string>>): number => new Set(Object.values(advices)).size;
  return [
    ...cues.map((word) => ({ word, advices: lore.items.length })),
    { word: phrase, advices: different(lore.phrases) },
    ...(pitfall === undefined ? [] : [{ word: pitfall, advices: different(pitfallWords(lore)) }]),
  ].filter(({ advices }) => advices > 1);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
