/** What the log says of an entry next to an answer: whether it is true to its problem, and whether it may earn a reward at all. */

import { schemaDigest } from './entry.schema.js';
import type { EntrySchemas } from './entry-schemas.js';
import { hasQuotes, misquoteIn } from './faithful.js';
import { earnsReward } from './memory-item.js';

export interface EntryWorth {
  /** Null where nothing is to be quoted. */
  readonly faithful: boolean | null;
  /** The first quote that the problem does not hold, in words. */
  readonly misquote: string | undefined;
  /** False: reward is verdict × validity. An entry under a schema that is not known here is left to the buffer to judge. */
  readonly isValid: boolean;
}

/**
 * One that says of its problem what does not stand there earns nothing, however right the answer: at any smaller price the policy would buy
 * successes with misquotes.
 * @param entrySchema digest of the schema that it was written under
 */
export function entryWorth(
  { entry, entrySchema }: { readonly entry: string; readonly entrySchema: string },
  { domain, prompt }: { readonly domain: string; readonly prompt: string },
  schemaFor: EntrySchemas,
): EntryWorth {
  const schema = schemaFor(domain);
  if (schemaDigest(schema) !== entrySchema) return { faithful: null, misquote: undefined, isValid: true };
  const isValid = earnsReward(entry, schema);
  if (!hasQuotes(schema)) return { faithful: null, misquote: undefined, isValid };
  const misquote = misquoteIn(entry, schema, prompt);
  return { faithful: misquote === undefined, misquote: misquote?.fault, isValid };
}
