/**
 * What generator and executor read. All executor prompts ask for the same thing in the same form; they differ in the one slot
 * that holds an entry. Whatever comes from outside is made plain before it stands in a prompt: characters that a
 * reader cannot see are removed and the spelling of special tokens is broken, so that a problem or an entry stays data.
 */

import { judgedText } from './answer-form.js';
import { checkEntryLength } from './entry.js';
import { loadExecutorTemplate, PLAIN, TEMPLATES, templateFolders } from './executor-template.js';
import { memoryItemBlock } from './memory-item.js';
import { breakerOf } from './own-tokens.js';
import { asData } from './plain-data.js';
import { PromptTemplate } from './prompt-template.js';
import { headingsIn, onOneLine, withoutAddresses, withoutHeadings } from './slot.js';

/** Of a reader whose vocabulary is not known. */
const NONE: readonly string[] = [];

export interface Prompts {
  /** Name and digest of the executor's templates together: part of the executor's identity. */
  readonly executorTemplate: string;
  /** System message of the executor's template; null where it has none. */
  readonly executorSystem: string | null;
  readonly generatorTemplate: string;
  /** A hint that fits every problem and helps with none: a control. */
  readonly fixedHint: string;
  /**
   * The generator continues this text with an entry.
   * @param controlTokens here and below: of the reader's own vocabulary, broken in what comes from outside beside those of the known
   * families; none where the reader's vocabulary is not known
   */
  generator(problem: string, controlTokens?: readonly string[]): string;
  /** With an entry; with null, the same question without the slot. @throws ENTRY_INVALID for an entry that is too long for any */
  executor(problem: string, entry: string | null, controlTokens?: readonly string[]): string;
  /** The slot, empty: a control that tells the wrapper's effect from the entry's. */
  wrapperOnly(problem: string, controlTokens?: readonly string[]): string;
  /** What verifiers are given of the executor's response: the part that the template asked to hold the answer. */
  judged(response: string): string;
}

/** Asks for an entry in place of this library's own template. */
export interface EntryWriter {
  /** Name and digest: part of what experiences record. */
  readonly identity: string;
  /** What is asked about a problem; undefined for a problem of which it cannot be asked. */
  prompt(problem: string): string | undefined;
}

export interface PromptSettings {
  /** Name of the executor's template: `plain` (the default), `qwen`, `deepseek`, or one of `ownTemplates`. */
  readonly template?: string | undefined;
  /** A folder with own templates of executors, one subfolder each; they go before those of this library. */
  readonly ownTemplates?: string | undefined;
  /** Of entries that this library's template does not ask for. */
  readonly writer?: EntryWriter | undefined;
}

/** Reads the templates. @throws INVALID_CONFIGURATION naming what is there, or what is wrong with a file */
export async function loadPrompts({ template = PLAIN, ownTemplates, writer }: PromptSettings = {}): Promise<Prompts> {
  const [generator, hint, executor] = await Promise.all([
    PromptTemplate.load(new URL('generator.txt', TEMPLATES), ['problem']),
    PromptTemplate.load(new URL('fixed-hint.txt', TEMPLATES), []),
    loadExecutorTemplate(template, templateFolders(ownTemplates)),
  ]);
  const { withEntry, without, wrapperOnly } = executor;
  const headings = headingsIn([generator.text]);
  const data = (text: string, controlTokens = NONE): string => breakerOf(controlTokens)(executor.data(text));
  return {
    executorTemplate: executor.identity,
    executorSystem: executor.system,
    generatorTemplate: writer?.identity ?? `generator@${generator.digest}`,
    fixedHint: hint.text,
    generator: (problem, controlTokens = NONE) => {
      const broken = breakerOf(controlTokens);
      const asked = writer?.prompt(problem);
      if (asked !== undefined) return broken(asked);
      return generator.render({ problem: broken(withoutHeadings(asData(problem), headings)) });
    },
    executor: (problem, entry, controlTokens) => {
      const asked = data(problem, controlTokens);
      if (entry === null) return without.render({ problem: asked });
      checkEntryLength(entry);
      const slot = data(onOneLine(withoutAddresses(asData(memoryItemBlock(entry) ?? entry))), controlTokens);
      return withEntry.render({ problem: asked, entry: slot });
    },
    wrapperOnly: (problem, controlTokens) => wrapperOnly.render({ problem: data(problem, controlTokens) }),
    judged: (response) => judgedText(executor.answer, response),
  };
}
