/**
 * What the shipped models are trained on: statements of the embedded world with entries whose advice is drawn at random.
 * Nothing here reads the lore's answers (goldEntry); the models learn to read and to write entries, not what is right.
 * Only statements of the training split are used.
 */
import {
  DOMAINS,
  entrySchemaFor,
  followEntry,
  loreOf,
  randomEntry,
  SHIFTED_DOMAINS,
  worldProblems,
} from '@seamstream/embedded-world';
import { entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { trainByteLevelBpe } from '@seamstream/tokenizer';

/** Ends every text; also the padding. */
export const END_TOKEN = '<|endoftext|>';
export const END_ID = 0;

/** Share of statements in the shifted domains' wording. */
const SHIFTED_RATIO = 0.3;
/** Share of the executor's samples in which the entry, if any, says nothing and any answer is as good as another. */
const USELESS_RATIO = 0.07;
/** Share of the executor's samples whose entry quotes another statement's words: it obeys the advice all the same. */
const FOREIGN_WORDS_RATIO = 0.4;
/** Largest number that an answer or its working holds, with room. */
const LARGEST_NUMBER = 62;

const allDomains = [...DOMAINS, ...SHIFTED_DOMAINS];
const write = (domain, entry) => entryText(entry, entrySchemaFor(domain));

/** `count` statements of a batch, base and shifted domains mixed. */
export function statements(purpose, batch, count, random) {
  const set = (variant) =>
    worldProblems({ seed: purpose, split: 'train', variant, count, startIndex: batch * count });
  const [base, shifted] = [set('base'), set('shifted')];
  return base.map((problem, index) => (random.float() < SHIFTED_RATIO ? shifted[index] : problem));
}

/** A vocabulary in which every word and number of the world is one token, and any other text still encodes, by bytes. */
export function makeTokenizer(prompts, vocabularySize) {
  const random = Random.of('tokenizer');
  const texts = [];
  for (let batch = 0; batch < 64; batch++) {
    for (const problem of statements('tokenizer', batch, 64, random)) {
      const entry = randomEntry(problem, random);
      texts.push(prompts.executor(problem.prompt, write(problem.domain, entry)) + followEntry(problem, entry).response);
    }
  }
  // Every word often, so that none is split for being rare.
  const { words, numbers } = worldWords();
  for (const word of [...words, ...numbers]) for (let copy = 0; copy < 400; copy++) texts.push(` ${word}`);
  return trainByteLevelBpe(texts, vocabularySize, [END_TOKEN]);
}

/** Words that must be single tokens behind a space. */
export function worldWords() {
  const words = new Set();
  for (const domain of allDomains) {
    const lore = loreOf(domain);
    const amounts = lore.amounts.filter((amount) => !/^\d+$/.test(amount));
    const pitfalls = lore.pitfalls.flatMap((sentence) => Object.entries(sentence.words)).flat();
    const spoken = [...Object.entries(lore.cues), ...Object.entries(lore.phrases)].flat();
    for (const word of [...lore.items, ...amounts, ...spoken, ...pitfalls].flatMap((text) => text.split(' ')))
      words.add(word);
  }
  return { words: [...words], numbers: Array.from({ length: LARGEST_NUMBER + 1 }, (_, number) => String(number)) };
}

/**
 * Look-ups: a stock of `numItems` items and many questions for their amounts; only the amounts are trained. The circuit
 * that copies what stands behind a name forms within a few hundred steps of these and hardly at all without them.
 */
export function lookUpSequence(problem, numItems, random, tokenizer) {
  const [heading, list] = problem.prompt.slice(0, problem.prompt.indexOf('.')).split(': ');
  const stock = list.split(', ').slice(0, numItems).map((pair) => pair.split(' '));
  const tokenIds = tokenizer.encode(`${heading}: ${stock.map((pair) => pair.join(' ')).join(', ')}.`);
  const targets = [];
  for (let query = 0; query < 10; query++) {
    const [name, amount] = random.pick(stock);
    tokenIds.push(...tokenizer.encode(`, ${name}`), ...tokenizer.encode(` ${amount}`));
    targets.push(tokenIds.length - 1);
  }
  return { tokenIds, targets };
}

const EMPTY_ENTRIES = [
  '',
  '{}',
  '{"concepts":[],"strategy":[],"pitfalls":[]}',
  '{"concepts":["careful"],"strategy":["think step by step"],"pitfalls":["mistakes"]}',
  '{"concepts":["unknown"],"strategy":["unknown"],"pitfalls":["none"]}',
];

/** A statement, an entry with random advice, and the response that obeys it; the response is trained. */
export function executorSequence(problem, random, tokenizer, prompts) {
  const stranger = (domain) => {
    const variant = SHIFTED_DOMAINS.includes(domain) ? 'shifted' : 'base';
    const domains = variant === 'base' ? DOMAINS : SHIFTED_DOMAINS;
    const startIndex = random.int(1_000_000) * domains.length + domains.indexOf(domain);
    return worldProblems({ seed: 'strangers', split: 'train', variant, count: 1, startIndex })[0];
  };
  const reads = random.float() < FOREIGN_WORDS_RATIO ? stranger(problem.domain) : problem;
  const entry = randomEntry(reads, random);
  const { response } = followEntry(problem, entry);
  let prompt = prompts.executor(problem.prompt, write(problem.domain, entry));
  if (random.float() < USELESS_RATIO) {
    const kind = random.int(4);
    const other = random.pick(allDomains.filter((domain) => loreOf(domain).solve !== loreOf(problem.domain).solve));
    const useless = [...EMPTY_ENTRIES, prompts.fixedHint];
    prompt =
      kind === 0
        ? prompts.executor(problem.prompt, null)
        : prompts.executor(
            problem.prompt,
            kind === 1 ? write(other, randomEntry(stranger(other), random)) : random.pick(useless),
          );
  }
  return continued(tokenizer.encode(prompt), tokenizer.encode(response), true);
}

/** A statement and an entry that quotes its words with random advice; all of it is trained. */
export function generatorSequence(problem, random, tokenizer, prompts) {
  const entry = write(problem.domain, randomEntry(problem, random));
  return continued(tokenizer.encode(prompts.generator(problem.prompt)), tokenizer.encode(entry), false);
}

function continued(prompt, continuation, isPromptGiven) {
  const tokenIds = [...prompt, ...continuation, END_ID];
  const first = isPromptGiven ? prompt.length : 1;
  return { tokenIds, targets: Array.from({ length: tokenIds.length - first }, (_, index) => first + index) };
}
