/** Nodes, and values against plain shapes. Each is a function of its arguments alone. */
import { isOf } from './pattern.js';
import type { Located } from './schema-resources.js';
import type { NumberShape, SchemaNode, TextShape } from './schema-shape.types.js';

/** A conjunction under a separate name: the order of its members is that of their first appearance. */
export function nodeOf(members: readonly Located[]): SchemaNode {
  const byPath = new Map(members.filter(({ schema }) => schema !== true).map((member) => [member.path, member]));
  return { key: [...byPath.keys()].join(' '), members: [...byPath.values()] };
}

export function isOfRange(range: NumberShape, value: number): boolean {
  const { isInteger, minimum, maximum, excludesMinimum, excludesMaximum, multipleOf } = range;
  if (isInteger && !(Number.isInteger(value) && value % multipleOf === 0)) return false;
  if (value < minimum || (excludesMinimum && value === minimum)) return false;
  return value < maximum || (value === maximum && !excludesMaximum);
}

export function isEmptyRange({
  isInteger,
  minimum,
  maximum,
  excludesMinimum,
  excludesMaximum,
  multipleOf,
}: NumberShape): boolean {
  if (minimum > maximum || (minimum === maximum && (excludesMinimum || excludesMaximum))) return true;
  if (!isInteger || !Number.isFinite(minimum)) return false;
  const least = Math.ceil(minimum / multipleOf) * multipleOf;
  const first = least === minimum && excludesMinimum ? least + multipleOf : least;
  return first > maximum || (first === maximum && excludesMaximum);
}

export function isOfText({ languages, least, most }: TextShape, text: string): boolean {
  const length = Array.from(text).length;
  return length >= least && length <= most && languages.every((language) => isOf(language, text));
}

/** Whether no text is of all languages; false where that takes too long to see. */
export function isEmptyText({ languages, least, most }: TextShape): boolean {
  if (least > most) return true;
  if (languages.length < 2) return false;
  const bounds = [...new Set(languages.flatMap((language) => language.bounds))];
  const seen = new Set<string>();
  const open = [languages.map(({ start }) => start)];
  seen.add(open[0]!.join());
  for (const states of open) {
    if (languages.every((language, at) => language.accepts(states[at]!))) return false;
    if (open.length > 2_000) return false;
    for (const codePoint of bounds) {
      const next = languages.map((language, at) => language.next(states[at]!, codePoint));
      const key = next.join();
      if (next.includes(-1) || seen.has(key)) continue;
      seen.add(key);
      open.push(next);
    }
  }
  return true;
}
