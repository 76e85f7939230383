/**
 * What a model can be asked to write from a passage. A kind is the prompt that asks for it, and how its text becomes documents to train on.
 * The kinds are those of SEAL (https://arxiv.org/abs/2506.10943, appendix B), with `facts` besides; the wording is ours.
 */
import { readFileSync } from 'node:fs';
import { didYouMean, SeamError, sha256 } from '@seamstream/kernel';

const TEMPLATES = new URL('../templates/', import.meta.url);

/** What an edit is written from. */
export interface Passage {
  /** What the passage is about, in a few words; null where no title is known. */
  readonly title: string | null;
  readonly passage: string;
}

/** How a text is divided into documents. `lines`: one a line; `questions`: one a question; `whole`: at `---` alone. */
export const DIVISIONS = ['lines', 'questions', 'whole'] as const;
export type Division = (typeof DIVISIONS)[number];

export interface SelfEditKind {
  readonly name: string;
  /** The request, with {passage} once, and {title} where it is wanted. Null: nothing is written, and the passage is the only document. */
  readonly template: string | null;
  /** What goes before the request, as the system's message; null where there is no such message. */
  readonly system: string | null;
  /** Passages with an edit each, which the model is shown first. */
  readonly examples: readonly (Passage & { readonly edit: string })[];
  readonly division: Division;
  /** Name and SHA-256 of all the above: equal for kinds that ask and divide alike. */
  readonly identity: string;
}

const SHIPPED: Readonly<Record<string, Division | null>> = {
  implications: 'lines',
  'implications-long': 'lines',
  'implications-very-long': 'lines',
  rewrite: 'lines',
  'self-qa': 'questions',
  facts: 'lines',
  passage: null,
};

/** The authors' other name. */
const ALIASES: Readonly<Record<string, string>> = { questions_answers: 'self-qa' };

/** The names of the shipped kinds. `passage` is the baseline: nothing is written. */
export const SELF_EDIT_KINDS: readonly string[] = Object.keys(SHIPPED);

const read = new Map<string, SelfEditKind>();

/** A shipped kind by its name or its other name. @throws INVALID_CONFIGURATION for an unknown name */
export function selfEditKind(named: string): SelfEditKind {
  const name = Object.hasOwn(ALIASES, named) ? ALIASES[named]! : named;
  if (!Object.hasOwn(SHIPPED, name)) {
    const known = [...SELF_EDIT_KINDS, ...Object.keys(ALIASES)];
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot find the kind of self-edit "${named}": expected one of ${known.join(', ')}${didYouMean(named, known)}. Name one of them, or the file of a template.`,
    );
  }
  let kind = read.get(name);
  if (kind === undefined) read.set(name, (kind = shippedKind(name, SHIPPED[name]!)));
  return kind;
}

function shippedKind(name: string, division: Division | null): SelfEditKind {
  if (division === null) return kindOf({ name, template: null, system: null, examples: [], division: 'whole' });
  const text = readFileSync(new URL(`${name}.txt`, TEMPLATES), 'utf8');
  return kindOf({ name, template: withoutLastLineEnd(text), system: null, examples: [], division });
}

/** One line end at the end of a file belongs to the file, not to the text. */
export function withoutLastLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** A kind with its identity. */
export function kindOf(kind: Omit<SelfEditKind, 'identity'>): SelfEditKind {
  const { name, template, system, examples, division } = kind;
  const shown = examples.map(({ title, passage, edit }) => [title, passage, edit]);
  return { ...kind, identity: `${name}@${sha256(JSON.stringify([template, system, shown, division]))}` };
}
