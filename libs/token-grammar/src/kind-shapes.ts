/** The shape of each kind of value under a conjunction: numbers, texts, arrays and objects. */
import { formatPattern } from './formats.js';
import { complement, isOf, type Language, PatternProblem, patternLanguage, wordsLanguage } from './pattern.js';
import { isRecord, type Located, type SchemaResources, unsupported } from './schema-resources.js';
import type {
  Alternative,
  ArrayShape,
  Bag,
  NumberShape,
  ObjectShape,
  SchemaNode,
  TextShape,
} from './schema-shape.types.js';
import { isOfText, nodeOf } from './shape-nodes.js';

/** All sets of so many patterns of names are told apart. */
const MAX_COMBINED_PATTERNS = 3;
/** Lengths beyond it are beyond every token budget. */
const MAX_COUNT = 1_000_000;

/** Marks what stands for the absence of a property: it has looked at nothing. */
export const ABSENT = '~absent';

/** Automata of patterns, which learn their states as they are used. */
const patterns = new Map<string, Language>();
const MAX_PATTERNS = 500;
const complements = new WeakMap<Language, Language>();

export class KindShapes {
  constructor(
    private readonly resources: SchemaResources,
    private readonly alternatives: (node: SchemaNode) => readonly Alternative[],
  ) {}

  number(bags: readonly Bag[], isInteger: boolean): NumberShape {
    let shape: NumberShape = {
      isInteger,
      minimum: Number.NEGATIVE_INFINITY,
      maximum: Number.POSITIVE_INFINITY,
      excludesMinimum: false,
      excludesMaximum: false,
      multipleOf: 1,
    };
    for (const { at, schema } of bags) {
      const bound = (keyword: string): number | undefined => {
        const value = schema[keyword];
        // Draft 4 has a boolean next to the bound.
        if (value === undefined || (typeof value === 'boolean' && keyword.startsWith('exclusive'))) return undefined;
        if (typeof value !== 'number')
          throw unsupported(keyword, at.path, `expected a number, got ${JSON.stringify(value)}`);
        return value;
      };
      const raise = (minimum: number | undefined, excludes: boolean): void => {
        if (minimum === undefined || minimum < shape.minimum) return;
        shape = {
          ...shape,
          minimum,
          excludesMinimum: excludes || (minimum === shape.minimum && shape.excludesMinimum),
        };
      };
      const lower = (maximum: number | undefined, excludes: boolean): void => {
        if (maximum === undefined || maximum > shape.maximum) return;
        shape = {
          ...shape,
          maximum,
          excludesMaximum: excludes || (maximum === shape.maximum && shape.excludesMaximum),
        };
      };
      raise(bound('minimum'), schema.exclusiveMinimum === true);
      raise(bound('exclusiveMinimum'), true);
      lower(bound('maximum'), schema.exclusiveMaximum === true);
      lower(bound('exclusiveMaximum'), true);
      const step = schema.multipleOf ?? schema.divisibleBy;
      if (step === undefined) continue;
      if (typeof step === 'number' && step > 0 && Number.isInteger(1 / step) && shape.isInteger) continue;
      if (typeof step !== 'number' || !Number.isInteger(step) || step < 1 || step > 10_000)
        throw unsupported('multipleOf', at.path, `expected an integer from 1 to 10000, got ${JSON.stringify(step)}`);
      shape = { ...shape, isInteger: true, multipleOf: leastCommonMultiple(shape.multipleOf, step) };
      if (shape.multipleOf > 10_000) throw unsupported('multipleOf', at.path, 'common multiples exceed 10000');
    }
    return shape;
  }

  text(bags: readonly Bag[]): TextShape {
    const languages: Language[] = [];
    let [least, most] = [0, Number.POSITIVE_INFINITY];
    for (const { at, schema } of bags) {
      least = Math.max(least, this.count(at, schema, 'minLength') ?? 0);
      most = Math.min(most, this.count(at, schema, 'maxLength') ?? most);
      if ('pattern' in schema) languages.push(this.pattern(at, 'pattern', schema.pattern));
      if (typeof schema.format === 'string') {
        const pattern = formatPattern(schema.format);
        if (pattern === null)
          throw unsupported('format', at.path, `${JSON.stringify(schema.format)} cannot be enforced`);
        if (pattern !== undefined) languages.push(this.pattern(at, 'format', pattern));
      }
    }
    return { languages, least, most, isPatterned: languages.length > 0, path: bags.at(-1)?.at.path ?? '#' };
  }

  private pattern(at: Located, keyword: string, source: unknown): Language {
    if (typeof source !== 'string') throw unsupported(keyword, at.path, 'expected a text');
    let language = patterns.get(source);
    if (language === undefined) {
      try {
        language = patternLanguage(source);
      } catch (error) {
        if (error instanceof PatternProblem) throw unsupported(keyword, at.path, error.message);
        throw error;
      }
      if (patterns.size === MAX_PATTERNS) patterns.delete(patterns.keys().next().value!);
      patterns.set(source, language);
    }
    return language;
  }

