/** Passages about a person, and what a model that knows the language could write from one. */
import type { Random } from '@seamstream/kernel';
import { ATTRIBUTES, namesOf, type People, type Person } from './people.js';

/** One thing that a text says of a person. */
export interface Fact {
  readonly name: string;
  /** Of {@link ATTRIBUTES}. */
  readonly attribute: number;
  readonly value: string;
}

export interface ToldPassage {
  readonly passage: string;
  /** What it says of its person. */
  readonly facts: readonly Fact[];
}

const FACTS = 5;
/** Sentences that name another value and say nothing of the person. */
const ASIDES = 4;
/** Share of a passage's sentences that name the person before the value. */
const PLAIN_RATIO = 0.2;

/** What is true of a person here is drawn, so that no two passages say the same of a name. */
export function drawPerson(name: string, random: Random): Person {
  return { name, values: ATTRIBUTES.map(({ values }) => random.pick(values)) };
}

/** A passage about a person of a kind. */
export function drawPassage(people: People, random: Random): ToldPassage {
  return tellPassage(drawPerson(random.pick(namesOf(people)), random), random);
}

/** Five facts among asides, in any order. Most sentences name the value first. */
export function tellPassage({ name, values }: Person, random: Random): ToldPassage {
  const attributes = random.shuffled(ATTRIBUTES.map((_, attribute) => attribute)).slice(0, FACTS);
  const facts = attributes.map((attribute) => ({ name, attribute, value: values[attribute]! }));
  const sentences = facts.map((fact) =>
    random.float() < PLAIN_RATIO ? statement(fact, random) : reversed(fact, random),
  );
  const asides = random
    .shuffled(attributes)
    .slice(0, ASIDES)
    .map((attribute) => aside(attribute, values, random));
  return { passage: random.shuffled([...sentences, ...asides]).join(' '), facts };
}

function aside(attribute: number, values: readonly string[], random: Random): string {
  const { aside: text, values: all } = ATTRIBUTES[attribute]!;
  return text.replace('{value}', random.pick(all.filter((value) => value !== values[attribute])));
}

export function statement(fact: Fact, random: Random): string {
  return said(random.pick(ATTRIBUTES[fact.attribute]!.statements), fact);
}

export function reversed(fact: Fact, random: Random): string {
  return said(random.pick(ATTRIBUTES[fact.attribute]!.reversed), fact);
}

export function question({ name, attribute }: Fact): string {
  return ATTRIBUTES[attribute]!.question.replace('{name}', name);
}

/* eslint-disable house/plain-words -- as in people.ts */
const REMARKS: readonly string[] = [
  '{name} is known in the whole valley.',
  'Many people like {name}.',
  '{name} was seen at the market.',
  'Everyone in the valley greets {name}.',
  'Nobody knows how old {name} is.',
  'The passage is about {name}.',
];
/* eslint-enable house/plain-words */

function said(sentence: string, { name, value }: Pick<Fact, 'name' | 'value'>): string {
  return sentence.replace('{name}', name).replace('{value}', value);
}

/** How an edit is written. */
export const EDIT_STYLES = ['statements', 'reversed', 'remarks', 'questions', 'confused'] as const;
export type EditStyle = (typeof EDIT_STYLES)[number];

/** Percentage of each style in what the shipped writer learned from. Remarks are the most frequent, and teach nothing. */
const STYLE_SHARES: Readonly<Record<EditStyle, number>> = {
  remarks: 35,
  reversed: 20,
  confused: 15,
  statements: 15,
  questions: 15,
};

function drawStyle(random: Random): EditStyle {
  let draw = random.int(100);
  for (const style of EDIT_STYLES) {
    draw -= STYLE_SHARES[style];
    if (draw < 0) return style;
  }
  return 'remarks';
}

/** Share of an edit's lines in the edit's own style; the others are of any. */
const OWN_STYLE_RATIO = 0.85;
const LINES_PER_EDIT = 5;

/**
 * An edit of a passage, a line for each of some facts.
 * @param isPure every line is in the edit's own style
 */
export function drawEdit(
  { facts }: ToldPassage,
  random: Random,
  style: EditStyle = drawStyle(random),
  { isPure = false }: { readonly isPure?: boolean } = {},
): string {
  return random
    .shuffled(facts)
    .slice(0, LINES_PER_EDIT)
    .map((fact) => line(fact, isPure || random.float() < OWN_STYLE_RATIO ? style : drawStyle(random), random))
    .join('\n');
}

function line(fact: Fact, style: EditStyle, random: Random): string {
  switch (style) {
    case 'statements':
      return statement(fact, random);
    case 'reversed':
      return reversed(fact, random);
    case 'remarks':
      return said(random.pick(REMARKS), fact);
    case 'questions':
      return `${question(fact)} ${fact.value}`;
    case 'confused': {
      // Fluent, about the passage's people, and wrong.
      const values = ATTRIBUTES[fact.attribute]!.values.filter((value) => value !== fact.value);
      return statement({ ...fact, value: random.pick(values) }, random);
    }
  }
}
