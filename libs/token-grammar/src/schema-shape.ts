/**
 * What a JSON Schema allows, as alternatives of plain shapes: references followed, conjunctions merged, disjunctions laid side by side.
 * A node is a conjunction of subschemas, named by their places in the document, so a recursive schema has finitely many nodes.
 * What cannot be enforced is refused by keyword and path, where it matters for a type that is allowed there.
 */
import { ABSENT, KindShapes, listOf } from './kind-shapes.js';
import { isRecord, type Located, type SchemaResources, unsupported } from './schema-resources.js';
import type { Alternative, Bag, Json, SchemaNode, TypeName } from './schema-shape.types.js';
import { isEmptyRange, isEmptyText, isOfRange, isOfText, nodeOf } from './shape-nodes.js';

const TYPES: readonly TypeName[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];
/** Alternatives of one node, and branches that multiply in a conjunction. */
const MAX_ALTERNATIVES = 512;
/** Deeper differences between the branches of a oneOf are not looked for. */
const DISJOINT_DEPTH = 4;
/** Branches of an anyOf whose every combination is told apart, where unevaluated properties or items depend on it. */
const MAX_COMBINED_BRANCHES = 4;

/** A subschema that is to hold, and those that it is applied by. */
interface Pending extends Located {
  readonly within: ReadonlySet<string>;
}

export class SchemaShapes {
  private readonly known = new Map<string, readonly Alternative[]>();
  private readonly comparing = new Set<string>();
  private readonly kinds: KindShapes;

  /** Some keyword asks what others have looked at: then it matters which branches of an anyOf are valid, not only that one is. */
  private readonly looksBack: boolean;

  constructor(private readonly resources: SchemaResources) {
    this.kinds = new KindShapes(resources, (node) => this.alternatives(node));
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
        if ('allOf' in schema) all.push(...listOf(this.resources, first, 'allOf'));
        const next = { bags: [...bags, { at: first, schema, within: first.within }], seen: added };
        const inside = new Set(first.within).add(path);
        let choices = this.dependents(first, schema);
        for (const keyword of ['anyOf', 'oneOf'] as const) {
          if (!(keyword in schema)) continue;
          const branches = listOf(this.resources, first, keyword);
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
      ...(types.has('number') ? { number: this.kinds.number(bags, isInteger) } : {}),
      ...(types.has('string') ? { string: this.kinds.text(bags) } : {}),
      ...(types.has('array') ? { array: this.kinds.array(bags) } : {}),
      ...(types.has('object') ? { object: this.kinds.object(bags) } : {}),
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

/** Equal values have equal texts, regardless of the order of their properties. */
function sorted(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function distinct(values: readonly Json[]): readonly Json[] {
  return [...new Map(values.map((value) => [sorted(value), value])).values()];
}
