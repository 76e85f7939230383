/**
 * Problems of the embedded world. Problem i of a set is a pure function of (seed, split, variant, i), so a set can be
 * continued, cut or made again anywhere. Splits are disjoint by meaning, not by text: the words that an entry must answer
 * (cues in order, phrase, pitfall) decide the split, so no combination of them is both trained on and measured.
 */
import type { GradedProblem, Problem } from '@seamstream/events';
import { derivedId, Random, SeamError, sha256 } from '@seamstream/kernel';
import { DOMAINS, loreOf, SHIFTED_DOMAINS } from './domains.js';
import { CORRECTIONS, type Lore, type WorldVariant } from './lore/lore.js';

export type WorldSplit = 'train' | 'validation' | 'heldOut';

export interface WorldRequest {
  readonly seed: string | number;
  readonly split: WorldSplit;
  readonly variant: WorldVariant;
  /** Problems to make; the domains of the variant take turns. */
  readonly count: number;
  /** Index of the first, 0 by default. */
  readonly startIndex?: number;
}

/** The words of a statement that an entry must answer. */
export interface Wording {
  readonly cues: readonly string[];
  readonly phrase: string;
  /** Absent in statements without a pitfall. */
  readonly pitfall?: string;
}

/** Percentages of the semantic keys that are trained on, and those up to validation; the rest is held out. */
const TRAIN_BELOW = 70;
const VALIDATION_BELOW = 80;
/** Share of statements with a pitfall, where the domain has any. */
const PITFALL_RATIO = 0.5;

/**
 * @throws INVALID_INPUT when count or startIndex is not a whole number ≥ 0.
 */
export function worldProblems(request: WorldRequest): readonly GradedProblem[] {
  const { seed, split, variant, count, startIndex = 0 } = request;
  for (const [name, value] of Object.entries({ count, startIndex })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot make problems of the embedded world: expected ${name} to be a whole number ≥ 0, got ${value}.`,
      );
    }
  }
  const domains = variant === 'base' ? DOMAINS : SHIFTED_DOMAINS;
  return Array.from({ length: count }, (_, offset) => {
    const index = startIndex + offset;
    const lore = loreOf(domains[index % domains.length]!);
    const random = Random.of('embedded-world', seed, split, variant, index);
    // A draw of another split is drawn again: within a split all combinations stay equally likely.
    let wording = drawWording(lore, random);
    while (splitOf(lore, wording) !== split) wording = drawWording(lore, random);
    return statement(lore, wording, derivedId(`embedded-world/${seed}/${split}/${variant}`, 'problem', index), random);
  });
}

/** The words of a problem's statement. @throws INVALID_INPUT when the problem is not one of this world's. */
export function wordingOf(problem: Pick<Problem, 'metadata'>): Wording {
  const { cues, phrase, pitfall } = problem.metadata;
  if (cues === undefined || phrase === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot read a problem of the embedded world: expected metadata with cues and phrase, as worldProblems writes them.',
    );
  }
  return { cues: cues.split(' '), phrase, ...(pitfall === undefined ? {} : { pitfall }) };
}

/** Item to amount, as the statement lists them. @throws INVALID_INPUT when the statement lists nothing. */
export function stockOf(problem: Pick<Problem, 'prompt'>): ReadonlyMap<string, string> {
  const list = /^[^:]+: ([^.]+)\./.exec(problem.prompt)?.[1];
  if (list === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read a problem of the embedded world: expected a statement such as "Pens: cow red, hen blue. …", got ${JSON.stringify(problem.prompt.slice(0, 60))}.`,
    );
  }
  return new Map(list.split(', ').map((pair) => pair.split(' ') as [string, string]));
}

/** The advice that the lore has for each word, parallel to {@link Wording}. */
export function adviceFor(lore: Lore, wording: Wording): { items: string[]; strategy: string; pitfall?: string } {
  const known = (advice: string | undefined, word: string): string => {
    if (advice === undefined) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot use the lore of ${lore.domain}: expected one of its words, got ${JSON.stringify(word)}.`,
      );
    }
    return advice;
  };
  const { cues, phrase, pitfall } = wording;
  return {
    items: cues.map((cue) => known(lore.cues[cue], cue)),
    strategy: known(lore.phrases[phrase], phrase),
    ...(pitfall === undefined ? {} : { pitfall: known(pitfallWords(lore)[pitfall], pitfall) }),
  };
}

/** Pitfall word to advice, of all sentences. */
export function pitfallWords(lore: Lore): Readonly<Record<string, string>> {
  return Object.assign({}, ...lore.pitfalls.map(({ words }) => words)) as Record<string, string>;
}

function drawWording(lore: Lore, random: Random): Wording {
  const words = Object.keys(lore.cues);
  const cues = [random.pick(words)];
  if (lore.numCues === 2) cues.push(random.pick(words.filter((word) => lore.cues[word] !== lore.cues[cues[0]!])));
  const phrase = random.pick(Object.keys(lore.phrases));
  if (lore.pitfalls.length === 0 || random.float() >= PITFALL_RATIO) return { cues, phrase };
  return { cues, phrase, pitfall: random.pick(Object.keys(random.pick(lore.pitfalls).words)) };
}

function semanticKey(lore: Lore, { cues, phrase, pitfall = '-' }: Wording): string {
  return [lore.domain, ...cues, phrase, pitfall].join('/');
}

function splitOf(lore: Lore, wording: Wording): WorldSplit {
  const percent = Number.parseInt(sha256(semanticKey(lore, wording)).slice(0, 8), 16) % 100;
  if (percent < TRAIN_BELOW) return 'train';
  return percent < VALIDATION_BELOW ? 'validation' : 'heldOut';
}

function statement(lore: Lore, wording: Wording, problemId: string, random: Random): GradedProblem {
  const { cues, phrase, pitfall } = wording;
  const amounts = random.shuffled(lore.amounts);
  const stock = random.shuffled(lore.items).map((name, index) => ({ name, amount: amounts[index]! }));
  const sentence = lore.pitfalls.find(({ words }) => pitfall !== undefined && pitfall in words)?.text;
  const slots: Readonly<Record<string, string>> = {
    cue: cues[0]!,
    other: cues[1] ?? '',
    phrase,
    pitfall: sentence === undefined ? '' : ` ${sentence.replace('{word}', pitfall!)}`,
  };
  const question = random.pick(lore.questions).replaceAll(/\{(\w+)\}/g, (_, slot: string) => slots[slot]!);
  const advice = adviceFor(lore, wording);
  const { answer } = lore.solve({
    items: advice.items.map((item) => stock.find(({ name }) => name === item)!),
    strategy: advice.strategy,
    correction: advice.pitfall === undefined ? 0 : CORRECTIONS[advice.pitfall]!,
  });
  return {
    problemId,
    domain: lore.domain,
    prompt: `${lore.heading}: ${stock.map(({ name, amount }) => `${name} ${amount}`).join(', ')}. ${question}`,
    reference: answer,
    verifier: { kind: lore.verifier, version: '1', options: {} },
    metadata: {
      variant: lore.variant,
      key: semanticKey(lore, wording),
      cues: cues.join(' '),
      phrase,
      ...(pitfall === undefined ? {} : { pitfall }),
      // What the lore says of each word is a fact that can be learned.
      facts: [...cues, phrase, ...(pitfall === undefined ? [] : [pitfall])].join(', '),
    },
  };
}
