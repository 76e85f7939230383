/** What whoever brings questions of their own is told before the demonstration's models are asked. */
import { SHIPPED_MODELS, unknownWords } from '@seamstream/embedded-world';
import { onOneLine } from '@seamstream/kernel';
import type { Models } from '../command-runtime.js';
import type { Terminal } from '../terminal/terminal.js';
import { plural } from '../terminal/text.js';

/** Enough to see what kind of words they are. */
const WORDS_SHOWN = 4;

/**
 * A remark where the shipped models are asked with words that they were never shown, and what to set; null where all words are known, or
 * other models are configured.
 */
function unknownWordsRemark(
  { generator, executor }: Pick<Models, 'generator' | 'executor'>,
  questions: readonly { readonly prompt: string }[],
): string | null {
  const isShipped = {
    generator: generator.digest === SHIPPED_MODELS.generator,
    executor: executor.identity.revision === SHIPPED_MODELS.executor,
  };
  if (!isShipped.generator && !isShipped.executor) return null;
  const unknown = questions.map(({ prompt }) => unknownWords(prompt)).filter((words) => words.length > 0);
  if (unknown.length === 0) return null;
  const who = isShipped.generator
    ? isShipped.executor
      ? 'The shipped models know'
      : 'The shipped generator knows'
    : 'The shipped executor knows';
  const words = new Set(unknown.flat());
  const shown = [...words].slice(0, WORDS_SHOWN).map((word) => JSON.stringify(onOneLine(word)));
  const settings = [
    ...(isShipped.generator ? ['SEAM_GENERATOR_MODEL_FOLDER'] : []),
    ...(isShipped.executor
      ? ['SEAM_EXECUTOR_MODEL_FOLDER (or SEAM_EXECUTOR_DRIVER=endpoint with its URL and model)']
      : []),
  ];
  return `${who} only the demonstration's words: ${unknown.length} of ${plural(questions.length, 'question')} hold${unknown.length === 1 ? 's' : ''} others (${shown.join(', ')}${words.size > shown.length ? ', …' : ''}), and next to nothing of that will be solved. Set ${settings.join(' and ')}: README, "With real models".`;
}

export function tellUnknownWords(
  terminal: Terminal,
  models: Pick<Models, 'generator' | 'executor'>,
  questions: readonly { readonly prompt: string }[],
): void {
  const remark = unknownWordsRemark(models, questions);
  if (remark !== null) terminal.remark(terminal.style.yellow(remark));
}
