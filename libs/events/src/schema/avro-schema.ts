/**
 * Avro schemas as plain JSON, and what the Avro specification (1.12) defines on them: full names, the parsing canonical
 * form and its CRC-64-AVRO fingerprint, which names a schema on the wire.
 */

/** A schema of which nothing but "it is JSON of the right outline" is known. Attributes beyond the specification are kept. */
export type AvroSchema = string | readonly AvroSchema[] | AvroDefinition;

export interface AvroDefinition {
  readonly type: AvroSchema;
  readonly name?: string;
  readonly namespace?: string;
  readonly doc?: string;
  readonly aliases?: readonly string[];
  readonly fields?: readonly AvroField[];
  readonly symbols?: readonly string[];
  readonly items?: AvroSchema;
  readonly values?: AvroSchema;
  readonly size?: number;
  readonly logicalType?: string;
  readonly default?: unknown;
  /** Ours: the floating-point numbers of this map or array may be NaN or infinite. */
  readonly nonFinite?: boolean;
}

export interface AvroField {
  readonly name: string;
  readonly type: AvroSchema;
  readonly doc?: string;
  readonly aliases?: readonly string[];
  readonly default?: unknown;
  /** Ours: code that makes the event may leave the field out, and the default is written. */
  readonly optional?: boolean;
}

const PRIMITIVES = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);

export function isPrimitive(name: string): boolean {
  return PRIMITIVES.has(name);
}

export function isUnion(schema: AvroSchema): schema is readonly AvroSchema[] {
  return Array.isArray(schema);
}

/** The full name of `name` as used within `namespace` (specification, "Names"). */
export function fullName(name: string, namespace: string | undefined): string {
  return name.includes('.') || namespace === undefined || namespace === '' ? name : `${namespace}.${name}`;
}

function namespaceOf(full: string): string {
  return full.slice(0, Math.max(0, full.lastIndexOf('.')));
}

/**
 * The parsing canonical form (specification, "Transforming into Parsing Canonical Form"): simple primitives, full
 * names, no attribute but name, type, fields, symbols, items, values and size in that order, no white space. Two schemas with
 * the same form read and write the same bytes.
 */
export function canonicalForm(schema: AvroSchema): string {
  return JSON.stringify(canonical(schema, undefined));
}

function canonical(schema: AvroSchema, namespace: string | undefined): unknown {
  if (typeof schema === 'string') return isPrimitive(schema) ? schema : fullName(schema, namespace);
  if (isUnion(schema)) return schema.map((branch) => canonical(branch, namespace));
  if (typeof schema.type !== 'string' || isPrimitive(schema.type)) return canonical(schema.type, namespace);
  const name = schema.name === undefined ? undefined : fullName(schema.name, schema.namespace ?? namespace);
  const inner = name === undefined ? namespace : namespaceOf(name);
  // JSON.stringify keeps this order and leaves out what is undefined.
  return {
    name,
    type: schema.type,
    fields: schema.fields?.map((field) => ({ name: field.name, type: canonical(field.type, inner) })),
    symbols: schema.symbols,
    items: schema.items === undefined ? undefined : canonical(schema.items, inner),
    values: schema.values === undefined ? undefined : canonical(schema.values, inner),
    size: schema.size,
  };
}

/** The polynomial, which is also the fingerprint of nothing (specification, "Schema Fingerprints"). */
const EMPTY = 0xc15d213aa4d7a795n;

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) value = (value >> 1n) ^ (value & 1n ? EMPTY : 0n);
  return value;
});

/** CRC-64-AVRO (a 64-bit Rabin fingerprint) of bytes, as an unsigned integer. */
export function crc64Avro(bytes: Uint8Array): bigint {
  let fingerprint = EMPTY;
  for (const byte of bytes) {
    fingerprint = (fingerprint >> 8n) ^ (CRC_TABLE[Number((fingerprint ^ BigInt(byte)) & 0xffn)] ?? 0n);
  }
  return fingerprint;
}

/**
 * The fingerprint of a schema as 16 hexadecimal digits in the order of the bytes on the wire (little-endian), as in the
 * header `C3 01` + 8 bytes of the single-object encoding.
 */
export function fingerprintOf(schema: AvroSchema): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(crc64Avro(Buffer.from(canonicalForm(schema))));
  return bytes.toString('hex');
}

/**
 * The schema made self-contained: every named type of `shared` (by full name) that it refers to stands at its first use,
 * later uses stay names. Throws a RangeError for a name without a definition.
 */
export function inlineNames(schema: AvroSchema, shared: ReadonlyMap<string, AvroDefinition>): AvroDefinition {
  const defined = new Set<string>();
  const walk = (inner: AvroSchema, namespace: string | undefined): AvroSchema => {
    if (typeof inner === 'string') {
      if (isPrimitive(inner)) return inner;
      const name = fullName(inner, namespace);
      if (defined.has(name)) return inner;
      const definition = shared.get(name);
      if (definition === undefined)
        throw new RangeError(`the schema refers to ${name}, which no file in schemas/common defines`);
      return walk(definition, undefined);
    }
    if (isUnion(inner)) return inner.map((branch) => walk(branch, namespace));
    const name = inner.name === undefined ? undefined : fullName(inner.name, inner.namespace ?? namespace);
    if (name !== undefined) defined.add(name);
    const scope = name === undefined ? namespace : namespaceOf(name);
    return {
      ...inner,
      ...(inner.fields === undefined
        ? {}
        : { fields: inner.fields.map((field) => ({ ...field, type: walk(field.type, scope) })) }),
      ...(inner.items === undefined ? {} : { items: walk(inner.items, scope) }),
      ...(inner.values === undefined ? {} : { values: walk(inner.values, scope) }),
    };
  };
  return walk(schema, undefined) as AvroDefinition;
}
