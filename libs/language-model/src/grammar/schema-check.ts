/** Which JSON Schemas can be compiled: a closed subset, so that nothing is accepted and then not enforced. */
import { SeamError } from '@seamstream/kernel';
import type { JsonSchema } from './json-schema.types.js';

const ANNOTATIONS = ['title', 'description', '$schema', '$id', '$comment'];
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
  boolean: [],
  integer: ['minimum', 'maximum'],
};

/**
 * Narrows any value to the subset.
 * @throws UNSUPPORTED_JSON_SCHEMA with `details.keyword` and `details.path` (a JSON pointer) of the first thing outside it.
 */
export function checkJsonSchema(schema: unknown): asserts schema is JsonSchema {
  checkAt(schema, '#');
  // Where a number ends is told by what follows it, and nothing follows the root.
  const root = schema as JsonSchema;
  const values = 'enum' in root ? root.enum : 'const' in root ? [root.const] : [];
  if (
    ('type' in root && root.type === 'integer' && values.length === 0) ||
    (values.length > 1 && values.some((value) => typeof value === 'number'))
  ) {
    throw unsupported('type', '#', 'a number cannot be the whole value: put it into an object');
  }
}

function checkAt(schema: unknown, path: string): void {
  if (!isRecord(schema)) throw unsupported('', path, `expected an object, got ${JSON.stringify(schema)}`);
  if ('const' in schema) {
    if (!isScalar(schema.const))
      throw unsupported(
        'const',
        path,
        `expected a string, finite number, boolean or null, got ${JSON.stringify(schema.const)}`,
      );
    refuseOthers(schema, path, ['const', 'type']);
    checkType(schema.type, [schema.const], path);
    return;
  }
  if ('enum' in schema) {
    if (!Array.isArray(schema.enum) || schema.enum.length === 0 || !schema.enum.every(isScalar)) {
      throw unsupported('enum', path, 'expected a non-empty list of strings, finite numbers, booleans or null');
    }
    refuseOthers(schema, path, ['enum', 'type']);
    checkType(schema.type, schema.enum, path);
    return;
  }
  const type = schema.type;
  if (typeof type !== 'string' || !Object.hasOwn(KEYWORDS, type)) {
    throw unsupported(
      'type',
      path,
      `expected one of ${Object.keys(KEYWORDS).join(', ')}, or enum or const; got ${JSON.stringify(type)}`,
    );
  }
  refuseOthers(schema, path, ['type', ...KEYWORDS[type]!]);
  switch (type) {
    case 'object':
      checkObject(schema, path);
      return;
    case 'array':
      checkBounds(schema, path, 'minItems', 'maxItems');
      checkAt(schema.items, `${path}/items`);
      return;
    case 'string':
      checkBounds(schema, path, 'minLength', 'maxLength');
      return;
    case 'integer':
      for (const keyword of ['minimum', 'maximum']) {
        if (!Number.isSafeInteger(schema[keyword]))
          throw unsupported(keyword, path, `expected a safe integer, got ${JSON.stringify(schema[keyword])}`);
      }
      if ((schema.minimum as number) > (schema.maximum as number))
        throw unsupported('minimum', path, 'it exceeds maximum');
      return;
  }
}

function checkObject(schema: Record<string, unknown>, path: string): void {
  const { properties, required } = schema;
  if (!isRecord(properties)) throw unsupported('properties', path, 'expected an object');
  if (schema.additionalProperties !== false)
    throw unsupported('additionalProperties', path, 'expected false: every property is declared');
  if (!Array.isArray(required)) throw unsupported('required', path, 'expected a list of property names');
  for (const name of required) {
    if (typeof name !== 'string' || !Object.hasOwn(properties, name))
      throw unsupported('required', path, `${JSON.stringify(name)} is not a declared property`);
  }
  for (const [name, property] of Object.entries(properties)) {
    checkAt(property, `${path}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

/** The lower bound is 0 where absent; the upper bound must be there, since generation has to end. */
function checkBounds(schema: Record<string, unknown>, path: string, lower: string, upper: string): void {
  const least = schema[lower] ?? 0;
  const most = schema[upper];
  if (!isCount(most))
    throw unsupported(upper, path, `expected a count, since generation has to end; got ${JSON.stringify(most)}`);
  if (!isCount(least) || least > most)
    throw unsupported(lower, path, `expected a count of at most ${most}, got ${JSON.stringify(least)}`);
}

function checkType(type: unknown, values: readonly unknown[], path: string): void {
  if (type === undefined) return;
  const fits = values.every((value) =>
    type === 'integer' ? Number.isInteger(value) : type === 'null' ? value === null : typeof value === type,
  );
  if (!fits) throw unsupported('type', path, `${JSON.stringify(type)} does not describe every listed value`);
}

function refuseOthers(schema: Record<string, unknown>, path: string, known: readonly string[]): void {
  for (const keyword of Object.keys(schema)) {
    if (!known.includes(keyword) && !ANNOTATIONS.includes(keyword)) {
      throw unsupported(keyword, path, `this keyword cannot be enforced here; known are ${known.join(', ')}`);
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function unsupported(keyword: string, path: string, problem: string): SeamError {
  return new SeamError(
    'UNSUPPORTED_JSON_SCHEMA',
    `Compiling a JSON Schema: ${keyword === '' ? 'the schema' : `keyword ${JSON.stringify(keyword)}`} at ${path}: ${problem}.`,
    {
      details: { keyword, path },
    },
  );
}
