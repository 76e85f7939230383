/**
 * Which schema id of the registry stands for which fingerprint. The bytes of a record tell the two framings apart:
 *
 *   Confluent's framing      00    | schema id, 4 bytes, big-endian      | the event in Avro binary
 *   single-object encoding   C3 01 | fingerprint, 8 bytes, little-endian | the event in Avro binary
 *
 * so a translation is another header before the same body. The events' schemas are registered and all versions of their
 * subjects asked for at start; an id that turns up later is asked for once. Framing never asks.
 */
import type { EventSchema } from '@seamstream/events';
import { type Clock, isSeamError } from '@seamstream/kernel';
import type { SchemaRegistry } from './schema-registry.js';

const CONFLUENT_HEADER_BYTES = 5;
const SINGLE_OBJECT_HEADER_BYTES = 10;
/** How long an id that the registry does not have is not asked for again: records with such ids may come in thousands. */
const UNKNOWN_FOR_MS = 30_000;
/** Such ids are forgotten when there are more. */
const MAX_UNKNOWN_IDS = 10_000;
/** Questions side by side. */
const MAX_QUESTIONS = 16;

/** TopicRecordNameStrategy: a topic may hold several events, and an event's schema develops by itself. */
export function subjectOf(topic: string, fullName: string): string {
  return `${topic}-${fullName}`;
}

export interface KnownSchemasOptions {
  readonly registry: SchemaRegistry;
  /** Registers a schema with the codec (JSON text) and returns its fingerprint, 16 hexadecimal digits. INVALID_INPUT for no Avro. */
  readonly learn: (schema: string) => string;
  readonly clock: Clock;
}

export class KnownSchemas {
  /** By the lower half of the fingerprint; more than one where strangers' schemas share it. */
  private readonly confluentHeaders = new Map<number, { readonly high: number; readonly header: Buffer }[]>();
  private readonly singleObjectHeaders = new Map<number, Buffer>();
  /** Ids that the registry has no Avro schema for, and until when that is believed. */
  private readonly unknownUntilMs = new Map<number, number>();
  private readonly asked = new Map<number, Promise<void>>();

  private constructor(private readonly options: KnownSchemasOptions) {}

  /**
   * Registers the schemas under {@link subjectOf} and learns all versions of their subjects. Throws INCOMPATIBLE_SCHEMA when
   * the registry refuses one, SCHEMA_REGISTRY_UNAVAILABLE.
   */
  static async register(schemas: readonly EventSchema[], options: KnownSchemasOptions): Promise<KnownSchemas> {
    const known = new KnownSchemas(options);
    const { registry } = options;
    await inTurns(schemas, async ({ topic, fullName, fingerprint, schema }) => {
      const subject = subjectOf(topic, fullName);
      known.add(await registry.register(subject, schema), fingerprint);
      for (const version of await registry.versions(subject)) known.learn(version.id, version.schema);
    });
    return known;
  }

  /** The value in Confluent's framing when it is single-object encoded with a schema of the registry, else as it is. */
  framed(value: Uint8Array): Uint8Array {
    if (value.length < SINGLE_OBJECT_HEADER_BYTES || value[0] !== 0xc3 || value[1] !== 0x01) return value;
    const bytes = asBuffer(value);
    const header = this.confluentHeaderOf(bytes);
    return header === undefined ? value : reheaded(header, bytes, SINGLE_OBJECT_HEADER_BYTES);
  }

  /** The value single-object encoded when it is in Confluent's framing with a known id, else as it is. */
  unframed(value: Uint8Array): Uint8Array {
    const id = schemaIdOf(value);
    const header = id === undefined ? undefined : this.singleObjectHeaders.get(id);
    return header === undefined ? value : reheaded(header, asBuffer(value), CONFLUENT_HEADER_BYTES);
  }

  /** Whether {@link unframed} has its final answer for this value: no id, a known one, or one that the registry has not. */
  isSettled(value: Uint8Array): boolean {
    const id = schemaIdOf(value);
    if (id === undefined || this.singleObjectHeaders.has(id)) return true;
    return (this.unknownUntilMs.get(id) ?? Number.NEGATIVE_INFINITY) > this.options.clock.now();
  }

  /** Asks for the ids in these values that are not settled. Throws SCHEMA_REGISTRY_UNAVAILABLE after having asked for all. */
  async settle(values: readonly (Uint8Array | null)[]): Promise<void> {
    const open = new Set<number>();
    for (const value of values) if (value !== null && !this.isSettled(value)) open.add(schemaIdOf(value)!);
    if (open.size === 0) return;
    const failures: unknown[] = [];
    await inTurns([...open], async (id) => this.ask(id).catch((error: unknown) => failures.push(error)));
    if (failures.length > 0) throw failures[0];
  }

  /** Several partitions may meet an id at the same moment: it is asked for once. */
  private ask(id: number): Promise<void> {
    const before = this.asked.get(id);
    if (before !== undefined) return before;
    const question = (async () => {
      const schema = await this.options.registry.schemaOf(id);
      if (schema !== undefined && this.learn(id, schema)) return;
      if (this.unknownUntilMs.size >= MAX_UNKNOWN_IDS) this.unknownUntilMs.clear();
      this.unknownUntilMs.set(id, this.options.clock.now() + UNKNOWN_FOR_MS);
    })().finally(() => this.asked.delete(id));
    this.asked.set(id, question);
    return question;
  }

  /** Whether the text is an Avro schema. Whether an event can be read from it is for the codec to say. */
  private learn(id: number, schema: string): boolean {
    try {
      this.add(id, this.options.learn(schema));
      return true;
    } catch (error) {
      if (isSeamError(error, 'INVALID_INPUT')) return false;
      throw error;
    }
  }

  private add(id: number, fingerprint: string): void {
    const singleObject = Buffer.from(`c301${fingerprint}`, 'hex');
    this.singleObjectHeaders.set(id, singleObject);
    if (this.confluentHeaderOf(singleObject) !== undefined) return; // texts that differ in remarks only: ours came first
    const header = Buffer.alloc(CONFLUENT_HEADER_BYTES);
    header.writeUInt32BE(id, 1);
    const low = singleObject.readUInt32LE(2);
    const alike = this.confluentHeaders.get(low) ?? [];
    this.confluentHeaders.set(low, [...alike, { high: singleObject.readUInt32LE(6), header }]);
  }

  private confluentHeaderOf(singleObject: Buffer): Buffer | undefined {
    const alike = this.confluentHeaders.get(singleObject.readUInt32LE(2));
    if (alike === undefined) return undefined;
    const high = singleObject.readUInt32LE(6);
    return alike.find((each) => each.high === high)?.header;
  }
}

/** The id in Confluent's framing. */
function schemaIdOf(value: Uint8Array): number | undefined {
  if (value.length < CONFLUENT_HEADER_BYTES || value[0] !== 0) return undefined;
  return asBuffer(value).readUInt32BE(1);
}

/** The same bytes, not copied. */
function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function reheaded(header: Buffer, value: Buffer, from: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(header.length + value.length - from);
  header.copy(bytes);
  value.copy(bytes, header.length, from);
  return bytes;
}

/** Does the work for each item, at most {@link MAX_QUESTIONS} at a time. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items].values();
  await Promise.all(
    Array.from({ length: Math.min(MAX_QUESTIONS, items.length) }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}
