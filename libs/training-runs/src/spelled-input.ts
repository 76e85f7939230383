/**
 * An auditor reads the entry, training learns its tokens: both must be the same. Tokens that do not spell their entry are not learned
 * from, regardless of their writer.
 */
import { canonicalJson } from '@seamstream/kernel';
import type { LearningInput } from '@seamstream/learning';

/**
 * The input without entries that their tokens do not spell, and without the results of these.
 * @param decode the text of tokens, as the generator's tokenizer has it
 * @returns with the ids of the experiences that were left out
 */
export function spelledInput(
  input: LearningInput,
  decode: (tokenIds: readonly number[]) => string,
): { readonly input: LearningInput; readonly misspelled: ReadonlySet<string> } {
  if (input.reads === 'problems' || input.reads === 'preferences') return { input, misspelled: new Set() };
  const written = input.reads === 'log' ? input.experiences : input.rows;
  const misspelled = new Set(
    written.filter(({ tokenIds, entry }) => !spells(decode(tokenIds), entry)).map(({ experienceId }) => experienceId),
  );
  const isSound = ({ experienceId }: { readonly experienceId: string }): boolean => !misspelled.has(experienceId);
  if (misspelled.size === 0) return { input, misspelled };
  return input.reads === 'log'
    ? {
        input: { ...input, experiences: input.experiences.filter(isSound), results: input.results.filter(isSound) },
        misspelled,
      }
    : { input: { ...input, rows: input.rows.filter(isSound) }, misspelled };
}

/** Entries are JSON: white space between its parts is not content. */
function spells(text: string, entry: string): boolean {
  if (text === entry) return true;
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(JSON.parse(entry));
  } catch {
    return false;
  }
}
