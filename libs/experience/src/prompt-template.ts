/**
 * A prompt template is a text file with {placeholders}. Placeholders are lower-case words in braces; other braces are
 * ordinary text. One line end at the end of the file belongs to the file, not to the prompt.
 */
import { readFile } from 'node:fs/promises';
import { messageOf, SeamError, sha256 } from '@seamstream/kernel';

const PLACEHOLDER = /\{([a-z][a-zA-Z]*)\}/g;

export class PromptTemplate<Placeholder extends string> {
  private constructor(
    readonly name: string,
    readonly text: string,
    /** SHA-256 of the text. */
    readonly digest: string,
  ) {}

  /** @throws INVALID_CONFIGURATION when the file cannot be read, or as {@link parse}. */
  static async load<Placeholder extends string>(
    file: URL,
    placeholders: readonly Placeholder[],
  ): Promise<PromptTemplate<Placeholder>> {
    const name = (file.pathname.split('/').at(-1) ?? '').replace(/\.txt$/, '');
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (cause) {
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot load prompt template ${name}: ${messageOf(cause)}. Expected a text file.`,
        { cause },
      );
    }
    return PromptTemplate.parse(name, text, placeholders);
  }

  /** @throws INVALID_CONFIGURATION when the text has a placeholder that is not expected, or lacks one, or has it twice. */
  static parse<Placeholder extends string>(
    name: string,
    text: string,
    placeholders: readonly Placeholder[],
  ): PromptTemplate<Placeholder> {
    const body = text.replace(/\r?\n$/, '');
    const found = [...body.matchAll(PLACEHOLDER)].map((match) => match[1]);
    const faults = [
      ...found
        .filter((placeholder) => !(placeholders as readonly (string | undefined)[]).includes(placeholder))
        .map((placeholder) => `{${placeholder}} is unknown`),
      ...placeholders
        .filter((placeholder) => !found.includes(placeholder))
        .map((placeholder) => `{${placeholder}} is missing`),
      ...placeholders
        .filter((placeholder) => found.indexOf(placeholder) !== found.lastIndexOf(placeholder))
        .map((placeholder) => `{${placeholder}} occurs twice`),
    ];
    if (faults.length > 0) {
      const expected = placeholders.map((placeholder) => `{${placeholder}}`).join(', ') || 'none';
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot read prompt template ${name}: ${faults.join(', ')}. Expected placeholders: ${expected}.`,
        { details: { name } },
      );
    }
    return new PromptTemplate(name, body, sha256(body));
  }

  /** Each placeholder is replaced once; what a value holds is never read as a placeholder. */
  render(values: Readonly<Record<Placeholder, string>>): string {
    return this.text.replace(PLACEHOLDER, (_, placeholder: Placeholder) => values[placeholder]);
  }
}
