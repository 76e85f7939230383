/**
 * What choice, numeric, json and exact must not accept, made by the thousand: neighbours of a reference (a digit, a sign, an element, a
 * letter changed), hedges ("A or B"), negations ("not A"). Other ways to write the reference are made too, so that strictness is not
 * bought with refusals. Wrong by construction: nothing here computes what the verifiers compute.
 * More of them, and the figures: npm run conformance:answers
 */
import { Random } from '@seamstream/kernel';
import { changedJson, fenced, jsonValue, reordered, word } from '@seamstream/testing/json-cases';
import { Verifiers } from './verifiers.js';

const COUNT = Number(process.env.SEAM_TEST_NEIGHBOURS ?? 1500);
const SEED = process.env.SEAM_TEST_NEIGHBOURS_SEED ?? '1';

interface Case {
  readonly kind: 'choice' | 'numeric' | 'json' | 'exact';
  readonly reference: string;
  readonly response: string;
  readonly options?: Readonly<Record<string, string>>;
}
type Maker = (random: Random) => Case | null;

const digits = (random: Random, length: number): string =>
  `${1 + random.int(9)}${Array.from({ length: length - 1 }, () => random.int(10)).join('')}`;
const otherDigit = (random: Random, digit: string): string => String((Number(digit) + 1 + random.int(9)) % 10);
const replaceAt = (text: string, at: number, by: string): string => text.slice(0, at) + by + text.slice(at + 1);

/** As a response states it. */
const stated = (random: Random, answer: string): string =>
  random.pick([
    `Answer: ${answer}`,
    `**Answer:** ${answer}`,
    `First some thoughts: 3 and 4, A and B.\nanswer : ${answer}\n`,
    `So it is so.\n#### ${answer}`,
    `It follows.\nFinal Answer:\n${answer}`,
  ]);

/** Y is another answer, X the right one. None of these settles on X. */
const HEDGES = [
  'X or Y',
  'Y or X',
  '(X) or (Y)',
  'X, or maybe Y',
  'X (or Y)',
  'X - no wait, Y',
  'X is wrong, so Y',
  'not X',
  'X is incorrect',
  'X is not the answer',
  'X and Y',
  'X / Y',
  'X, Y',
  'either X or Y',
  'X; Y',
  'X? Or Y',
  'X, no, Y',
  'Y, not X',
  'maybe X or Y',
  'X, but possibly Y',
  'X versus Y',
  'X, perhaps Y',
  'anything but X',
  "X isn't right",
  'X. Wait, Y',
  'X, actually Y',
  'X, alternatively Y',
  'X, otherwise Y',
  'neither X nor Y',
  'X could be wrong, then Y',
  'X or else Y',
  'X, though it might be Y',
];
const hedged = (random: Random, right: string, wrong: string): string =>
  random.pick(HEDGES).replaceAll(/[XY]/g, (place) => (place === 'X' ? right : wrong));

/** What doubts a statement that follows it, with words that no list knows among them. */
// eslint-disable-next-line house/plain-words -- texts of answers that must not pass
const DOUBTS = ['I doubt', 'No way', 'It is unlikely that', 'If', 'Nobody says', 'We cannot tell whether'];
/** What makes of a right answer X on its line none, on the lines behind it. */
const CONTRADICTIONS = [
  'Actually the answer is Y',
  'The answer is Y',
  'No, it is Y.',
  'Y',
  '\nY\n',
  'So it goes.\nThe correct answer is Y.',
  'Wait. That cannot be.',
  'I doubt the answer is X',
];
const contradicted = (random: Random, right: string, wrong: string): string =>
  `${random.pick(['Answer:', '**Answer:**', 'Final Answer:\n'])} ${right}\n${random.pick(CONTRADICTIONS)}`.replaceAll(
    /\b[XY]\b/g,
    (place) => (place === 'X' ? right : wrong),
  );
/** What may be said behind an answer. */
const explained = (random: Random, answer: string): string =>
  `${stated(random, answer)}\n${random.pick(['', 'It follows from the table.', 'This is so since the others are too small.\nThanks', `So the answer is ${answer}.`])}`;

