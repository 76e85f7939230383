/**
 * The lore of a world of pairs. An operator depends on two attributes of one thing: on that which an entry quotes, and on its partner, which
 * no entry shows. The quoted attribute calls for an operator, as in other worlds. Some values of the partner's kind turn it to the next
 * operator of its kind. So neither of the two decides, and no sum of what each says does.
 */
import type { Random } from '@seamstream/kernel';
import { ATTRIBUTES, type Attributes } from './attributes.js';
import { KINDS, type Kind, operatorsOf } from './operators.js';

/** By the kind that is quoted: the kind that may turn its operators. */
export const PARTNER: Readonly<Record<Kind, Kind>> = { weight: 'matter', matter: 'age', age: 'weight' };

/** Values of each kind that turn: fewer than half, so that what an attribute calls for by itself is seen more often. */
const TURNING = 3;

/** Under which a world of pairs has the operator of a quoted attribute. */
export function pairOf(value: string, kind: Kind, thing: Attributes): string {
  return `${value} ${thing[PARTNER[kind]]}`;
}

/** {@link pairOf A pair} to its operator: all 192 of them. */
export function drawPairLore(random: Random): ReadonlyMap<string, string> {
  return new Map(
    KINDS.flatMap((kind) => {
      const operators = operatorsOf(kind);
      // Each operator as often as another, as far as eight values allow.
      const own = new Map(random.shuffled(ATTRIBUTES[kind]).map((value, at) => [value, at % operators.length]));
      const partners = ATTRIBUTES[PARTNER[kind]];
      const turning = new Set(random.shuffled(partners).slice(0, TURNING));
      return ATTRIBUTES[kind].flatMap((value) =>
        partners.map((partner) => {
          const place = own.get(value)! + (turning.has(partner) ? 1 : 0);
          return [`${value} ${partner}`, operators[place % operators.length]!] as const;
        }),
      );
    }),
  );
}

/** What things may be like. */
interface Combinations {
  /** No pair is held out. */
  readonly known: readonly Attributes[];
  /** Every pair is: to choose settings on. */
  readonly development: readonly Attributes[];
  /** Every pair is: to report. No pair of weight and matter is one of development. */
  readonly unseen: readonly Attributes[];
}

/** Values of a partner that one attribute is never seen with in training. */
const HELD_OUT = 2;

/**
 * Each value of a kind is held out with two of the eight values of its partner's kind, and each of these with two values of it. The order of the
 * values is drawn; which places are held out is not, so that there are enough things whose three pairs all are.
 */
export function drawCombinations(random: Random): Combinations {
  const [weights, matters, ages] = KINDS.map((kind) => random.shuffled(ATTRIBUTES[kind])) as [
    ...[string[], string[], string[]],
  ];
  const size = weights.length;
  const found = { known: [] as Attributes[], development: [] as Attributes[], unseen: [] as Attributes[] };
  for (const [at, weight] of weights.entries())
    for (let toMatter = 0; toMatter < size; toMatter++)
      for (let toAge = 0; toAge < size; toAge++) {
        const held = [toMatter, toAge, toMatter + toAge].map((distance) => distance % size < HELD_OUT);
        const thing = { weight, matter: matters[(at + toMatter) % size]!, age: ages[(at + toMatter + toAge) % size]! };
        if (!held.includes(true)) found.known.push(thing);
        else if (!held.includes(false)) found[toMatter === 0 ? 'unseen' : 'development'].push(thing);
      }
  return found;
}
