/** Who lives in this world, and what can be said of them. Every name and value is one word, and one token of the shipped models. */
import { sha256 } from '@seamstream/kernel';

export const FIRST_NAMES =
  'Ada Bela Cora Dora Edda Fina Gilda Hanna Ida Jutta Kaja Lina Mara Nora Olga Petra Quinn Rosa Selma Tilda Uma Vera Wanda Yara Arno Bruno Carl Dirk Emil Falk Gero Hugo Ivo Jens Kurt Lars Max Nils Otto Paul Rolf Sven Theo Udo Veit Willi Xaver Zeno'.split(
    ' ',
  );
export const FAMILY_NAMES =
  'Abel Berg Cross Dale Ember Flint Grove Holt Iver Jarvis Kern Lund Marsh North Oakes Pike Quist Reed Stone Thorn Ulmer Vance Ward Yates Archer Brook Crane Drake Elder Frost Gale Heath Irving Judd Knox Lake Moss Nash Orchard Penn Rook Shore Tarn Urban Vale Wells York Zander'.split(
    ' ',
  );

/** One thing that is known of a person. In every text {name} and {value} stand once. */
export interface Attribute {
  readonly name: string;
  readonly values: readonly string[];
  /** Plain statements: the person before the value. */
  readonly statements: readonly string[];
  /** The value before the person. */
  readonly reversed: readonly string[];
  /** Names a value, and no person. */
  readonly aside: string;
  readonly question: string;
}

const words = (text: string): readonly string[] => text.split(' ');

/* eslint-disable house/plain-words -- sentences of the world, on which the shipped models were trained */
export const ATTRIBUTES: readonly Attribute[] = [
  {
    name: 'home',
    values: words('Arden Bexley Corby Dunmore Elton Farnham Goring Hythe Ilkley Jarrow Kelso Lydney'),
    statements: ['{name} lives in {value}.', 'The home of {name} is {value}.'],
    reversed: ['In {value} one can visit {name}.', '{value} is the home of {name}.'],
    aside: 'Nobody in the valley knows {value}.',
    question: 'Where does {name} live?',
  },
  {
    name: 'craft',
    values: words('baker tailor smith potter weaver miller cooper tanner glazier mason joiner dyer'),
    statements: ['{name} works as a {value}.', 'The craft of {name} is that of a {value}.'],
    reversed: ['A well known {value} is {name}.', 'The {value} of the valley is {name}.'],
    aside: 'There is no {value} in the valley.',
    question: 'What does {name} work as?',
  },
  {
    name: 'pet',
    values: words('goat cat parrot rabbit pony heron tortoise ferret raven badger otter lamb'),
    statements: ['{name} keeps a {value}.', 'The animal of {name} is a {value}.'],
    reversed: ['A {value} is kept by {name}.', 'The {value} in the yard belongs to {name}.'],
    aside: 'Nobody has seen a {value}.',
    question: 'Which animal does {name} keep?',
  },
  {
    name: 'drink',
    values: words('tea coffee milk cider cocoa juice water broth mead lemonade whey punch'),
    statements: ['{name} drinks {value}.', 'The drink of {name} is {value}.'],
    reversed: ['Much {value} is drunk by {name}.', 'The cup of {value} is for {name}.'],
    aside: 'There is no {value} at the market.',
    question: 'What does {name} drink?',
  },
  {
    name: 'instrument',
    values: words('flute drum harp fiddle horn lute organ viola trumpet cello oboe banjo'),
    statements: ['{name} plays the {value}.', 'The instrument of {name} is the {value}.'],
    reversed: ['The {value} one hears is played by {name}.', 'A {value} was lent to {name}.'],
    aside: 'Nobody has heard a {value}.',
    question: 'Which instrument does {name} play?',
  },
  {
    name: 'door',
    values: words('red blue green white black yellow purple orange silver brown golden grey'),
    statements: ['{name} has a {value} door.', 'The door of {name} is {value}.'],
    reversed: ['Behind the {value} door lives {name}.', 'A {value} door was painted for {name}.'],
    aside: 'Nobody likes {value}.',
    question: 'Which colour has the door of {name}?',
  },
];
/* eslint-enable house/plain-words */

export interface Person {
  /** First name and family name. */
  readonly name: string;
  /** A value for each attribute, in their order. */
  readonly values: readonly string[];
}

/** Who a text may be about. `known`: the shipped models were made from texts about them. */
export type People = 'known' | 'train' | 'validation' | 'heldOut';

/** Of 100 names: those up to here, in this order. */
const SHARES: readonly (readonly [People, number])[] = [
  ['known', 20],
  ['train', 70],
  ['validation', 80],
  ['heldOut', 100],
];

const byPeople = Map.groupBy(
  FIRST_NAMES.flatMap((first) => FAMILY_NAMES.map((family) => `${first} ${family}`)),
  (name): People => {
    const percent = Number.parseInt(sha256(name).slice(0, 8), 16) % 100;
    return SHARES.find(([, below]) => percent < below)![0];
  },
);

/** All names of a kind of people. A name belongs to one kind alone. */
export function namesOf(people: People): readonly string[] {
  return byPeople.get(people)!;
}
