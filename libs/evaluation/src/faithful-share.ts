/** How many entries say of their problems what stands there; see faithful.ts of the experience library. */
import type { Problem } from '@seamstream/events';
import { isFaithful } from '@seamstream/experience';
import type { JsonSchema } from '@seamstream/token-grammar';
import type { Entry } from './arm-entries.js';

export interface FaithfulShare {
  /** Entries whose schema says what they quote. */
  readonly quoting: number;
  /** Of these, those whose every quote is in their problem. */
  readonly faithful: number;
}

/** Of entries written for these problems, in their order; null where none was to quote. */
export function faithfulShare(
  problems: readonly Pick<Problem, 'domain' | 'prompt'>[],
  entries: readonly Entry[],
  schemaFor: (domain: string) => JsonSchema,
): FaithfulShare | null {
  const judged = problems.flatMap(({ domain, prompt }, at) => {
    const entry = entries[at];
    const verdict = typeof entry === 'string' ? isFaithful(entry, schemaFor(domain), prompt) : null;
    return verdict === null ? [] : [verdict];
  });
  return judged.length === 0 ? null : { quoting: judged.length, faithful: judged.filter(Boolean).length };
}
