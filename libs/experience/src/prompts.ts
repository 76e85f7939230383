/**
 * What generator and executor read. All executor prompts ask for the same thing in the same form; they differ in the one slot
 * that holds an entry. Whatever comes from outside is made plain before it stands in a prompt: characters that a
 * reader cannot see are removed and the spelling of special tokens is broken, so that a problem or an entry stays data.
 */

import { sha256 } from '@seamstream/kernel';
import { isPlainCodePoint } from '@seamstream/language-model';
import { memoryItemBlock } from './memory-item.js';
import { PromptTemplate } from './prompt-template.js';

export interface Prompts {
  /** Name and digest of the executor's templates together: part of the executor's identity. */
  readonly executorTemplate: string;
  readonly generatorTemplate: string;
  /** A hint that fits every problem and helps with none: a control. */
  readonly fixedHint: string;
  /** The generator continues this text with an entry. */
  generator(problem: string): string;
  /** With an entry; with null, the same question without the slot. */
  executor(problem: string, entry: string | null): string;
  /** The slot, empty: a control that tells the wrapper's effect from the entry's. */
  wrapperOnly(problem: string): string;
}

/** Reads the templates of this library, or those of another folder with the same file names. @throws INVALID_CONFIGURATION */
export async function loadPrompts(folder = new URL('../templates/', import.meta.url)): Promise<Prompts> {
  const file = (name: string): URL => new URL(`${name}.txt`, folder);
  const [generator, withEntry, without, wrapper, hint] = await Promise.all([
    PromptTemplate.load(file('generator'), ['problem']),
    PromptTemplate.load(file('executor-with-experience'), ['problem', 'entry']),
    PromptTemplate.load(file('executor-without-experience'), ['problem']),
    PromptTemplate.load(file('executor-wrapper-only'), ['problem']),
    PromptTemplate.load(file('fixed-hint'), []),
  ]);
  return {
    executorTemplate: `executor@${sha256([withEntry, without, wrapper].map(({ digest }) => digest).join())}`,
    generatorTemplate: `generator@${generator.digest}`,
    fixedHint: hint.text,
    generator: (problem) => generator.render({ problem: asData(problem) }),
    executor: (problem, entry) =>
      entry === null
        ? without.render({ problem: asData(problem) })
        : withEntry.render({
            problem: asData(problem),
            entry: asData(memoryItemBlock(entry) ?? entry).replaceAll(/\s*\n\s*/g, ' '),
          }),
    wrapperOnly: (problem) => wrapper.render({ problem: asData(problem) }),
  };
}

/** Spellings of control tokens of the common chat formats; a space after the first character makes them ordinary text. */
const CONTROL_TOKENS =
  /<\||\|>|<\/?s>|<\/?(?:bos|eos|pad|unk|think|start_of_turn|end_of_turn)>|\[\/?INST\]|<<\/?SYS>>/gi;

/** Nothing that could be hidden: most texts, and then no character has to be looked at alone. */
const VISIBLE_ASCII = /^[\t\n\x20-\x7e]*$/;

/** Text from outside as it may stand in a prompt: line ends and tabs stay, other hidden characters go. */
export function asData(text: string): string {
  return withoutHidden(text).replaceAll(CONTROL_TOKENS, (token) => `${token[0]} ${token.slice(1)}`);
}

function withoutHidden(text: string): string {
  if (VISIBLE_ASCII.test(text)) return text;
  let plain = '';
  for (const character of text.replaceAll('\r\n', '\n').toWellFormed()) {
    if (character === '\n' || character === '\t' || isPlainCodePoint(character.codePointAt(0)!)) plain += character;
  }
  return plain;
}