  private count(at: Located, schema: Readonly<Record<string, unknown>>, keyword: string): number | undefined {
    const value = schema[keyword];
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
      throw unsupported(keyword, at.path, `expected a count, got ${JSON.stringify(value)}`);
    if (value > MAX_COUNT && keyword.startsWith('min')) throw unsupported(keyword, at.path, `it exceeds ${MAX_COUNT}`);
    return value > MAX_COUNT ? Number.POSITIVE_INFINITY : value;
  }

  array(bags: readonly Bag[]): ArrayShape {
    let [least, most] = [0, Number.POSITIVE_INFINITY];
    const lists: { readonly prefix: readonly Located[]; readonly items: Located | undefined }[] = [];
    for (const { at, schema } of bags) {
      least = Math.max(least, this.count(at, schema, 'minItems') ?? 0);
      most = Math.min(most, this.count(at, schema, 'maxItems') ?? most);
      const child = (keyword: string): Located | undefined =>
        keyword in schema ? this.resources.child(at, schema[keyword], keyword) : undefined;
      // Up to draft 2019-09 a list of items is what prefixItems is now.
      const isTuple = Array.isArray(schema.items);
      const keyword = isTuple ? 'items' : 'prefixItems';
      const prefix = keyword in schema ? listOf(this.resources, at, keyword) : [];
      lists.push({ prefix, items: isTuple ? child('additionalItems') : child('items') });
      // What no subschema that is applied here has looked at. Those of branches that were not taken do not count, which is stricter.
      if (!('unevaluatedItems' in schema)) continue;
      const applied = bags
        .filter((other) => other.at.path === at.path || other.within.has(at.path))
        .map((other) => other.schema);
      const isLookedAt = applied.some(
        (other) => ('items' in other && !Array.isArray(other.items)) || 'additionalItems' in other,
      );
      const inner = applied.some((other) => other !== schema && 'unevaluatedItems' in other);
      if (isLookedAt || inner) continue;
      const looked = Math.max(
        0,
        ...applied.map(
          ({ items, prefixItems }) =>
            (Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []).length,
        ),
      );
      const anything = { ...at, schema: true };
      lists.push({ prefix: new Array<Located>(looked).fill(anything), items: child('unevaluatedItems') });
    }
    const itemAt = (position: number): SchemaNode =>
      nodeOf(lists.flatMap(({ prefix, items }) => prefix[position] ?? items ?? []));
    const length = Math.max(0, ...lists.map(({ prefix }) => prefix.length));
    return { prefix: Array.from({ length }, (_, position) => itemAt(position)), items: itemAt(length), least, most };
  }

  object(bags: readonly Bag[]): ObjectShape {
    let [least, most] = [0, Number.POSITIVE_INFINITY];
    const required = new Set<string>();
    const parts = bags.map((bag) => {
      least = Math.max(least, this.count(bag.at, bag.schema, 'minProperties') ?? 0);
      most = Math.min(most, this.count(bag.at, bag.schema, 'maxProperties') ?? most);
      for (const name of requiredOf(bag)) required.add(name);
      return this.objectPart(bag);
    });
    parts.push(...this.unevaluatedParts(bags, parts));
    const path = bags.at(-1)?.at.path ?? '#';
    const nameShape = this.nameShape(
      parts.flatMap(({ names }) => names),
      path,
    );
    const names = new Set([...parts.flatMap(({ properties }) => [...properties.keys()]), ...required]);
    const isLegal = (name: string): boolean => isOfText(nameShape, name);
    const impossible = [...required].some((name) => !isLegal(name));
    const properties = [...names]
      .filter(isLegal)
      .map((name) => ({ name, node: nodeNamed(parts, name), isRequired: required.has(name) }));
    return {
      properties,
      others: otherNames(parts, names, nameShape).filter(
        ({ node }) => !node.members.some(({ schema }) => schema === false),
      ),
      least: impossible ? Number.POSITIVE_INFINITY : least,
      most,
      path,
    };
  }

  private objectPart({ at, schema }: Bag): ObjectPart {
    const record = (keyword: string): Readonly<Record<string, unknown>> => {
      const value = schema[keyword] ?? {};
      if (!isRecord(value)) throw unsupported(keyword, at.path, 'expected an object of schemas');
      return value;
    };
    const properties = record('properties');
    const names = 'propertyNames' in schema ? [this.resources.child(at, schema.propertyNames, 'propertyNames')] : [];
    const patterns = Object.keys(record('patternProperties')).map((source) => ({
      language: this.pattern(at, 'patternProperties', source),
      value: this.resources.child(at, record('patternProperties')[source], 'patternProperties', source),
    }));
    const additional =
      'additionalProperties' in schema
        ? [this.resources.child(at, schema.additionalProperties, 'additionalProperties')]
        : [];
    return {
      properties: new Map(
        Object.entries(properties).map(([name, value]) => [name, this.resources.child(at, value, 'properties', name)]),
      ),
      ...{ patterns, additional, names },
    };
  }

