/** JSON values made at random, their wrong neighbours, and responses that state them. */
import type { Random } from '@seamstream/kernel';

/** A word of three to seven letters. */
export const word = (random: Random): string =>
  Array.from({ length: 3 + random.int(5) }, () => random.pick(Array.from('abcdefghijklmnoprstuvwyz'))).join('');

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** A value, nested so deep at most. */
export function jsonValue(random: Random, depth: number): Json {
  if (depth === 3 || (depth > 0 && random.int(3) > 0)) {
    const size = 1 + random.int(4);
    if (random.int(2) === 0) return Array.from({ length: size }, () => jsonValue(random, depth - 1));
    return Object.fromEntries(
      Array.from({ length: size }, (_, i) => [`${word(random)}${i}`, jsonValue(random, depth - 1)]),
    );
  }
  return random.pick<Json>([
    random.int(1000),
    -random.int(1000) - 1,
    random.int(1000) / 8,
    word(random),
    random.int(2) === 0,
    null,
    1e-30 * (1 + random.int(9)),
  ]);
}
/** The value with one place changed; null stands for one that is null then. */
export function changedJson(random: Random, value: Json): Json | null {
  if (Array.isArray(value)) {
    if (random.int(3) === 0) return [...value, null];
    const at = random.int(value.length);
    if (random.int(4) === 0) return value.filter((_, i) => i !== at);
    const changed = changedJson(random, value[at]!);
    return value.map((each, i) => (i === at ? changed : each));
  }
  if (typeof value === 'object' && value !== null) {
    const name = random.pick(Object.keys(value));
    const { [name]: inner, ...others } = value;
    return random.int(4) === 0
      ? { ...others, [`${name}x`]: inner! }
      : { ...others, [name]: changedJson(random, inner!) };
  }
  if (typeof value === 'number')
    return random.pick([value + 1, -value - 1, value * 10 + 1, String(value), value + 0.5]);
  if (typeof value === 'string') return random.pick([`${value} `, value.slice(1), null]);
  return value === null ? random.pick<Json>([false, 0, '', {}]) : !value;
}
/** The value with its properties in another order. */
export const reordered = (random: Random, value: Json): Json =>
  Array.isArray(value)
    ? value.map((each) => reordered(random, each))
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          random.shuffled(Object.entries(value)).map(([name, inner]) => [name, reordered(random, inner)]),
        )
      : value;
/** The value as a response states it. */
export function fenced(random: Random, value: Json): string {
  const [text, long] = [JSON.stringify(value), JSON.stringify(value, null, 2)];
  return random.pick([
    text,
    long,
    `Answer: ${text}`,
    `Here it is:\n\`\`\`json\n${long}\n\`\`\`\nDone.`,
    `The result of [1, 2] is ${text}.`,
    `It was {"a": 0} before. Now:\n\`\`\`\n${text}\n\`\`\``,
  ]);
}
