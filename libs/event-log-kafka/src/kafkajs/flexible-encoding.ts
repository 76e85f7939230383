/**
 * The newer ("flexible", KIP-482) form of Kafka's requests, for the few that kafkajs does not have: lengths are unsigned
 * varints, one more than the length, and everything ends with tagged fields, of which we send none and skip all. The
 * header has tagged fields, too; kafkajs writes and reads it in its older form, so they are the first byte here.
 */
import { type Cluster, Encoder } from './kafkajs-internals.js';

export class FlexibleWriter {
  private readonly encoder = new Encoder().writeInt8(0);

  text(value: string): this {
    const bytes = Buffer.from(value);
    this.encoder.writeUVarInt(bytes.length + 1).writeBuffer(bytes);
    return this;
  }

  int8(value: number): this {
    this.encoder.writeInt8(value);
    return this;
  }

  int32(value: number): this {
    this.encoder.writeInt32(value);
    return this;
  }

  boolean(value: boolean): this {
    this.encoder.writeBoolean(value);
    return this;
  }

  list<T>(items: readonly T[], write: (item: T) => void): this {
    this.encoder.writeUVarInt(items.length + 1);
    for (const item of items) write(item);
    return this;
  }

  endOfFields(): this {
    this.encoder.writeInt8(0);
    return this;
  }

  done(): unknown {
    return this.encoder;
  }
}

export class FlexibleReader {
  private at = 0;

  constructor(private readonly payload: Buffer) {
    this.endOfFields();
  }

  int8(): number {
    return this.payload.readInt8(this.at++);
  }

  int16(): number {
    return this.payload.readInt16BE((this.at += 2) - 2);
  }

  int32(): number {
    return this.payload.readInt32BE((this.at += 4) - 4);
  }

  int64(): number {
    return Number(this.payload.readBigInt64BE((this.at += 8) - 8));
  }

  text(): string {
    const length = Math.max(0, this.uvarint() - 1);
    this.at += length;
    return this.payload.toString('utf8', this.at - length, this.at);
  }

  list<T>(read: () => T): T[] {
    const length = Math.max(0, this.uvarint() - 1);
    return Array.from({ length }, read);
  }

  endOfFields(): void {
    for (let left = this.uvarint(); left > 0; left--) {
      this.uvarint();
      const length = this.uvarint();
      this.at += length;
    }
  }

  private uvarint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.payload[this.at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}

/** Sends a request of a version that kafkajs does not know. */
export async function exchange<T>(
  broker: Cluster.Broker,
  api: { readonly key: number; readonly version: number; readonly name: string },
  write: (writer: FlexibleWriter) => FlexibleWriter,
  read: (reader: FlexibleReader) => T,
): Promise<T> {
  return broker.connectionPool.send<T>({
    request: {
      apiKey: api.key,
      apiVersion: api.version,
      apiName: api.name,
      encode: async () => write(new FlexibleWriter()).done(),
    },
    response: { decode: async (payload) => read(new FlexibleReader(payload)), parse: async (decoded) => decoded },
  });
}
