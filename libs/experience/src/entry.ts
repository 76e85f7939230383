/** An entry as text: what was written is parsed, validated and brought to one canonical form. */

import { canonicalJson, messageOf, SeamError } from '@seamstream/kernel';
import { isPlainCodePoint, isWritten, type JsonSchema } from '@seamstream/token-grammar';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaDigest } from './entry.schema.js';
import { quoteRulesOf } from './quote-rules.js';

export interface ParsedEntry {
  readonly value: unknown;
  /** Compact JSON, properties in the schema's order: equal entries have equal text. */
  readonly text: string;
}

/** No schema of this library comes near; it bounds what a foreign producer can make a consumer parse. */
const MAX_ENTRY_LENGTH = 16_384;

/** ASCII that is seen, and no backslash, so that nothing hides in an escape: most entries, whose strings need no second look. */
const VISIBLE = /^[\x20-\x5b\x5d-\x7e]*$/;

/** What a grammar writes is checked again by drafts as they are published; a format is the grammar's to hold. */
const OPTIONS = { strict: false, allErrors: false, validateFormats: false, logger: false } as const;
const ajv = new Ajv2020(OPTIONS);
const earlier = { '2019-09': new Ajv2019(OPTIONS), 'draft-07': new Ajv(OPTIONS) };
const validators = new Map<string, ValidateFunction>();

/**
 * Reads an entry from anywhere.
 * @throws ENTRY_INVALID as {@link checkEntry}
 */
export function parseEntry(text: string, schema: JsonSchema): ParsedEntry {
  const value = checkEntry(text, schema);
  return { value, text: JSON.stringify(inOrder(value, schema)) };
}

/**
 * The value of an entry from anywhere, for those who do not need its canonical form.
 * @throws ENTRY_INVALID when the text is too long, is not JSON, does not validate or holds characters that a reader
 * cannot see (controls, bidirectional controls, zero-width characters; line breaks and tabs but where the schema's grammar writes
 * them, under a pattern that lets them); `details.path` is a JSON pointer where one applies.
 */
export function checkEntry(text: string, schema: JsonSchema): unknown {
  checkEntryLength(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(`it is not JSON (${String(cause)})`, {}, cause);
  }
  const validate = validatorOf(schema);
  if (!validate(value)) {
    const [error] = validate.errors ?? [];
    const path = `#${error?.instancePath ?? ''}`;
    throw invalid(
      `at ${path} it ${error?.message ?? 'does not validate'}${error?.params === undefined ? '' : ` (${canonicalJson(error.params)})`}`,
      { path },
    );
  }
  if (VISIBLE.test(text)) return value;
  const breaks: Hidden[] = [];
  refuseHidden(value, '#', breaks);
  const [first] = breaks;
  if (first !== undefined && !isWritten(schema, JSON.stringify(inOrder(value, schema)))) throw hidden(first);
  return value;
}

/** Before anything else is done with an entry from anywhere. @throws ENTRY_INVALID when it is longer than any entry. */
export function checkEntryLength(text: string): void {
  if (text.length > MAX_ENTRY_LENGTH)
    throw invalid(`it has ${text.length} characters, at most ${MAX_ENTRY_LENGTH} are accepted`);
}

/** The canonical text of a value that is known to validate. Errors as {@link parseEntry}. */
export function entryText(value: unknown, schema: JsonSchema): string {
  return parseEntry(JSON.stringify(value), schema).text;
}

/**
 * Checks that entries can be checked under a schema, which a file may bring.
 * @throws INVALID_INPUT for an unknown draft, a schema that is invalid in its draft, or invalid rules for quotes
 */
export function checkEntrySchema(schema: JsonSchema): void {
  quoteRulesOf(schema);
  try {
    validatorOf(schema);
  } catch (cause) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read an entry schema: expected a schema of draft 7, 2019-09 or 2020-12, and ${messageOf(cause)}. Correct the schema.`,
      { cause },
    );
  }
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  const digest = schemaDigest(schema);
  let validate = validators.get(digest);
  if (validate === undefined) {
    const { $schema, ...rest } = schema;
    const draft = typeof $schema === 'string' ? /2019-09|draft-07/.exec($schema)?.[0] : undefined;
    const reader = draft === undefined ? ajv : earlier[draft as keyof typeof earlier];
    // Known drafts are named by http and https, with a final # and without; a schema's own name may come twice.
    validate = reader.compile(/2020-12|2019-09|draft-07/.test(String($schema)) ? rest : schema);
    validators.set(digest, validate);
  }
  return validate;
}

interface Hidden {
  readonly path: string;
  readonly codePoint: number;
}

/** Line breaks and tabs are collected: whether they are refused is the schema's to say. */
function refuseHidden(value: unknown, path: string, breaks: Hidden[]): void {
  if (typeof value === 'string') {
    for (const character of value) {
      const codePoint = character.codePointAt(0)!;
      if (isPlainCodePoint(codePoint)) continue;
      if (character !== '\n' && character !== '\t') throw hidden({ path, codePoint });
      breaks.push({ path, codePoint });
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      refuseHidden(key, path, breaks);
      refuseHidden(inner, `${path}/${key}`, breaks);
    }
  }
}

function hidden({ path, codePoint }: Hidden): SeamError {
  return invalid(
    `at ${path} it holds the invisible character U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`,
    { path, codePoint },
  );
}

/** The schema's order of properties, where it declares them plainly; elsewhere the order that the text has. */
function inOrder(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => inOrder(item, schema.items));
  const { properties } = schema;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const declared = Object.keys(properties).filter((name) => Object.hasOwn(value, name));
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return Object.fromEntries([...declared, ...others].map((name) => [name, inOrder(value[name], properties[name])]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(problem: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown): SeamError {
  return new SeamError(
    'ENTRY_INVALID',
    `Cannot read an experience entry: ${problem}. Expected one line of JSON under the entry's schema.`,
    {
      details,
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
