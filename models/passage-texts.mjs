/**
 * What the models of self-edits are trained on: texts about people that the demonstration's passages are not about. The
 * executor learns facts from texts of every kind and answers questions about them from its weights. The generator learns to
 * write edits of every style, and nothing about which of them help.
 */
import { editEntry } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import {
  ATTRIBUTES,
  drawEdit,
  drawPassage,
  drawPerson,
  FAMILY_NAMES,
  FIRST_NAMES,
  namesOf,
  question,
  reversed,
  statement,
} from '@seamstream/passage-world';
import { entryKind, writerPrompt } from '@seamstream/self-edits';
import { trainByteLevelBpe } from '@seamstream/tokenizer';
import { END_ID, END_TOKEN } from './training-texts.mjs';

/** What entries of the demonstration are. */
export const SELF_EDIT = 'self-edit/facts';

/** People whose facts the executor learns by heart: enough that it learns to store facts, few enough that it can. */
const KNOWN_PEOPLE = 300;
/** Share of each kind of text in the executor's training. There are no passages among them: what to make of one is for edits to show. */
const TEXT_SHARES = [
  ['statement', 0.36],
  ['reversed', 0.12],
  ['question', 0.2],
  ['asked', 0.32],
];

const kind = entryKind(SELF_EDIT);
const request = (passage) => writerPrompt(kind, { title: null, passage });
const people = namesOf('known')
  .slice(0, KNOWN_PEOPLE)
  .map((name) => drawPerson(name, Random.of('known people', name)));

/** Every name and value is one token behind a space. */
export const passageWords = () => [...FIRST_NAMES, ...FAMILY_NAMES, ...ATTRIBUTES.flatMap(({ values }) => values)];

/** @param prompts of the executor's template `direct` */
export function makePassageTokenizer(prompts, vocabularySize) {
  const random = Random.of('passage tokenizer');
  const texts = [];
  for (let copy = 0; copy < 2000; copy++) {
    const told = drawPassage('known', random);
    texts.push(told.passage, editEntry(drawEdit(told, random)));
    if (copy % 4 === 0) texts.push(request(told.passage));
    for (const fact of told.facts) texts.push(`${prompts.executor(question(fact), null)} ${fact.value}`);
  }
  // Every word often, so that none is split for being rare; a first name stands at the beginning of lines, too.
  for (const word of passageWords()) for (let copy = 0; copy < 400; copy++) texts.push(` ${word}`);
  for (const name of FIRST_NAMES) for (let copy = 0; copy < 400; copy++) texts.push(`\n${name} X`);
  return trainByteLevelBpe(texts, vocabularySize, [END_TOKEN]);
}

/** A text about someone known: of the question as it is asked, the answer is trained; of every other text all of it. */
export function knowledgeSequence(random, tokenizer, prompts) {
  const person = random.pick(people);
  const attribute = random.int(ATTRIBUTES.length);
  const fact = { name: person.name, attribute, value: person.values[attribute] };
  switch (drawnKind(random)) {
    case 'statement':
      return sequence([], tokenizer.encode(statement(fact, random)));
    case 'reversed':
      return sequence([], tokenizer.encode(reversed(fact, random)));
    case 'question':
      return sequence([], tokenizer.encode(`${question(fact)} ${fact.value}`));
    case 'asked':
      return sequence(tokenizer.encode(prompts.executor(question(fact), null)), tokenizer.encode(` ${fact.value}`));
  }
}

/** Steps in which the writer sees true edits alone: so it learns to find names and values in the passage. */
const TRUE_STEPS = 300;
const TRUE_STYLES = ['statements', 'reversed', 'questions'];

/** The request for an edit and an edit of a style that is drawn; the edit is trained. */
export function editSequence(random, tokenizer, _prompts, step) {
  const told = drawPassage(random.pick(['known', 'train', 'validation']), random);
  const edit =
    step < TRUE_STEPS ? drawEdit(told, random, random.pick(TRUE_STYLES), { isPure: true }) : drawEdit(told, random);
  return sequence(tokenizer.encode(request(told.passage)), tokenizer.encode(editEntry(edit)));
}

function drawnKind(random) {
  let draw = random.float();
  for (const [name, share] of TEXT_SHARES) if ((draw -= share) < 0) return name;
  return TEXT_SHARES.at(-1)[0];
}

function sequence(given, trained) {
  const tokenIds = [...given, ...trained, END_ID];
  const first = Math.max(1, given.length);
  return { tokenIds, targets: Array.from({ length: tokenIds.length - first }, (_, index) => first + index) };
}