  /** What no subschema that is applied here has looked at, as for items. */
  private unevaluatedParts(bags: readonly Bag[], parts: readonly ObjectPart[]): ObjectPart[] {
    return bags.flatMap(({ at, schema }): ObjectPart[] => {
      if (!('unevaluatedProperties' in schema)) return [];
      const applied = bags.flatMap((other, index) =>
        (other.at.path === at.path || other.within.has(at.path)) && !other.at.path.endsWith(ABSENT)
          ? [{ ...other, part: parts[index]! }]
          : [],
      );
      const isLookedAt = applied.some(
        (other) =>
          'additionalProperties' in other.schema ||
          (other.schema !== schema && 'unevaluatedProperties' in other.schema),
      );
      if (isLookedAt) return [];
      const anything = { ...at, schema: true };
      return [
        {
          properties: new Map(
            applied.flatMap(({ part }) => [...part.properties.keys()].map((name) => [name, anything])),
          ),
          patterns: applied.flatMap(({ part }) => part.patterns.map(({ language }) => ({ language, value: anything }))),
          additional: [this.resources.child(at, schema.unevaluatedProperties, 'unevaluatedProperties')],
          names: [],
        },
      ];
    });
  }

  private nameShape(members: readonly Located[], path: string): TextShape {
    const anything: TextShape = { languages: [], least: 0, most: Number.POSITIVE_INFINITY, isPatterned: false, path };
    if (members.length === 0) return anything;
    const alternatives = this.alternatives(nodeOf(members)).filter(({ types }) => types.has('string'));
    const [only] = alternatives;
    if (only === undefined) return { ...anything, languages: [wordsLanguage([])] };
    if (alternatives.length > 1) throw unsupported('propertyNames', path, 'expected one kind of names');
    if (only.values === undefined) return only.string ?? anything;
    const texts = only.values.filter((value) => typeof value === 'string');
    return { ...anything, languages: [wordsLanguage(texts)] };
  }
}

/** The subschemas that a keyword lists. */
export function listOf(resources: SchemaResources, at: Located, keyword: string): Located[] {
  const value = (at.schema as Readonly<Record<string, unknown>>)[keyword];
  if (!Array.isArray(value) || value.length === 0)
    throw unsupported(keyword, at.path, 'expected a non-empty list of schemas');
  return value.map((inner, index) => resources.child(at, inner, keyword, index));
}

/** What one subschema says of an object: of properties by name and by pattern, of all others, and of what names may be. */
interface ObjectPart {
  readonly properties: ReadonlyMap<string, Located>;
  readonly patterns: readonly { readonly language: Language; readonly value: Located }[];
  readonly additional: readonly Located[];
  readonly names: readonly Located[];
}

function requiredOf({ at, schema }: Bag): readonly string[] {
  if (schema.required === undefined || typeof schema.required === 'boolean') return [];
  if (!Array.isArray(schema.required)) throw unsupported('required', at.path, 'expected a list of property names');
  return schema.required.map(String);
}

function nodeNamed(parts: readonly ObjectPart[], name: string): SchemaNode {
  return nodeOf(
    parts.flatMap(({ properties, patterns, additional }) => {
      const own = properties.get(name);
      const matching = patterns.filter(({ language }) => isOf(language, name)).map(({ value }) => value);
      const declared = [...(own === undefined ? [] : [own]), ...matching];
      return declared.length > 0 ? declared : additional;
    }),
  );
}

/** Names that no property has, by the patterns that they match: every set of few patterns, of many only single ones and none. */
function otherNames(
  parts: readonly ObjectPart[],
  names: ReadonlySet<string>,
  nameShape: TextShape,
): ObjectShape['others'] {
  const sources = [...new Set(parts.flatMap((part) => part.patterns.map(({ language }) => language)))];
  const sets =
    sources.length <= MAX_COMBINED_PATTERNS
      ? Array.from({ length: 2 ** sources.length }, (_, bits) => new Set(sources.filter((__, at) => (bits >> at) & 1)))
      : [new Set<Language>(), ...sources.map((source) => new Set([source]))];
  const taken = names.size === 0 ? [] : [complement(wordsLanguage([...names]))];
  return sets.map((matched) => ({
    name: {
      ...nameShape,
      languages: [
        ...nameShape.languages,
        ...taken,
        ...sources.map((language) => (matched.has(language) ? language : complementOf(language))),
      ],
    },
    node: nodeOf(
      parts.flatMap((part) => {
        const own = part.patterns.filter(({ language }) => matched.has(language)).map(({ value }) => value);
        return own.length > 0 ? own : part.additional;
      }),
    ),
  }));
}

function complementOf(language: Language): Language {
  let other = complements.get(language);
  if (other === undefined) complements.set(language, (other = complement(language)));
  return other;
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
