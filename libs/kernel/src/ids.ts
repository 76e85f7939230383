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

const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** 8-4-4-4-12 digits; the hyphens stay where they are. */
const uuidText = Buffer.from('00000000-0000-0000-0000-000000000000');
/** Of each of the 16 bytes: where its digits stand. */
const DIGITS_AT = Array.from(
  { length: 16 },
  (_, i) => 2 * i + (i >= 4 ? 1 : 0) + (i >= 6 ? 1 : 0) + (i >= 8 ? 1 : 0) + (i >= 10 ? 1 : 0),
);

/**
 * The first 128 bits of the SHA-1, with version 5 and the variant of RFC 9562 set. Written digit by digit: there are three ids
 * to an event, and put together from slices of text they were the largest part of the pipeline's garbage.
 */
function uuidOf(bytes: Uint8Array): string {
  const digest = hash('sha1', bytes, 'binary'); // Latin-1: a character per byte
  for (let i = 0; i < 16; i++) {
    let byte = digest.charCodeAt(i);
    if (i === 6) byte = (byte & 0x0f) | 0x50;
    else if (i === 8) byte = (byte & 0x3f) | 0x80;
    const at = DIGITS_AT[i]!;
    uuidText[at] = HEX_DIGITS[byte >> 4]!;
    uuidText[at + 1] = HEX_DIGITS[byte & 0x0f]!;
  }
  return uuidText.toString('latin1');
}

const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
/** Namespace of all ids that Seamstream derives: UUIDv5 of the DNS namespace and `seamstream.events`. */
const NAMESPACE = new Namespace(new Namespace(DNS_NAMESPACE).idOf('seamstream.events'), 1024);

/** Id of something new in the world (a published problem that brings no id). */
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
