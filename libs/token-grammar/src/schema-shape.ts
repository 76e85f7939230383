/**
 * What a JSON Schema allows, as alternatives of plain shapes: references followed, conjunctions merged, disjunctions laid side by side.
 * A node is a conjunction of subschemas, named by their places in the document, so a recursive schema has finitely many nodes.
 * What cannot be enforced is refused by keyword and path, where it matters for a type that is allowed there.
 */
import { formatPattern } from './formats.js';
import { complement, isOf, type Language, PatternProblem, patternLanguage, wordsLanguage } from './pattern.js';
import { isRecord, type Located, type SchemaResources, unsupported } from './schema-resources.js';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** A conjunction of subschemas. */
export interface SchemaNode {
  readonly key: string;
  readonly members: readonly Located[];
}

export interface NumberShape {
  readonly isInteger: boolean;
  readonly minimum: number;
  readonly maximum: number;
  readonly excludesMinimum: boolean;
  readonly excludesMaximum: boolean;
  readonly multipleOf: number;
}

export interface TextShape {
  readonly languages: readonly Language[];
  readonly least: number;
  readonly most: number;
  /** Some pattern or format says what may be written: line breaks too, where it lets them. */
  readonly isPatterned: boolean;
  readonly path: string;
}

export interface ArrayShape {
  readonly prefix: readonly SchemaNode[];
  readonly items: SchemaNode;
  readonly least: number;
  readonly most: number;
}

export interface ObjectShape {
  /** In the order in which they are written. */
  readonly properties: readonly { readonly name: string; readonly node: SchemaNode; readonly isRequired: boolean }[];
  /** Names that are not declared: for each kind their text and their value. */
  readonly others: readonly { readonly name: TextShape; readonly node: SchemaNode }[];
  readonly least: number;
  readonly most: number;
  readonly path: string;
}

/** One way to be valid. `values` where only listed ones are, which then hold to the rest as well. */
export interface Alternative {
  readonly values?: readonly Json[];
  readonly types: ReadonlySet<TypeName>;
  readonly number?: NumberShape;
  readonly string?: TextShape;
  readonly array?: ArrayShape;
  readonly object?: ObjectShape;
}

const TYPES: readonly TypeName[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];
/** Alternatives of one node, and branches that multiply in a conjunction. */
const MAX_ALTERNATIVES = 512;
/** Deeper differences between the branches of a oneOf are not looked for. */
const DISJOINT_DEPTH = 4;
/** Branches of an anyOf whose every combination is told apart, where unevaluated properties or items depend on it. */
const MAX_COMBINED_BRANCHES = 4;
/** All sets of so many patterns of names are told apart. */
const MAX_COMBINED_PATTERNS = 3;
/** Lengths beyond it are beyond every token budget. */
const MAX_COUNT = 1_000_000;

/** Marks what stands for the absence of a property: it has looked at nothing. */
const ABSENT = '~absent';

interface Bag {
  readonly at: Located;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Places of the subschemas that it is applied by, to the same value. */
  readonly within: ReadonlySet<string>;
}

/** A subschema that is to hold, and those that it is applied by. */
interface Pending extends Located {
  readonly within: ReadonlySet<string>;
}

/** Automata of patterns, which learn their states as they are used. */
const patterns = new Map<string, Language>();
const MAX_PATTERNS = 500;
const complements = new WeakMap<Language, Language>();

export class SchemaShapes {
  private readonly known = new Map<string, readonly Alternative[]>();
  private readonly comparing = new Set<string>();

  /** Some keyword asks what others have looked at: then it matters which branches of an anyOf are valid, not only that one is. */
  private readonly looksBack: boolean;

  constructor(private readonly resources: SchemaResources) {
    this.looksBack = /"unevaluated(?:Items|Properties)":/.test(JSON.stringify(resources.root.schema));
  }

  get root(): SchemaNode {
    return nodeOf([this.resources.root]);
  }

