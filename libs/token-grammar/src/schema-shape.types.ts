/** Plain shapes: what values of a kind may be. */
import type { Language } from './pattern.js';
import type { Located } from './schema-resources.js';

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

/** A subschema without references and combinators. */
export interface Bag {
  readonly at: Located;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Places of the subschemas that it is applied by, to the same value. */
  readonly within: ReadonlySet<string>;
}
