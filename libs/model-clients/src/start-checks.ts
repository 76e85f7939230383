/** What no problem can help is found before the first one comes: by a problem that says next to nothing. */
import type { EnvironmentKind } from '@seamstream/environments';
import { type EntrySchemas, type Prompts, withoutQuoteRules } from '@seamstream/experience';
import { messageOf, SeamError } from '@seamstream/kernel';
import { encodePrompt, type GeneratorModel } from '@seamstream/rollout';

/** As short as a problem can be. */
const SHORTEST = '?';

/**
 * Shows that a generator can write an entry under every schema: the prompt can be rendered, leaves room for the entry, and the
 * vocabulary can spell the schema within its tokens.
 * @throws INVALID_CONFIGURATION
 */
export async function assertGenerates(
  model: GeneratorModel,
  prompts: Prompts,
  schemaFor: EntrySchemas,
  maxTokens: number,
): Promise<void> {
  const starting = 'start the generator';
  assertRoom(model, () => [prompts.generator(SHORTEST)], maxTokens, {
    starting,
    setting: 'SEAM_GENERATOR_SAMPLING_MAX_TOKENS',
  });
  try {
    await model.assertWrites?.((schemaFor.expected ?? []).map(withoutQuoteRules), maxTokens);
  } catch (cause) {
    throw refused(`${starting}: this model cannot write entries under the configured schemas`, cause);
  }
}

/**
 * Shows that an environment's prompts can be rendered and leave room for a response.
 * @throws INVALID_CONFIGURATION
 */
export function assertAnswers(
  model: Pick<GeneratorModel, 'tokenizer' | 'config'>,
  kind: Pick<EnvironmentKind, 'shortestPrompts'>,
  prompts: Prompts,
  maxTokens: number,
): void {
  const place = { starting: 'open the executor', setting: 'SEAM_EXECUTOR_MAX_TOKENS' };
  assertRoom(model, () => kind.shortestPrompts(prompts), maxTokens, place);
}

function assertRoom(
  model: Pick<GeneratorModel, 'tokenizer' | 'config'>,
  prompts: () => readonly string[],
  maxTokens: number,
  { starting, setting }: { readonly starting: string; readonly setting: string },
): void {
  let length: number;
  try {
    length = Math.max(...prompts().map((prompt) => encodePrompt(model, prompt).length));
  } catch (cause) {
    throw refused(`${starting}: expected a prompt that can be rendered, the template fails`, cause);
  }
  if (length + maxTokens <= model.config.maxPositions) return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${starting}: expected a model that holds the shortest prompt and what follows it, ${length} and ${maxTokens} tokens, this one holds ${model.config.maxPositions}. Lower ${setting}.`,
  );
}

function refused(what: string, cause: unknown): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${what}: ${messageOf(cause)} Nothing was consumed; no problem would have fared better.`,
    { cause },
  );
}
