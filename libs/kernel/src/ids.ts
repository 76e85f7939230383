import { createHash, randomUUID } from 'node:crypto';

/** Namespace of all ids that Seamstream derives: UUIDv5 of the DNS namespace and `seamstream.events`. */
const NAMESPACE = uuidFromHash('6ba7b8109dad11d180b400c04fd430c8', 'seamstream.events');

function uuidFromHash(namespaceHex: string, name: string): string {
  const hash = createHash('sha1').update(Buffer.from(namespaceHex, 'hex')).update(name).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50; // version 5
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80; // RFC 9562 variant
  const hex = hash.subarray(0, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Id of something new in the world (a published problem without an id of its own). */
export function newId(): string {
  return randomUUID();
}

/**
 * Id of an event that follows from another: UUIDv5 (RFC 9562 section 5.5) of cause, role and ordinal. A redelivered
 * cause therefore yields the same id, which is what makes consumers idempotent.
 */
export function derivedId(causationId: string, role: string, index = 0): string {
  return uuidFromHash(NAMESPACE.replaceAll('-', ''), `${causationId}/${role}/${index}`);
}
