import { sha256 } from '@seamstream/kernel';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DIGITS = 16;

/**
 * An id as a span may hold it: a UUID as it is, another text as the first 16 digits of its SHA-256. Publishers choose ids of problems, so
 * an id may hold any text.
 */
export function idAttribute(id: string): string {
  return UUID.test(id) ? id : `sha256:${sha256(id).slice(0, DIGITS)}`;
}
