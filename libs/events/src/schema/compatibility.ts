/** Whether what was once written can still be read (BACKWARD_TRANSITIVE: by the newest schema, of every released one). */
import type { SchemaSet } from './typescript-source.js';

export function incompatibilities(_set: SchemaSet): readonly string[] {
  return [];
}
