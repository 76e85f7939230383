import { hash, randomUUID } from 'node:crypto';

/** A namespace of names: the 16 bytes of its UUID, and room for a name behind them, so that both are hashed in one call. */
class Namespace {
  private readonly bytes: Buffer;

  constructor(uuid: string, roomBytes = 0) {
    this.bytes = Buffer.alloc(16 + roomBytes);
    this.bytes.write(uuid.replaceAll('-', ''), 'hex');
  }

  /** UUIDv5 (RFC 9562 section 5.5) of a name. */
  idOf(name: string): string {
    // A UTF-16 code unit takes at most three bytes of UTF-8.
    if (16 + 3 * name.length > this.bytes.length) {
      return uuidOf(Buffer.concat([this.bytes.subarray(0, 16), Buffer.from(name)]));
    }
    const end = 16 + this.bytes.write(name, 16);
    return uuidOf(new Uint8Array(this.bytes.buffer, this.bytes.byteOffset, end));
  }
}

/** The first 128 bits of the SHA-1, with version 5 and the variant of RFC 9562 set. */
function uuidOf(bytes: Uint8Array): string {
  const hex = hash('sha1', bytes, 'hex');
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
/** Namespace of all ids that Seamstream derives: UUIDv5 of the DNS namespace and `seamstream.events`. */
const NAMESPACE = new Namespace(new Namespace(DNS_NAMESPACE).idOf('seamstream.events'), 1024);

/** Id of something new in the world (a published problem without an id of its own). */
export function newId(): string {
  return randomUUID();
}

/**
 * Id of an event that follows from another: UUIDv5 (RFC 9562 section 5.5) of cause, role and ordinal. A redelivered
 * cause therefore yields the same id, which is what makes consumers idempotent.
 */
export function derivedId(causationId: string, role: string, index = 0): string {
  return NAMESPACE.idOf(`${causationId}/${role}/${index}`);
}
