/** The operator language of plans: each operator moves a dial with the numbers 0 to 40. */
import { SeamError } from '@seamstream/kernel';

/** A prime, so that two different plans rarely end at the same number. */
export const DIAL = 41;

export const KINDS = ['weight', 'matter', 'age'] as const;
/** What an attribute says of a thing. Each kind has operators that no other kind has. */
export type Kind = (typeof KINDS)[number];

const OPERATORS = {
  weight: {
    double: (at: number) => 2 * at,
    triple: (at: number) => 3 * at,
    square: (at: number) => at * at,
  },
  matter: {
    climb: (at: number) => at + 4,
    leap: (at: number) => at + 9,
    sink: (at: number) => at - 6,
  },
  age: {
    flip: (at: number) => 40 - at,
    turn: (at: number) => 24 - at,
    mirror: (at: number) => 7 - at,
  },
} satisfies Readonly<Record<Kind, Readonly<Record<string, (at: number) => number>>>>;

const moves = new Map<string, (at: number) => number>(
  Object.values(OPERATORS).flatMap((ofKind) => Object.entries(ofKind)),
);

export function operatorsOf(kind: Kind): readonly string[] {
  return Object.keys(OPERATORS[kind]);
}

/** Where the dial stands after an operator. @throws INVALID_INPUT for a word that is no operator */
export function moved(at: number, operator: string): number {
  const move = moves.get(operator);
  if (move === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot move the dial: expected one of ${[...moves.keys()].join(', ')}, got ${JSON.stringify(operator)}.`,
    );
  }
  return ((move(at) % DIAL) + DIAL) % DIAL;
}
