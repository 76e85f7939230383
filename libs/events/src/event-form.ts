/** One event's schemas as readers and writers: the current one, and each version that records may have been written in. */
import type avro from 'avsc';
import { EventLayout } from './encoded-fields.js';
import type { SeamEvent } from './generated/events.generated.js';
import type { NamedSchema } from './generated/schemas.generated.js';
import { type AvroDefinition, type AvroSchema, fullName, isUnion } from './schema/avro-schema.js';
import { asBuffer, strictType } from './strict-types.js';

/** Marker and fingerprint. */
export const HEADER_BYTES = 10;

/** One event type's reader and writer, made on first use: most processes see few of them. */
export class EventForm {
  readonly header: Buffer;
  /** Fields of bytes: avsc takes nothing but a Buffer there. */
  private readonly bytesFields: readonly string[];
  private readonly schema: AvroDefinition;
  private made: avro.Type | undefined;
  private madeLayout: EventLayout | undefined;

  constructor(
    readonly name: string,
    readonly topic: string,
    { fingerprint, schema }: NamedSchema,
  ) {
    this.header = Buffer.from(`c301${fingerprint}`, 'hex');
    this.schema = JSON.parse(schema) as AvroDefinition;
    this.bytesFields = (this.schema.fields ?? [])
      .filter(({ type }) => type === 'bytes' || (isUnion(type) && type.includes('bytes')))
      .map((field) => field.name);
  }

  get fullName(): string {
    return fullName(this.schema.name ?? '', this.schema.namespace);
  }

  get type(): avro.Type {
    this.made ??= strictType(this.schema);
    return this.made;
  }

  get layout(): EventLayout {
    this.madeLayout ??= new EventLayout(this.type, this.header);
    return this.madeLayout;
  }

  /** The event as avsc takes it. */
  prepared(event: SeamEvent): SeamEvent {
    if (this.bytesFields.length === 0) return event;
    const copy: Record<string, unknown> = { ...event };
    for (const field of this.bytesFields) {
      const bytes = copy[field];
      if (bytes instanceof Uint8Array) copy[field] = asBuffer(bytes);
    }
    return copy as unknown as SeamEvent;
  }
}

/** A version that records may have been written in. `resolver` leads from it to the current one. */
export class WriterVersion {
  readonly high: number;
  readonly low: number;
  private resolver: ReturnType<avro.Type['createResolver']> | undefined;

  constructor(
    readonly form: EventForm,
    fingerprint: string,
    private readonly writerSchema: string | undefined,
  ) {
    const bytes = Buffer.from(fingerprint, 'hex');
    this.low = bytes.readUInt32LE(0);
    this.high = bytes.readUInt32LE(4);
  }

  /** Finds the way from this version to the current one. Throws avsc's own error when there is none. */
  prepare(): void {
    if (this.writerSchema !== undefined) {
      this.resolver ??= this.form.type.createResolver(strictType(JSON.parse(this.writerSchema) as AvroSchema));
    }
  }

  read(bytes: Buffer): { value: unknown; offset: number } {
    this.prepare();
    return this.form.type.decode(bytes, HEADER_BYTES, this.resolver);
  }
}
