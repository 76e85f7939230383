/** A file that says what differs from a plan. */
import { onOneLine, SeamError } from '@seamstream/kernel';

/** @throws INVALID_INPUT for what is no JSON object */
export function changesIn(file: string, body: Uint8Array): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read ${onOneLine(file)}: expected a JSON object, got something else. Compare it with what --show prints.`,
  );
}
