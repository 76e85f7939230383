/**
 * Where a text becomes part of a log line. What records say of themselves (ids, names, sources, reasons that quote them) reaches lines in
 * many ways. It may have a million characters, or some that move a terminal's cursor. So the logger itself makes every text of every line
 * safe here, and no caller has to think of it.
 */
import { clipped, withoutControls } from '@seamstream/kernel';
import { pino } from 'pino';

/** Our own texts have at most a few hundred characters. A dead letter's reason may be longer; the letter holds it in full. */
const MAX_TEXT_CHARACTERS = 1_000;
/** A stack of twenty frames, with its cause's. */
const MAX_STACK_CHARACTERS = 8_000;
/** Levels of facts, and values per level. Our own facts have three levels and about ten values. */
const MAX_DEPTH = 4;
const MAX_VALUES = 32;

/** The text as a log line may hold it: cut, and with every control character escaped except line breaks, which JSON escapes. */
export function lineText(text: string, most = MAX_TEXT_CHARACTERS): string {
  return withoutControls(clipped(text, most));
}

/** Facts as a log line may hold them: their texts by {@link lineText}, and no more values than a line has room for. */
export function lineFacts(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return lineEntries(facts, 0);
}

function lineValue(name: string, value: unknown, depth: number): unknown {
  if (typeof value === 'string') return lineText(value, name === 'stack' ? MAX_STACK_CHARACTERS : MAX_TEXT_CHARACTERS);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  if (value instanceof Error) return lineValue(name, { ...pino.stdSerializers.err(value) }, depth);
  if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((each) => lineValue(name, each, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return lineValue(name, (value.toJSON as (key: string) => unknown)(name), depth + 1);
  return lineEntries(value, depth + 1);
}

function lineEntries(facts: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(facts).slice(0, MAX_VALUES);
  return Object.fromEntries(entries.map(([name, value]) => [lineText(name), lineValue(name, value, depth)]));
}
