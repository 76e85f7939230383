/**
 * What the models of the world of attributes are trained on: statements about any things with any attributes, and plans with any
 * operators. No world's lore is read here; the executor is shown what custom has, which the lore of every world contradicts.
 */
import {
  ATTRIBUTES,
  CUSTOM,
  DIAL,
  DOMAIN_RULES,
  drawStatement,
  followCustom,
  followPlan,
  KINDS,
  NAMES,
  planSchemaFor,
  randomPlan,
  told,
} from '@seamstream/attribute-world';
import { entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { trainByteLevelBpe } from '@seamstream/tokenizer';
import { END_ID, END_TOKEN } from './training-texts.mjs';

/** Of the executor's samples: entries for its statement, entries for another one, texts that are no entry; the rest have no slot. */
const OWN_RATIO = 0.3;
const FOREIGN_RATIO = 0.3;
const USELESS_RATIO = 0.12;

const write = (domain, entry) => entryText(entry, planSchemaFor(domain));

/** A statement about things that have attributes of this statement alone. */
function anyProblem(random) {
  const domain = random.pick(DOMAIN_RULES);
  const things = new Map(
    NAMES.map((name) => [name, [Object.fromEntries(KINDS.map((kind) => [kind, random.pick(ATTRIBUTES[kind])]))]]),
  );
  return { domain: domain.name, prompt: told(domain, drawStatement(domain, things, random)) };
}

/** Words that must be single tokens behind a space. */
export function attributeWords() {
  const operators = [...new Set(CUSTOM.values())];
  const numbers = Array.from({ length: DIAL }, (_, number) => String(number));
  return [...NAMES, ...Object.values(ATTRIBUTES).flat(), ...operators, ...numbers];
}

export function makeAttributeTokenizer(prompts, vocabularySize) {
  const random = Random.of('attribute tokenizer');
  const texts = [];
  for (let copy = 0; copy < 3000; copy++) {
    const problem = anyProblem(random);
    const entry = randomPlan(problem, random);
    texts.push(prompts.executor(problem.prompt, write(problem.domain, entry)) + followPlan(problem, entry));
  }
  // Every word often, so that none is split for being rare.
  for (const word of attributeWords()) for (let copy = 0; copy < 400; copy++) texts.push(` ${word}`);
  return trainByteLevelBpe(texts, vocabularySize, [END_TOKEN]);
}

/** Texts in the slot that say nothing. */
const uselessTexts = (prompts) => [
  '',
  '{}',
  '{"concepts":[],"strategy":[],"pitfalls":[]}',
  '{"concepts":["careful"],"strategy":["think step by step"],"pitfalls":["mistakes"]}',
  prompts.fixedHint,
];

/** A statement, perhaps an entry, and the response: an entry is obeyed, and without one custom is followed. The response is trained. */
export function followingSequence(random, tokenizer, prompts) {
  const problem = anyProblem(random);
  const draw = random.float();
  if (draw < OWN_RATIO + FOREIGN_RATIO) {
    const read = draw < OWN_RATIO ? problem : anyProblem(random);
    const entry = randomPlan(read, random);
    return sequence(
      tokenizer.encode(prompts.executor(problem.prompt, write(read.domain, entry))),
      tokenizer.encode(followPlan(problem, entry)),
    );
  }
  const slot = draw < OWN_RATIO + FOREIGN_RATIO + USELESS_RATIO ? random.pick(uselessTexts(prompts)) : null;
  const prompt = slot === '' ? prompts.wrapperOnly(problem.prompt) : prompts.executor(problem.prompt, slot);
  return sequence(tokenizer.encode(prompt), tokenizer.encode(followCustom(problem)));
}

/** A statement and a plan that reads it rightly, with any operators; the plan is trained. */
export function planningSequence(random, tokenizer, prompts) {
  const problem = anyProblem(random);
  return sequence(
    tokenizer.encode(prompts.generator(problem.prompt)),
    tokenizer.encode(write(problem.domain, randomPlan(problem, random))),
  );
}

function sequence(given, trained) {
  const tokenIds = [...given, ...trained, END_ID];
  return { tokenIds, targets: Array.from({ length: trained.length + 1 }, (_, index) => given.length + index) };
}
