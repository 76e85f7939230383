/** An entry as lines of names and values, for any schema. Pure. */
import { onOneLine } from '@seamstream/kernel';

/** Names and values of an entry's fields, nested ones by a dotted path; an entry that is no object is one value without a name. */
export function entryFields(entry: string): [name: string, value: string][] {
  let value: unknown;
  try {
    value = JSON.parse(entry);
  } catch {
    return [['', onOneLine(entry)]];
  }
  return isPlain(value) ? fieldsOf(value, '') : [['', shown(value)]];
}

function fieldsOf(value: Readonly<Record<string, unknown>>, path: string): [string, string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    const here = path === '' ? onOneLine(name) : `${path}.${onOneLine(name)}`;
    return isPlain(inner) ? fieldsOf(inner, here) : [[here, shown(inner)]];
  });
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Items of a list between semicolons, texts without quotes. */
function shown(value: unknown): string {
  if (typeof value === 'string') return onOneLine(value);
  if (!Array.isArray(value)) return onOneLine(JSON.stringify(value));
  return value.length === 0
    ? '(nothing)'
    : value
        .map((item) => (isPlain(item) || Array.isArray(item) ? onOneLine(JSON.stringify(item)) : shown(item)))
        .join('; ');
}