  /** @throws UNSUPPORTED_JSON_SCHEMA */
  alternatives(node: SchemaNode): readonly Alternative[] {
    let found = this.known.get(node.key);
    if (found === undefined) {
      found = this.expand(node.members).flatMap((bags) => {
        const merged = this.merge(bags);
        return merged === undefined ? [] : [merged];
      });
      this.known.set(node.key, found);
    }
    return found;
  }

  // ─── Conjunctions and disjunctions ───────────────────────────────────────────────────────────────────────────────

  /** Each result is a list of subschemas without references and combinators, all of which hold. */
  private expand(members: readonly Located[]): Bag[][] {
    let open: {
      readonly left: readonly Pending[];
      readonly bags: readonly Bag[];
      readonly seen: ReadonlySet<string>;
    }[] = [{ left: members.map((member) => ({ ...member, within: new Set<string>() })), bags: [], seen: new Set() }];
    const done: Bag[][] = [];
    while (open.length > 0) {
      const further: typeof open = [];
      for (const { left, bags, seen } of open) {
        const [first, ...rest] = left;
        if (first === undefined) {
          done.push([...bags]);
          continue;
        }
        const { schema, path } = first;
        if (seen.has(path) || schema === true) {
          further.push({ left: rest, bags, seen });
          continue;
        }
        if (schema === false) continue;
        if (!isRecord(schema))
          throw unsupported('', path, `expected an object or a boolean, got ${JSON.stringify(schema)}`);
        const added = new Set(seen).add(path);
        if ('$ref' in schema && this.resources.refStandsAlone) {
          const target = { ...this.resources.follow(first, schema.$ref), within: first.within };
          further.push({ left: [target, ...rest], bags, seen: added });
          continue;
        }
        const all: Located[] = [];
        if ('$ref' in schema) all.push(this.resources.follow(first, schema.$ref));
        if ('allOf' in schema) all.push(...this.list(first, 'allOf'));
        const next = { bags: [...bags, { at: first, schema, within: first.within }], seen: added };
        const inside = new Set(first.within).add(path);
        let choices = this.dependents(first, schema);
        for (const keyword of ['anyOf', 'oneOf'] as const) {
          if (!(keyword in schema)) continue;
          const branches = this.list(first, keyword);
          if (keyword === 'oneOf') this.assertDisjoint(first, branches, [...members]);
          const taken =
            keyword === 'anyOf' && this.looksBack ? subsets(first, branches) : branches.map((each) => [each]);
          choices = choices.flatMap((choice) => taken.map((each) => [...choice, ...each]));
        }
        for (const choice of choices) {
          const applied = [...all, ...choice].map((each) => ({ ...each, within: inside }));
          further.push({ ...next, left: [...applied, ...rest] });
        }
        if (further.length + done.length > MAX_ALTERNATIVES)
          throw unsupported(
            'oneOf' in schema ? 'oneOf' : 'anyOf',
            path,
            `alternatives multiply to more than ${MAX_ALTERNATIVES}`,
          );
      }
      open = further;
    }
    return done;
  }