// Numbers as digits with a point: value = ± digits · 10^-places.
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly places: number;
}
const written = ({ sign, digits: all, places }: Decimal): string => {
  const padded = all.padStart(places + 1, '0');
  return places === 0 ? sign + padded : `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
};
const decimal = (random: Random): Decimal => {
  const length = 1 + random.int(random.pick([3, 6, 20, 40]));
  const places = random.pick([0, 0, random.int(length + 1), length + random.int(20), 300]);
  return { sign: random.pick(['', '', '-']), digits: digits(random, length), places };
};
const neighbour = (random: Random, value: Decimal): Decimal => {
  const at = random.int(value.digits.length);
  switch (random.int(5)) {
    case 0:
      return { ...value, digits: replaceAt(value.digits, at, otherDigit(random, value.digits[at]!)) };
    case 1:
      return { ...value, digits: String(BigInt(value.digits) + 1n) };
    case 2:
      return { ...value, sign: value.sign === '' ? '-' : '' };
    case 3:
      return { ...value, places: value.places + 1 };
    default:
      return {
        ...value,
        digits: `${value.digits}${1 + random.int(9)}`,
        places: value.places + (value.places > 0 ? 1 : 0),
      };
  }
};
const asFraction = ({ sign, digits: all, places }: Decimal, by: bigint): [string, string] => [
  `${sign}${BigInt(all) * by}`,
  String(10n ** BigInt(places) * by),
];
const grouped = (value: Decimal): string => {
  const [whole, rest] = written(value).split('.') as [string, string?];
  return whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',') + (rest === undefined ? '' : `.${rest}`);
};
/** The same number otherwise. */
const rewritten = (random: Random, value: Decimal): string => {
  const plain = written(value);
  const [p, q] = asFraction(value, BigInt(1 + random.int(12)));
  return random.pick([
    plain,
    value.sign === '' ? `+${plain}` : plain,
    plain.includes('.') ? `${plain}00` : `${plain}.0`,
    grouped(value),
    `${p}/${q}`,
    `$${plain}$`,
    `**${plain}**`,
    `\\boxed{${plain}}`,
    `${plain}.`,
    `${value.sign}${value.digits}e-${value.places}`,
    `${value.sign}0${written({ ...value, sign: '' })}`,
    `${value.sign}\\frac{${p.replace('-', '')}}{${q}}`,
    `-${plain}`.replace(/^--/, '−').replace(/^-(?!-)/, value.sign === '' ? '' : '−'),
  ]);
};

const UNITS = ['dollars', 'cm', 'km/h', 'apples', '°C'];

const WRONG: Readonly<Record<Case['kind'], Maker>> = {
  numeric(random) {
    const value = decimal(random);
    const other = neighbour(random, value);
    const options: Record<string, string> = random.int(3) === 0 ? { units: 'ignore' } : {};
    const reference = written(value);
    const behind = random.int(6);
    if (behind === 0)
      return {
        kind: 'numeric',
        reference,
        response: stated(
          random,
          `${reference} ${word(random)} ${word(random)}${random.pick(['', ` ${word(random)}`])}`,
        ),
        options: { units: 'ignore' },
      };
    if (behind === 1) return { kind: 'numeric', reference, response: contradicted(random, reference, written(other)) };
    const unit = options.units === undefined ? '' : ` ${random.pick(UNITS)}`;
    const [right, wrong] = [rewritten(random, value), rewritten(random, other)];
    if (random.int(2) === 0) return { kind: 'numeric', reference, response: stated(random, wrong + unit), options };
    const answer = hedged(
      random,
      right.replace(/\.$/, ''),
      random.pick([wrong, 'the other one', 'less']).replace(/\.$/, ''),
    );
    // "not 5" and "5 is not the answer" hold no other number; a fraction of two numbers is one.
    return answer.includes(' / ')
      ? null
      : { kind: 'numeric', reference, response: stated(random, answer + unit), options };
  },
  choice(random) {
    const [right, other] = random.shuffled(Array.from('ABCDE')) as [string, string];
    const dressed = (letter: string): string =>
      random.pick([letter, letter, `(${letter})`, `**${letter}**`, `\\text{${letter}}`]);
    if (random.int(3) === 0) return { kind: 'choice', reference: right, response: stated(random, dressed(other)) };
    switch (random.int(8)) {
      case 0:
        return { kind: 'choice', reference: right, response: `${random.pick(DOUBTS)} the answer is ${dressed(right)}` };
      case 1:
        return { kind: 'choice', reference: right, response: `${word(random)} the answer is ${right}` };
      case 2:
        return { kind: 'choice', reference: right, response: stated(random, `${right}, ${word(random)}`) };
      case 3:
        return { kind: 'choice', reference: right, response: contradicted(random, right, other) };
    }
    const answer = hedged(random, dressed(right), dressed(other));
    // To say "Y, not X" is to settle on Y; the reference is X.
    return {
      kind: 'choice',
      reference: right,
      response: random.pick([stated(random, answer), `The answer is ${answer}.`]),
    };
  },
  json(random) {
    const value = jsonValue(random, 3);
    const other = changedJson(random, value);
    if (other === null) return null;
    const options: Record<string, string> = random.int(4) === 0 ? { properties: 'atLeast' } : {};
    const reference = JSON.stringify(value);
    const behind = random.int(6);
    if (behind === 0)
      return { kind: 'json', reference, response: stated(random, `${reference} ${word(random)}`), options };
    if (behind === 1 && reference.startsWith('{"')) {
      const name = /^\{("[^"]*"):/.exec(reference)![1]!;
      return { kind: 'json', reference, response: `{${name}:7,${reference.slice(1)}`, options };
    }
    if (random.int(3) > 0) return { kind: 'json', reference, response: fenced(random, other), options };
    const [X, Y] = [reference, JSON.stringify(other)];
    const answer = random.pick([
      `${X} or ${Y}`,
      `${Y} or ${X}`,
      `not ${X}`,
      `${X} is wrong`,
      `${X}, or maybe ${Y}`,
      `${X} (or ${Y})`,
      `${X} is not the answer`,
      `${Y} rather than ${X}`,
      `${X}? or ${Y}`,
    ]);
    return { kind: 'json', reference, response: stated(random, answer), options };
  },
  exact(random) {
    const words = Array.from({ length: 1 + random.int(3) }, () => word(random));
    if (random.int(6) === 0) {
      const [number, cut] = [digits(random, 3 + random.int(4)), 1 + random.int(2)];
      const set = random.pick(['⁰¹²³⁴⁵⁶⁷⁸⁹', '₀₁₂₃₄₅₆₇₈₉']);
      const moved = number.slice(cut).replaceAll(/\d/g, (digit) => set[Number(digit)]!);
      return { kind: 'exact', reference: number, response: stated(random, number.slice(0, cut) + moved) };
    }
    const reference = words.join(' ');
    const at = random.int(reference.length);
    const wrong = random.pick([
      replaceAt(reference, at, reference[at] === 'q' ? 'x' : 'q'),
      `${reference}s`,
      `${reference} ${word(random)}`,
      [...words, 'x'].reverse().join(' '),
      reference.slice(1),
    ]);
    const isHedge = random.int(2) === 0;
    if (random.int(5) === 0)
      return { kind: 'exact', reference, response: contradicted(random, reference, word(random)) };
    if (!isHedge && wrong.trim() === reference) return null;
    return {
      kind: 'exact',
      reference,
      response: stated(random, isHedge ? hedged(random, reference, word(random)) : wrong),
    };
  },
};

const RIGHT: Readonly<Record<Case['kind'], Maker>> = {
  numeric(random) {
    const value = decimal(random);
    if (random.int(4) === 0)
      return { kind: 'numeric', reference: written(value), response: explained(random, written(value)) };
    if (random.int(4) === 0)
      return {
        kind: 'numeric',
        reference: written(value),
        response: stated(
          random,
          `${written(value)} ${random.pick([...UNITS, 'square meters', 'miles per hour', 'N m', 'kg/m³', word(random)])}`,
        ),
        options: { units: 'ignore' },
      };
    return { kind: 'numeric', reference: written(value), response: stated(random, rewritten(random, value)) };
  },
  choice(random) {
    const [letter, other] = random.shuffled(Array.from('ABCDE')) as [string, string];
    const answer = random.pick([
      'X',
      '(X)',
      'X.',
      'X)',
      '**X**',
      'X: because it is so',
      '(X) the second one',
      'X, since Y is too small',
      'X because Y and the others are wrong',
      'X) not enough information',
      'X is correct',
      'X is the right answer',
      'Option X',
      '(L)',
      '\\boxed{X}',
      '\\text{(X)}',
      'X. None of the above',
      'X - the second one',
      'X as computed',
    ]);
    if (random.int(4) === 0) {
      const lead = random.pick(['So', 'Based on the table', 'I think', 'Since the others are too small,', 'Therefore']);
      return { kind: 'choice', reference: letter, response: `${lead} the correct answer is ${letter}.` };
    }
    if (random.int(4) === 0) return { kind: 'choice', reference: letter, response: explained(random, letter) };
    return {
      kind: 'choice',
      reference: letter,
      response: stated(
        random,
        answer.replaceAll('X', letter).replaceAll('L', letter.toLowerCase()).replaceAll('Y', other),
      ),
    };
  },
  json(random) {
    const value = jsonValue(random, 3);
    return { kind: 'json', reference: JSON.stringify(value), response: fenced(random, reordered(random, value)) };
  },
  exact(random) {
    const reference = `${word(random)} ${word(random)}`;
    if (random.int(4) === 0) return { kind: 'exact', reference, response: explained(random, reference) };
    if (random.int(4) === 0) {
      const whole = random.pick([`${reference}.`, `**${reference}**`]);
      return { kind: 'exact', reference: whole, response: stated(random, random.pick([whole, reference])) };
    }
    return {
      kind: 'exact',
      reference,
      response: stated(
        random,
        random.pick([
          reference,
          reference.toUpperCase(),
          reference.replace(' ', '   '),
          `**${reference}**`,
          `${reference}.`,
        ]),
      ),
    };
  },
};

const verifiers = new Verifiers();
afterAll(() => verifiers.close());

async function rates(
  makers: Readonly<Record<Case['kind'], Maker>>,
  seed: string,
): Promise<Record<string, { cases: number; accepted: Case[]; refused: Case[] }>> {
  const counted: Record<string, { cases: number; accepted: Case[]; refused: Case[] }> = {};
  for (const [kind, make] of Object.entries(makers)) {
    const random = Random.of('neighbours', seed, kind);
    const count = { cases: 0, accepted: [] as Case[], refused: [] as Case[] };
    while (count.cases < COUNT / 4) {
      const each = make(random);
      if (each === null) continue;
      count.cases++;
      const spec = { kind, version: '1', options: { ...each.options } };
      const { success } = await verifiers.verify(spec, { text: each.response, finished: true }, each.reference);
      count[success ? 'accepted' : 'refused'].push(each);
    }
    counted[kind] = count;
  }
  return counted;
}
const told = (what: string, counted: Record<string, { cases: number; accepted: Case[] }>): void => {
  for (const [kind, { cases, accepted }] of Object.entries(counted))
    process.stdout.write(
      `${what} ${kind}: ${accepted.length} of ${cases} accepted (${((100 * accepted.length) / cases).toFixed(3)} %)\n`,
    );
};

describe('neighbours, hedges and negations of a reference', () => {
  it('are never accepted by choice, numeric, json and exact', async () => {
    const counted = await rates(WRONG, SEED);
    told('wrong', counted);
    for (const { accepted } of Object.values(counted)) expect(accepted.slice(0, 10)).toEqual([]);
  });
});

describe('other ways to write a reference', () => {
  it('are accepted', async () => {
    const counted = await rates(RIGHT, SEED);
    told('right', counted);
    for (const { refused } of Object.values(counted)) expect(refused.slice(0, 10)).toEqual([]);
  });
});
