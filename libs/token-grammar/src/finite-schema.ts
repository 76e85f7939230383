/**
 * The schemas of finitely many texts: closed objects, bounded arrays, listed values. They have separate grammars
 * (finite-grammar.ts), in which every token is the tokenizer's, and whose masks have been the same since the first release.
 */
import type { JsonSchema } from './json-schema.types.js';
import { isRecord } from './schema-resources.js';

/**
 * No keyword of JSON Schema: divides the listed texts of an array's items, and says how many items may be of each part. A schema that is
 * narrowed to a problem has it, where a list may say a thing as often as the problem does.
 */
export const AT_MOST = 'x-at-most';

export interface LimitedTexts {
  readonly texts: readonly string[];
  /** Items at most that are one of these texts; 1 or more. */
  readonly times: number;
}

export type FiniteSchema =
  | {
      readonly type: 'object';
      readonly properties: Readonly<Record<string, FiniteSchema>>;
      readonly required: readonly string[];
      readonly additionalProperties: false;
    }
  | {
      readonly type: 'array';
      readonly items: FiniteSchema;
      readonly minItems?: number;
      readonly maxItems: number;
      readonly [AT_MOST]?: readonly LimitedTexts[];
    }
  | { readonly type: 'string'; readonly maxLength: 0 }
  | { readonly type: 'boolean' }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly enum: readonly (string | number | boolean | null)[] }
  | { readonly const: string | number | boolean | null };

/** `x-quotes` is the experience library's: a schema that still has it means what it means without. */
const ANNOTATIONS = ['title', 'description', '$schema', '$id', '$comment', 'x-quotes'];
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems', AT_MOST],
  string: ['minLength', 'maxLength'],
  boolean: [],
  integer: ['minimum', 'maximum'],
};
/** Up to this many integers are alternatives to choose from; more are spelled digit by digit. */
const MAX_LISTED_INTEGERS = 128;

/** Whether a schema has finitely many texts and no keyword that would need more than listing them. */
export function isFiniteSchema(schema: JsonSchema): schema is FiniteSchema & JsonSchema {
  if (!isFinite(schema)) return false;
  // What follows a number shows where it ends, and nothing follows the root.
  const values = 'enum' in schema ? schema.enum : [];
  return !('type' in schema && schema.type === 'integer') && !(values.length > 1 && values.some(isNumber));
}

function isFinite(schema: unknown): schema is FiniteSchema {
  if (!isRecord(schema)) return false;
  if ('const' in schema)
    return isScalar(schema.const) && has(schema, ['const', 'type']) && describes(schema.type, [schema.const]);
  if ('enum' in schema) {
    const values = schema.enum;
    if (!Array.isArray(values) || values.length === 0 || !values.every(isScalar)) return false;
    return has(schema, ['enum', 'type']) && describes(schema.type, values);
  }
  const { type } = schema;
  if (typeof type !== 'string' || !Object.hasOwn(KEYWORDS, type) || !has(schema, ['type', ...KEYWORDS[type]!]))
    return false;
  switch (type) {
    case 'object': {
      const { properties, required, additionalProperties } = schema;
      if (!isRecord(properties) || additionalProperties !== false || !Array.isArray(required)) return false;
      if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return false;
      return Object.values(properties).every(isFinite);
    }
    case 'array': {
      const { minItems = 0, maxItems, items } = schema;
      const isList = isCount(maxItems) && isCount(minItems) && minItems <= maxItems && isFinite(items);
      return isList && (!(AT_MOST in schema) || isDivided(schema[AT_MOST], items, minItems));
    }
    case 'string':
      return schema.maxLength === 0 && (schema.minLength ?? 0) === 0;
    case 'integer': {
      const { minimum, maximum } = schema;
      if (!Number.isSafeInteger(minimum) || !Number.isSafeInteger(maximum)) return false;
      const size = (maximum as number) - (minimum as number);
      return size >= 0 && size < MAX_LISTED_INTEGERS;
    }
    default:
      return true;
  }
}

/** Every text of the items is in one part, and the parts together leave room for the fewest items. */
function isDivided(parts: unknown, items: FiniteSchema, minItems: number): boolean {
  if (!Array.isArray(parts) || !('enum' in items)) return false;
  const limited = parts as readonly LimitedTexts[];
  const texts = limited.flatMap((part) => part.texts);
  return (
    texts.length === items.enum.length &&
    items.enum.every((text) => typeof text === 'string' && texts.includes(text)) &&
    limited.every(({ times }) => isCount(times) && times > 0) &&
    limited.reduce((sum, { times }) => sum + times, 0) >= minItems
  );
}

function has(schema: Readonly<Record<string, unknown>>, known: readonly string[]): boolean {
  return Object.keys(schema).every((keyword) => known.includes(keyword) || ANNOTATIONS.includes(keyword));
}

function describes(type: unknown, values: readonly unknown[]): boolean {
  if (type === undefined) return true;
  return values.every((value) =>
    type === 'integer' ? Number.isInteger(value) : type === 'null' ? value === null : typeof value === type,
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