  /** What depends on a property: the property is absent, or what it asks for holds. */
  private dependents(at: Located, schema: Readonly<Record<string, unknown>>): (readonly Located[])[] {
    let choices: (readonly Located[])[] = [[]];
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const value = schema[keyword] ?? {};
      if (!isRecord(value)) throw unsupported(keyword, at.path, 'expected an object');
      for (const [name, asked] of Object.entries(value)) {
        const place = this.resources.child(at, asked, keyword, name);
        const names: unknown = typeof asked === 'string' ? [asked] : asked;
        const present = Array.isArray(names) ? { ...place, schema: { required: names } } : place;
        const absent = { ...place, schema: { properties: { [name]: false } }, path: `${place.path}${ABSENT}` };
        const needed = { ...place, schema: { required: [name] }, path: `${place.path}~present` };
        choices = choices.flatMap((choice) => [
          [...choice, absent],
          [...choice, needed, present],
        ]);
        if (choices.length > MAX_ALTERNATIVES)
          throw unsupported(keyword, at.path, `alternatives multiply to more than ${MAX_ALTERNATIVES}`);
      }
    }
    return choices;
  }

  private list(at: Located, keyword: string): Located[] {
    const value = (at.schema as Readonly<Record<string, unknown>>)[keyword];
    if (!Array.isArray(value) || value.length === 0)
      throw unsupported(keyword, at.path, 'expected a non-empty list of schemas');
    return value.map((inner, index) => this.resources.child(at, inner, keyword, index));
  }

  /** oneOf is a choice like anyOf as long as nothing is valid under two branches. */
  private assertDisjoint(at: Located, branches: readonly Located[], members: readonly Located[]): void {
    // Seen again below itself it is being looked at already.
    if (this.comparing.has(at.path)) return;
    this.comparing.add(at.path);
    try {
      this.compareBranches(at, branches, members);
    } finally {
      this.comparing.delete(at.path);
    }
  }

  private compareBranches(at: Located, branches: readonly Located[], members: readonly Located[]): void {
    const own = { ...at, schema: without(at.schema, ['oneOf']), path: `${at.path}~oneOf` };
    const others = members.filter(({ path }) => path !== at.path);
    const isSimple = others.every(({ schema }) => !isRecord(schema) || !('oneOf' in schema));
    for (const [index, branch] of branches.entries()) {
      for (const other of branches.slice(index + 1)) {
        const both = [branch, other];
        if (this.isEmpty(both, DISJOINT_DEPTH)) continue;
        if (this.isEmpty([...both, own, ...(isSimple ? others : [])], DISJOINT_DEPTH)) continue;
        throw unsupported(
          'oneOf',
          at.path,
          `branches ${index} and ${branches.indexOf(other)} are not seen to be disjoint; use anyOf where a value may be of both`,
        );
      }
    }
  }

  /** Whether nothing is valid under all; false where that is not seen. */
  private isEmpty(members: readonly Located[], depth: number): boolean {
    return this.alternatives(nodeOf(members)).every((alternative) => this.isEmptyAlternative(alternative, depth));
  }

  private isEmptyAlternative({ values, types, number, string, array, object }: Alternative, depth: number): boolean {
    if (values !== undefined) return values.length === 0;
    if (types.has('null') || types.has('boolean')) return false;
    if (types.has('number') && !(number !== undefined && isEmptyRange(number))) return false;
    if (types.has('string') && !(string !== undefined && isEmptyText(string))) return false;
    if (types.has('array')) {
      if (array === undefined) return false;
      const needed = Array.from(
        { length: Math.min(array.least, array.prefix.length + 1) },
        (_, at) => array.prefix[at] ?? array.items,
      );
      const isImpossible =
        array.least > array.most || (depth > 0 && needed.some(({ members }) => this.isEmpty(members, depth - 1)));
      if (!isImpossible) return false;
    }
    if (types.has('object')) {
      if (object === undefined) return false;
      const needed = object.properties.filter(({ isRequired }) => isRequired);
      const isImpossible =
        needed.length > object.most ||
        object.least > object.most ||
        (depth > 0 && needed.some(({ node }) => this.isEmpty(node.members, depth - 1)));
      if (!isImpossible) return false;
    }
    return true;
  }

  // ─── One alternative ─────────────────────────────────────────────────────────────────────────────────────────────

  private merge(bags: readonly Bag[]): Alternative | undefined {
    let types = new Set<TypeName>(TYPES);
    let isInteger = false;
    for (const { at, schema } of bags) {
      const stated = this.typesOf(at, schema);
      if (stated === undefined) continue;
      types = new Set([...types].filter((type) => stated.types.has(type)));
      isInteger ||= stated.isInteger;
    }
    const listed = this.listedValues(bags);
    if (listed !== undefined)
      types = new Set([...types].filter((type) => listed.some((value) => typeOf(value) === type)));
    for (const bag of bags) this.refuse(bag, types);
    const shape: Alternative = {
      types,
      ...(types.has('number') ? { number: this.number(bags, isInteger) } : {}),
      ...(types.has('string') ? { string: this.text(bags) } : {}),
      ...(types.has('array') ? { array: this.array(bags) } : {}),
      ...(types.has('object') ? { object: this.object(bags) } : {}),
    };
    if (listed === undefined) return types.size === 0 ? undefined : shape;
    const values = listed.filter((value) => this.matchesShape(value, shape));
    return values.length === 0 ? undefined : { types, values };
  }

  private typesOf(
    at: Located,
    schema: Readonly<Record<string, unknown>>,
  ): { types: Set<TypeName>; isInteger: boolean } | undefined {
    const { type, not } = schema;
    const names = type === undefined ? undefined : Array.isArray(type) ? type : [type];
    const types = new Set<TypeName>(names === undefined ? TYPES : []);
    for (const name of names ?? []) {
      if (name === 'integer') types.add('number');
      else if (TYPES.includes(name as TypeName)) types.add(name as TypeName);
      else throw unsupported('type', at.path, `expected a type of JSON Schema, got ${JSON.stringify(name)}`);
    }
    // Of "not" what says that a value is of no type, or not of some.
    if (not === true || (isRecord(not) && Object.keys(not).length === 0)) types.clear();
    else if (isRecord(not) && isTypeOnly(not)) {
      for (const name of Array.isArray(not.type) ? not.type : [not.type]) types.delete(name as TypeName);
    }
    const isInteger = names?.includes('integer') === true && !names.includes('number');
    return names === undefined && not === undefined ? undefined : { types, isInteger };
  }

  /** The values of enum and const, or undefined where there is none of them. */
  private listedValues(bags: readonly Bag[]): readonly Json[] | undefined {
    let values: readonly Json[] | undefined;
    for (const { at, schema } of bags) {
      const lists: (readonly Json[])[] = [];
      if ('const' in schema) lists.push([schema.const as Json]);
      if ('enum' in schema) {
        if (!Array.isArray(schema.enum) || schema.enum.length === 0)
          throw unsupported('enum', at.path, 'expected a non-empty list of values');
        lists.push(schema.enum as readonly Json[]);
      }
      for (const list of lists) {
        const texts = new Set(list.map(sorted));
        values = (values ?? distinct(list)).filter((value) => texts.has(sorted(value)));
      }
    }
    return values;
  }

  private refuse({ at, schema }: Bag, types: ReadonlySet<TypeName>): void {
    const fault = (keyword: string): never => {
      throw unsupported(keyword, at.path, 'this keyword cannot be enforced while a text is written');
    };
    if ('$dynamicRef' in schema) fault('$dynamicRef');
    if ('$recursiveRef' in schema) fault('$recursiveRef');
    if (types.size === 0) return;
    const { not } = schema;
    if (
      not !== undefined &&
      not !== false &&
      not !== true &&
      !(isRecord(not) && (Object.keys(not).length === 0 || isTypeOnly(not)))
    )
      fault('not');
    const isSeen = 'unevaluatedItems' in schema || 'unevaluatedProperties' in schema;
    if ('if' in schema && ('then' in schema || 'else' in schema || isSeen)) fault('if');
    if (types.has('array')) {
      if ('contains' in schema && !(schema.contains === true && schema.minContains === 0 && !('maxContains' in schema)))
        fault('contains');
      if (schema.uniqueItems === true && !(typeof schema.maxItems === 'number' && schema.maxItems <= 1))
        fault('uniqueItems');
    }
  }

  private number(bags: readonly Bag[], isInteger: boolean): NumberShape {
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

  private text(bags: readonly Bag[]): TextShape {
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

  private array(bags: readonly Bag[]): ArrayShape {
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
      const prefix = keyword in schema ? this.list(at, keyword) : [];
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

  private object(bags: readonly Bag[]): ObjectShape {
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

  // ─── Values against shapes ───────────────────────────────────────────────────────────────────────────────────────

  private matches(value: Json, node: SchemaNode): boolean {
    return this.alternatives(node).some((alternative) => {
      if (alternative.values !== undefined) return alternative.values.some((each) => sorted(each) === sorted(value));
      return this.matchesShape(value, alternative);
    });
  }

  private matchesShape(value: Json, { types, number, string, array, object }: Alternative): boolean {
    const type = typeOf(value);
    if (!types.has(type)) return false;
    if (typeof value === 'number') return number === undefined || isOfRange(number, value);
    if (typeof value === 'string') return string === undefined || isOfText(string, value);
    if (Array.isArray(value)) {
      if (array === undefined) return true;
      const items = value as readonly Json[];
      if (items.length < array.least || items.length > array.most) return false;
      return items.every((item, at) => this.matches(item, array.prefix[at] ?? array.items));
    }
    if (!isRecord(value) || object === undefined) return true;
    const entries = Object.entries(value as Readonly<Record<string, Json>>);
    if (entries.length < object.least || entries.length > object.most) return false;
    if (object.properties.some(({ name, isRequired }) => isRequired && !Object.hasOwn(value, name))) return false;
    return entries.every(([name, inner]) => {
      const declared = object.properties.find((property) => property.name === name);
      const nodes = declared
        ? [declared.node]
        : object.others.filter((kind) => isOfText(kind.name, name)).map(({ node }) => node);
      return nodes.some((node) => this.matches(inner, node));
    });
  }
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

/** Every way in which some branches of a choice are valid. */
function subsets(at: Located, branches: readonly Located[]): (readonly Located[])[] {
  if (branches.length > MAX_COMBINED_BRANCHES)
    throw unsupported(
      'anyOf',
      at.path,
      `more than ${MAX_COMBINED_BRANCHES} branches besides what they leave unevaluated`,
    );
  return Array.from({ length: 2 ** branches.length - 1 }, (_, bits) =>
    branches.filter((__, i) => ((bits + 1) >> i) & 1),
  );
}

function complementOf(language: Language): Language {
  let other = complements.get(language);
  if (other === undefined) complements.set(language, (other = complement(language)));
  return other;
}

/** A conjunction under a separate name: the order of its members is that of their first appearance. */
function nodeOf(members: readonly Located[]): SchemaNode {
  const byPath = new Map(members.filter(({ schema }) => schema !== true).map((member) => [member.path, member]));
  return { key: [...byPath.keys()].join(' '), members: [...byPath.values()] };
}

function without(schema: unknown, keywords: readonly string[]): unknown {
  return isRecord(schema)
    ? Object.fromEntries(Object.entries(schema).filter(([key]) => !keywords.includes(key)))
    : schema;
}

/** `integer` is not a separate type here: what is not an integer may be another number. */
function isTypeOnly(schema: Readonly<Record<string, unknown>>): boolean {
  const names: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  return Object.keys(schema).length === 1 && names.every((name) => TYPES.includes(name as TypeName));
}

function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as TypeName;
}

function isOfRange(range: NumberShape, value: number): boolean {
  const { isInteger, minimum, maximum, excludesMinimum, excludesMaximum, multipleOf } = range;
  if (isInteger && !(Number.isInteger(value) && value % multipleOf === 0)) return false;
  if (value < minimum || (excludesMinimum && value === minimum)) return false;
  return value < maximum || (value === maximum && !excludesMaximum);
}

function isEmptyRange({
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

function isOfText({ languages, least, most }: TextShape, text: string): boolean {
  const length = Array.from(text).length;
  return length >= least && length <= most && languages.every((language) => isOf(language, text));
}

/** Whether no text is of all languages; false where that takes too long to see. */
function isEmptyText({ languages, least, most }: TextShape): boolean {
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

/** Equal values have equal texts, regardless of the order of their properties. */
function sorted(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function distinct(values: readonly Json[]): readonly Json[] {
  return [...new Map(values.map((value) => [sorted(value), value])).values()];
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
