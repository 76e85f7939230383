/** The name of an edit in a cache: a digest of all that decides what is written. Equal parts have equal keys, and no others. */
import { canonicalJson, sha256 } from '@seamstream/kernel';
import type { EditSampling, EditWriterIdentity } from './edit-writer.port.js';
import type { Passage } from './self-edit-kinds.js';

export interface EditKeyParts {
  readonly passage: Passage;
  /** Identity of the kind: a shipped one or a user's own. */
  readonly kind: string;
  readonly writer: EditWriterIdentity;
  readonly sampling: EditSampling;
  readonly seed: string;
  /** Which of several edits of the same passage. */
  readonly number: number;
}

/** What is digested, as text. Each part has its place by name, so that no two parts can run into one another. */
export function editKeyText({ passage, kind, writer, sampling, seed, number }: EditKeyParts): string {
  const { title, passage: text } = passage;
  const { source, model, adapter, form } = writer;
  const { temperature, topP, maxTokens } = sampling;
  return canonicalJson({
    passage: { title, passage: text },
    kind,
    writer: { source, model, adapter, form },
    sampling: { temperature, topP, maxTokens },
    seed,
    number,
  });
}

/** SHA-256 of the parts. */
export function editKey(parts: EditKeyParts): string {
  return sha256(editKeyText(parts));
}

/** What an edit is drawn by: it does not depend on the passage's place in a file. */
export function editSeed({ passage, seed, number }: Pick<EditKeyParts, 'passage' | 'seed' | 'number'>): string {
  return sha256(canonicalJson([seed, passage.title, passage.passage, number]));
}
