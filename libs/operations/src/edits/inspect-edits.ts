/** What is in a data set with edits, and its documents in the form that any trainer reads. */

import type { AskingWorld } from '../evaluate/asking-world.js';
import type { InputDoor } from '../publish/dataset-file.js';
import { type AugmentedLine, augmentedLines, counted, type EditCounts, NO_EDITS } from './augmented-line.js';

export interface EditsInspection {
  readonly counts: EditCounts;
  /** Names and digests of the kinds. */
  readonly kinds: readonly string[];
  /** Who wrote: digests of weights, or models of endpoints. */
  readonly models: readonly string[];
  /** Of the row that was asked for; none where no row was. */
  readonly shown: readonly AugmentedLine[];
}

/** @throws INVALID_INPUT for a line of another form */
export async function inspectEdits(
  door: InputDoor,
  path: string,
  { row }: { readonly row?: number | undefined } = {},
): Promise<EditsInspection> {
  let counts = NO_EDITS;
  const [kinds, models] = [new Set<string>(), new Set<string>()];
  const shown: AugmentedLine[] = [];
  for await (const line of augmentedLines(await door.openInput(path), path)) {
    counts = counted(counts, line);
    kinds.add(line.kind);
    if (line.model !== null) models.add(line.model);
    if (line.row === row) shown.push(line);
  }
  return { counts, kinds: [...kinds], models: [...models], shown };
}

/** Bytes that are written at a time. */
const CHUNK = 1 << 20;

export interface ExportedDocuments {
  readonly documents: number;
  readonly passages: number;
}

/**
 * Writes `{"text": …}` per document, in the order of the data set.
 * @throws INVALID_INPUT for a line of another form; otherwise as the output
 */
export async function exportDocuments(
  world: InputDoor & Pick<AskingWorld, 'growOutput'>,
  path: string,
  { out, force: replace }: { readonly out: string; readonly force?: true | undefined },
): Promise<ExportedDocuments> {
  const file = await world.openInput(path);
  const output = await world.growOutput(out, { replace });
  let counts = NO_EDITS;
  let waiting = '';
  for await (const line of augmentedLines(file, path)) {
    counts = counted(counts, line);
    for (const text of line.documents) waiting += `${JSON.stringify({ text })}\n`;
    if (waiting.length < CHUNK) continue;
    await output.append(waiting);
    waiting = '';
  }
  if (waiting !== '') await output.append(waiting);
  await output.finish();
  return { documents: counts.documents, passages: counts.passages };
}
