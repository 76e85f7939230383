/** What a writer would be asked about passages, and what would be made of an edit. It asks no model, and records nothing. */
import { datasetForms, detectedForm, type RowReading, readProblems } from '@seamstream/datasets';
import { SeamError } from '@seamstream/kernel';
import {
  filterEdits,
  ownSelfEditKind,
  type RefusedEdit,
  type SelfEditKind,
  selfEditKind,
  trainingDocuments,
  type WriterMessage,
  writerMessages,
  writerPrompt,
} from '@seamstream/self-edits';
import { type PassageTask, passageOf } from '@seamstream/tasks';
import { type InputDoor, openDataset } from '../publish/dataset-file.js';
import { ESTIMATED, tokenCounter } from './token-counter.js';

export interface PreviewRequest {
  /** A shipped kind, unless `template` names a file or folder with another. */
  readonly kind: string;
  readonly template?: string | undefined;
  /** The form of the file; by its first row when absent. */
  readonly dataset?: string | undefined;
  /** The only row to preview; without it the first `limit` passages. */
  readonly row?: number | undefined;
  readonly limit: number;
  /** A file with the text of an edit about the first passage that is previewed. */
  readonly edit?: string | undefined;
  /** The tokenizer.json of the model that would be trained; without it tokens are estimated. */
  readonly tokenizer?: string | undefined;
}

export interface PassagePreview {
  readonly row: number;
  readonly title: string | null;
  /** What a model continues; null for a kind of which nothing is written. */
  readonly prompt: string | null;
  /** The same for a model that chats. */
  readonly messages: readonly WriterMessage[];
  /** Of the edit, and without one of a kind of which nothing is written. */
  readonly documents?: readonly string[];
  /** What the filters say about the edit: null where they keep it. */
  readonly refused?: Omit<RefusedEdit, 'id'> | null;
}

export interface EditPreview {
  /** Name and digest of the kind. */
  readonly kind: string;
  readonly passages: readonly PassagePreview[];
  readonly tokens: 'counted' | 'estimated';
}

interface PreviewDoor extends InputDoor {
  readInput(path: string): Promise<Uint8Array>;
}

/**
 * Reads passages in their order, and no further than they are previewed.
 * @throws INVALID_INPUT for a faulty row, and where there is no passage to preview; INVALID_CONFIGURATION for an unknown kind or a faulty
 * template; what is wrong with a tokenizer as `Tokenizer.fromJson`
 */
export async function previewEdits(door: PreviewDoor, path: string, request: PreviewRequest): Promise<EditPreview> {
  const kind = request.template === undefined ? selfEditKind(request.kind) : ownSelfEditKind(request.template);
  const text =
    request.edit === undefined ? undefined : Buffer.from(await door.readInput(request.edit)).toString('utf8');
  const { countTokens, countedBy } = await tokenCounter(door, request.tokenizer);
  const passages: PassagePreview[] = [];
  for await (const { row, task } of passagesIn(door, path, request)) {
    // One edit is about one passage.
    const isEdited = text !== undefined && passages.length === 0;
    passages.push({ ...asked(kind, row, task), ...(isEdited ? judged(kind, text, task, countTokens) : {}) });
    if (passages.length === request.limit || request.row !== undefined) break;
  }
  if (passages.length === 0) throw withoutPassage(path, request.row);
  return { kind: kind.identity, passages, tokens: countedBy === ESTIMATED ? 'estimated' : 'counted' };
}

function asked(kind: SelfEditKind, row: number, passage: PassageTask): PassagePreview {
  const { title } = passage;
  if (kind.template === null)
    return { row, title, prompt: null, messages: [], documents: trainingDocuments(kind, '', passage) };
  return { row, title, prompt: writerPrompt(kind, passage), messages: writerMessages(kind, passage) };
}

function judged(
  kind: SelfEditKind,
  text: string,
  passage: PassageTask,
  countTokens: (text: string) => number,
): Pick<PassagePreview, 'documents' | 'refused'> {
  const [refusal] = filterEdits([{ id: '', kind, text, passage }], { countTokens }).refused;
  const { reason, figures } = refusal ?? {};
  return {
    documents: trainingDocuments(kind, text, passage),
    refused: reason === undefined || figures === undefined ? null : { reason, figures },
  };
}

async function* passagesIn(
  door: InputDoor,
  path: string,
  { dataset, row: only }: PreviewRequest,
): AsyncGenerator<{ readonly row: number; readonly task: PassageTask }> {
  const { bytes } = await openDataset(door, path);
  const form = dataset === undefined ? await detectedForm(bytes) : datasetForms.get(dataset);
  if (form === undefined) throw withoutPassage(path, undefined);
  for await (const reading of readProblems(bytes, { form, ungraded: true })) {
    if (only !== undefined && reading.row !== only) continue;
    const task = taskIn(reading, path);
    if (task !== undefined) yield { row: reading.row, task };
  }
}

function taskIn(reading: RowReading, path: string): PassageTask | undefined {
  if (reading.status === 'problem' || reading.status === 'ungraded')
    return reading.problem.task == null ? undefined : passageOf(reading.problem.task);
  if (reading.status !== 'faulty') return undefined;
  const [{ row, field, expected, came }] = reading.faults as readonly [(typeof reading.faults)[number]];
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot preview row ${row} of ${path}: expected ${field} to be ${expected}, got ${came}. Correct the row, or choose another (--row).`,
    { details: { faults: reading.faults } },
  );
}

function withoutPassage(path: string, row: number | undefined): SeamError {
  const where = row === undefined ? path : `row ${row} of ${path}`;
  return new SeamError(
    'INVALID_INPUT',
    `Cannot preview ${where}: expected a passage with questions, got none. Name a file of passages, and its form (--dataset).`,
  );
}
