/** Self-edits as the entries of a system: the setting that names them, and what asks for one. */
import { type EntryWriter, selfEditNamed, TOOL_CONFIGURATION } from '@seamstream/experience';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import { askedPassage } from '@seamstream/tasks';
import { ownSelfEditKind } from './own-kind.js';
import { SELF_EDIT_KINDS, type SelfEditKind, selfEditKind } from './self-edit-kinds.js';
import { toolWriter } from './tool-writer.js';
import { writerPrompt } from './writer-prompt.js';

/**
 * The kind of self-edit that entries are; null where they are something else.
 * @param entrySchemas the setting SEAM_ENTRY_SCHEMAS: `self-edit/` with a kind's name, or with the path of a template
 * @throws INVALID_CONFIGURATION for an unknown name, a faulty template, and for the kind of which nothing is written
 */
export function entryKind(entrySchemas: string | undefined): SelfEditKind | null {
  const named = selfEditNamed(entrySchemas);
  if (named === undefined) return null;
  const kind = /[./\\]/.test(named) ? ownSelfEditKind(named) : selfEditKind(named);
  if (kind.template !== null) return kind;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot let entries be self-edits of the kind "${named}": expected a kind that is written, got the passage alone. Set SEAM_ENTRY_SCHEMAS to self-edit/ with one of ${SELF_EDIT_KINDS.filter((name) => name !== named).join(', ')}; the passage alone is a control that evaluations measure with each of them.`,
  );
}

/** What asks for self-edits, as JSON for who carries it elsewhere; null where entries are something else. */
export function writerTemplate(entrySchemas: string | undefined): string | null {
  const kind = entryKind(entrySchemas);
  if (kind === null) return null;
  const { name, template, system, division } = kind;
  const examples = kind.examples.map(({ title, passage, edit }) => ({ title, passage, edit }));
  return canonicalJson({ name, template, system, examples, division });
}

/**
 * Asks for a self-edit: about the passage of a problem, of whose questions the writer learns nothing, or for a tool configuration about the
 * pairs of a task on grids.
 */
export function editWriter(entrySchemas: string | undefined): EntryWriter | undefined {
  if (entrySchemas === TOOL_CONFIGURATION) return toolWriter;
  const kind = entryKind(entrySchemas);
  if (kind === null) return undefined;
  return {
    identity: `self-edit/${kind.identity}`,
    prompt: (problem) => {
      const asked = askedPassage(problem);
      return asked === undefined ? undefined : writerPrompt(kind, asked);
    },
  };
}
