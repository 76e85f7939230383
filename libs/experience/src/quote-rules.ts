/**
 * Which texts of an entry are quotes, as its schema says by its own annotation:
 *
 *   { "type": "string", "x-quotes": { "from": "prompt" } }                              the whole text
 *   { "enum": ["for oak saw"], "x-quotes": { "from": "prompt", "between": ["for ", " "] } }   each span between the marks
 *
 * "countUpTo": 6 says for lists of such texts up to which length a quote is written at most as often as it occurs; 4 where it is absent.
 *
 * An annotation belongs to a schema of texts that is reached from the root by `properties`, `items` and `prefixItems`. Anywhere else
 * it would be overlooked, so it is refused there. So is every unknown word in it.
 */
import { SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';

export const QUOTES = 'x-quotes';

/** Longest lists of which a grammar counts quotes, where the schema does not say. */
const COUNT_UP_TO = 4;
/** A grammar holds a copy of the texts for each way to have used the quotes: 2⁸ at most for eight that occur once. */
const MOST_COUNTED = 8;

export interface QuoteRule {
  /** Marks before and after each quote, an empty one for the text's own end; null: the whole text is the quote. */
  readonly between: readonly [before: string, after: string] | null;
  /** Most items of a list whose quotes are written at most as often as they occur. Longer lists are judged afterwards. */
  readonly countUpTo: number;
}

/** The rules of a schema by where they hold; what leads to none is left out. */
export interface QuoteRules {
  readonly rule?: QuoteRule;
  readonly properties?: ReadonlyMap<string, QuoteRules>;
  readonly prefixItems?: readonly (QuoteRules | undefined)[];
  readonly items?: QuoteRules;
}

export type Fields = Readonly<Record<string, unknown>>;

const WITH_SCHEMA = [
  'additionalProperties',
  'additionalItems',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const WITH_SCHEMAS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const WITH_NAMED_SCHEMAS = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
];

/** Schemas are never changed once made, and each is asked about for every entry. */
const known = new WeakMap<JsonSchema, QuoteRules | undefined>();

/**
 * The rules that a schema holds, undefined where it holds none.
 * @throws INVALID_INPUT naming the place of an annotation that means nothing here
 */
export function quoteRulesOf(schema: JsonSchema): QuoteRules | undefined {
  if (!known.has(schema)) known.set(schema, reachable(schema, '#'));
  return known.get(schema);
}

const bared = new WeakMap<JsonSchema, JsonSchema>();

/** The schema without its annotations: what a grammar is compiled from. The same object for the same one. */
export function withoutQuoteRules(schema: JsonSchema): JsonSchema {
  const rules = quoteRulesOf(schema);
  if (rules === undefined) return schema;
  const without = bared.get(schema) ?? bare(schema, rules);
  bared.set(schema, without);
  return without;
}

/** Likewise of a schema that {@link mapRules} comes to. */
export function bare(schema: Fields, rules: QuoteRules): Fields {
  return mapRules(schema, rules, bare);
}

/** A schema's copy without its own annotation, in which everything that leads to others is replaced; the order of its keywords stays. */
export function mapRules(
  schema: Fields,
  rules: QuoteRules,
  change: (schema: Fields, rules: QuoteRules) => Fields,
): Fields {
  const changed = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== QUOTES));
  const { properties, prefixItems, items } = rules;
  if (properties !== undefined) {
    changed.properties = Object.fromEntries(
      Object.entries(schema.properties as Fields).map(([name, each]) => {
        const own = properties.get(name);
        return [name, own === undefined ? each : change(each as Fields, own)];
      }),
    );
  }
  if (prefixItems !== undefined) {
    changed.prefixItems = (schema.prefixItems as unknown[]).map((each, at) => {
      const own = prefixItems[at];
      return own === undefined ? each : change(each as Fields, own);
    });
  }
  if (items !== undefined) changed.items = change(schema.items as Fields, items);
  return changed;
}

