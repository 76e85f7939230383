/**
 * Chat templates as published: Jinja (https://huggingface.co/docs/transformers/chat_templating), given the variables that
 * transformers gives. Three things are ours.
 *
 * A message's content is data. A template writes special tokens and contents into one text, where the two cannot be kept
 * apart; so before rendering, a mark is put inside each spelling of a special token in a content, and taken out again after
 * the rendered text was split at the special tokens that the template wrote. A template can undo that (by another case, by
 * replacements), so the special tokens are compared with those of a rendering in which every character of a content is marked.
 *
 * A template is a stranger's program: it is run with a budget (jinja-budget.ts), and once when it is loaded.
 *
 * A prompt does not depend on the clock. Llama 3.1 and 3.2 write today's date; here it is the date that they fall back to.
 */
import * as library from '@huggingface/jinja';
import { messageOf, SeamError } from '@seamstream/kernel';
import { BoundedInterpreter, MAX_SIZE, TemplateBudgetError } from './jinja-budget.js';

/** The part of the library that is used; its own type files do not resolve under Node's module rules. */
interface Jinja {
  readonly Template: new (source: string) => { readonly parsed: unknown };
  readonly Environment: new () => { set(name: string, value: unknown): void };
}
const { Template, Environment } = library as unknown as Jinja;

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export interface ChatOptions {
  /** End with the beginning of the assistant's turn; default false. */
  readonly addGenerationPrompt?: boolean;
  /** Further variables of the template, e.g. enable_thinking of Qwen3. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The longest published one has some 20,000 characters. */
const MAX_SOURCE = 2 ** 17;
/** No list of a template is longer. */
const MAX_RANGE = 10_000;

const TODAY = new Date(Date.UTC(2024, 6, 26));

/** Noncharacters of Unicode: no text means anything by them. */
const MARKS = Array.from({ length: 32 }, (_, index) => String.fromCodePoint(0xfdd0 + index));

export class ChatTemplate {
  private readonly template: InstanceType<Jinja['Template']>;
  private readonly spellings: RegExp | undefined;

  /**
   * @param specialTokens by role, as templates call them: bos_token, eos_token …
   * @param special the spelling of every special token
   * @throws CHECKPOINT_INVALID when the template cannot be read, or renders no message
   */
  constructor(
    readonly source: string,
    private readonly specialTokens: Readonly<Record<string, string>>,
    special: ReadonlySet<string>,
  ) {
    if (source.length > MAX_SOURCE) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Cannot load a chat template: it has ${source.length} characters, expected at most ${MAX_SOURCE}. Take the one that was published with the model, or turn chat templates off.`,
        { details: { file: 'tokenizer_config.json' } },
      );
    }
    try {
      this.template = new Template(source);
    } catch (cause) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Cannot load a chat template: it is not a Jinja template that can be read: ${messageOf(cause)}. Mend it, or turn chat templates off.`,
        { details: { file: 'tokenizer_config.json' }, cause },
      );
    }
    const longestFirst = [...special].sort((a, b) => b.length - a.length);
    this.spellings =
      longestFirst.length === 0
        ? undefined
        : new RegExp(longestFirst.map((spelling) => RegExp.escape(spelling)).join('|'), 'gu');
    try {
      this.run([{ role: 'user', content: 'Hello.' }], { addGenerationPrompt: true });
    } catch (cause) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Cannot load a chat template: rendering one message of a user, ${messageOf(cause)}. No prompt could be written in it: mend it, or turn chat templates off.`,
        { details: { file: 'tokenizer_config.json' }, cause },
      );
    }
  }

  /** The conversation as text. @throws INVALID_INPUT when the template refuses it, or needs more than its budget. */
  render(messages: readonly ChatMessage[], options: ChatOptions = {}): string {
    try {
      return this.run(messages, options);
    } catch (cause) {
      const roles = messages.map(({ role }) => role).join(', ');
      const problem =
        cause instanceof TemplateBudgetError
          ? `for the conversation (${roles}) ${cause.message}. Shorten the messages`
          : `it refuses the conversation (${roles}): ${messageOf(cause)}`;
      throw new SeamError('INVALID_INPUT', `Cannot render a chat template: ${problem}.`, { cause });
    }
  }

  private run(messages: readonly ChatMessage[], { addGenerationPrompt = false, variables = {} }: ChatOptions): string {
    const environment = new Environment();
    const given: Readonly<Record<string, unknown>> = {
      ...GLOBALS,
      tools: null,
      documents: null,
      ...this.specialTokens,
      messages,
      add_generation_prompt: addGenerationPrompt,
      ...variables,
    };
    for (const [name, value] of Object.entries(given)) environment.set(name, value);
    const text = String(new BoundedInterpreter(environment, this.source.length).run(this.template.parsed).value);
    if (text.length > MAX_SIZE) throw new TemplateBudgetError(`a text of more than ${MAX_SIZE} characters`);
    return text;
  }

  /** As {@link render}, with marks inside the special tokens that contents spell; `unshield` takes them out of a part. */
  renderShielded(
    messages: readonly ChatMessage[],
    options: ChatOptions,
  ): { readonly text: string; readonly unshield: (part: string) => string } {
    const contents = messages.map(({ content }) => content);
    const mark = MARKS.find((each) => ![...contents, this.source].some((text) => text.includes(each)));
    if (mark === undefined) {
      throw new SeamError(
        'INVALID_INPUT',
        'Cannot render a chat template: the messages hold every noncharacter from U+FDD0 to U+FDEF; expected one of them to be free. Remove them.',
      );
    }
    const { spellings } = this;
    const shield = (content: string): string =>
      spellings === undefined
        ? content
        : content.replace(spellings, ([first, ...rest]) => `${first}${mark}${rest.join('')}`);
    const withContents = (change: (content: string) => string): ChatMessage[] =>
      messages.map((message) => ({ ...message, content: change(message.content) }));
    const text = this.render(withContents(shield), options);
    this.assertOwnTokens(text, () =>
      this.render(
        withContents((content) => content.replace(/./gsu, `$&${mark}`)),
        options,
      ),
    );
    return { text, unshield: (part) => part.replaceAll(mark, '') };
  }

  /**
   * Special tokens of a rendered text are the template's own where they are those of a rendering in which no two characters of a
   * content stand together, in any case of letters.
   */
  private assertOwnTokens(text: string, apart: () => string): void {
    if (this.spellings === undefined) return;
    const tokensOf = (rendered: string): string => JSON.stringify(rendered.match(this.spellings!) ?? []);
    if (tokensOf(text) === tokensOf(apart())) return;
    throw new SeamError(
      'INVALID_INPUT',
      "Cannot render a chat template: it makes special tokens of what a message says; expected only the template's own. Change the message, or turn chat templates off.",
    );
  }
}

/** The names that transformers' environment has, and Python's constants in both spellings; the library's own ask the clock. */
const GLOBALS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  raise_exception: (message: unknown) => {
    throw new Error(String(message));
  },
  strftime_now: (format: unknown) => formatDate(TODAY, String(format)),
  range: (first: number, last?: number, step = 1) => {
    const [from, to] = last === undefined ? [0, first] : [first, last];
    const length = Math.max(0, Math.ceil((to - from) / step));
    if (!(length <= MAX_RANGE)) throw new TemplateBudgetError(`a range of ${length}, more than ${MAX_RANGE}`);
    return Array.from({ length }, (_, index) => from + index * step);
  },
};

/** The parts of strftime that published templates ask for, in English as in C's locale. */
function formatDate(date: Date, format: string): string {
  const name = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options }).format(date);
  const values: Readonly<Record<string, string>> = {
    '%d': String(date.getUTCDate()).padStart(2, '0'),
    '%m': String(date.getUTCMonth() + 1).padStart(2, '0'),
    '%Y': String(date.getUTCFullYear()),
    '%b': name({ month: 'short' }),
    '%B': name({ month: 'long' }),
    '%a': name({ weekday: 'short' }),
    '%A': name({ weekday: 'long' }),
    '%H': '00',
    '%M': '00',
    '%S': '00',
    '%%': '%',
  };
  return format.replace(/%[a-zA-Z%]/g, (code) => values[code] ?? code);
}