function reachable(schema: unknown, path: string): QuoteRules | undefined {
  if (!isFields(schema)) return undefined;
  const properties = new Map<string, QuoteRules>();
  if (isFields(schema.properties)) {
    for (const [name, each] of Object.entries(schema.properties)) {
      const rules = reachable(each, `${path}/properties/${name}`);
      if (rules !== undefined) properties.set(name, rules);
    }
  }
  const prefixItems = Array.isArray(schema.prefixItems)
    ? schema.prefixItems.map((each, at) => reachable(each, `${path}/prefixItems/${at}`))
    : [];
  const items = Array.isArray(schema.items) ? undefined : reachable(schema.items, `${path}/items`);
  for (const [place, each] of elsewhere(schema, path)) refuseWithin(each, place);
  const rule = QUOTES in schema ? ruleOf(schema, path) : undefined;
  const found: QuoteRules = {
    ...(rule === undefined ? {} : { rule }),
    ...(properties.size === 0 ? {} : { properties }),
    ...(prefixItems.some((each) => each !== undefined) ? { prefixItems } : {}),
    ...(items === undefined ? {} : { items }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Schemas within a schema that entries are not followed into. */
function* elsewhere(schema: Fields, path: string): Generator<readonly [path: string, schema: unknown]> {
  for (const [place, keyword, each] of within(schema, path)) {
    const isFollowed =
      keyword === 'properties' || keyword === 'prefixItems' || (keyword === 'items' && !Array.isArray(schema.items));
    if (!isFollowed) yield [place, each];
  }
}

function* within(schema: Fields, path: string): Generator<readonly [path: string, keyword: string, schema: unknown]> {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}/${keyword}`;
    if (WITH_SCHEMA.includes(keyword) && isFields(value)) yield [at, keyword, value];
    if (WITH_SCHEMAS.includes(keyword) && Array.isArray(value))
      for (const [index, each] of value.entries()) yield [`${at}/${index}`, keyword, each];
    if (WITH_NAMED_SCHEMAS.includes(keyword) && isFields(value))
      for (const [name, each] of Object.entries(value)) yield [`${at}/${name}`, keyword, each];
  }
}

function refuseWithin(schema: unknown, path: string): void {
  if (!isFields(schema)) return;
  if (QUOTES in schema)
    throw refused(path, 'to be reached from the root by properties, items and prefixItems alone', 'a schema elsewhere');
  for (const [place, , each] of within(schema, path)) refuseWithin(each, place);
}

function ruleOf(schema: Fields, path: string): QuoteRule {
  const value = schema[QUOTES];
  const expected = `{"from": "prompt"}, with "between": [before, after] where quotes are parts of the text, and "countUpTo" of 1 to ${MOST_COUNTED}`;
  if (!isFields(value) || value.from !== 'prompt') throw refused(path, expected, JSON.stringify(value));
  const unknown = Object.keys(value).filter((name) => !['from', 'between', 'countUpTo'].includes(name));
  if (unknown.length > 0) throw refused(path, expected, `the unknown ${JSON.stringify(unknown[0])}`);
  if (!isOfTexts(schema))
    throw refused(
      path,
      'a schema of texts: of the type "string", or with texts alone in enum or const',
      JSON.stringify(schema.type ?? 'no type'),
    );
  const { countUpTo = COUNT_UP_TO } = value;
  if (typeof countUpTo !== 'number' || !Number.isInteger(countUpTo) || countUpTo < 1 || countUpTo > MOST_COUNTED)
    throw refused(path, expected, JSON.stringify(value));
  if (value.between === undefined) return { between: null, countUpTo };
  if (
    !Array.isArray(value.between) ||
    value.between.length !== 2 ||
    !value.between.every((mark) => typeof mark === 'string')
  )
    throw refused(path, expected, JSON.stringify(value));
  const [before, after] = value.between as [string, string];
  return { between: before === '' && after === '' ? null : [before, after], countUpTo };
}

function isOfTexts(schema: Fields): boolean {
  if ('const' in schema) return typeof schema.const === 'string';
  if (Array.isArray(schema.enum)) return schema.enum.every((each) => typeof each === 'string');
  return schema.type === 'string';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(path: string, expected: string, got: string): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot read ${QUOTES} at ${path}: expected ${expected}, got ${got.slice(0, 200)}. Correct the schema.`,
    { details: { path } },
  );
}
