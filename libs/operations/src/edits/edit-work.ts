/** What becomes of each edit of a data set: its key, its request, its line. The filters remember all edits before it. */
import {
  EditFilter,
  type EditKeyParts,
  type EditRequest,
  type EditWriter,
  editSeed,
  type FinalOutcome,
  type SelfEditKind,
  trainingDocuments,
} from '@seamstream/self-edits';
import type { PassageTask } from '@seamstream/tasks';
import { type AugmentedLine, augmentedLine, counted, type EditCounts, NO_EDITS } from './augmented-line.js';
import type { GenerateRequest } from './generate-request.js';

export interface Item {
  readonly row: number;
  readonly number: number;
  readonly passage: PassageTask;
}

/** What becomes of outcomes: filters, which remember earlier edits, and counts. */
export class EditWork {
  done = 0;
  counts: EditCounts = NO_EDITS;
  private readonly filter: EditFilter;

  constructor(
    private readonly kind: SelfEditKind,
    private readonly writer: EditWriter | null,
    private readonly request: GenerateRequest,
    countTokens: (text: string) => number,
  ) {
    this.filter = new EditFilter({ countTokens });
  }

  get limits(): { readonly timeoutMs: number; readonly tries: number } {
    const { timeoutMs, tries } = this.request;
    return { timeoutMs, tries };
  }

  keyOf({ passage: { title, passage }, number }: Item, { identity }: EditWriter): EditKeyParts {
    const { sampling, seed } = this.request;
    return { passage: { title, passage }, kind: this.kind.identity, writer: identity, sampling, seed, number };
  }

  requestOf(parts: EditKeyParts): EditRequest {
    const { kind } = this;
    return { kind, passage: parts.passage, sampling: this.request.sampling, seed: editSeed(parts) };
  }

  /** How many lines of an earlier run are those of this one. The filters see their edits, as they did then. */
  async resume(lines: AsyncIterable<string>, items: AsyncGenerator<Item, void>): Promise<number> {
    for await (const text of lines) {
      const line = augmentedLine(text);
      const { value: item, done } = await items.next();
      if (done === true || line === undefined || !isOf(line, item)) break;
      if (line.edit !== null) this.refusal(item, line.edit);
      this.count(line);
    }
    await items.return(undefined);
    return this.done;
  }

  lineOf(item: Item, outcome: FinalOutcome | null): AugmentedLine {
    const { row, number, passage } = item;
    const { kind, writer, request } = this;
    const edit = outcome?.status === 'written' ? outcome.text : null;
    const refused = edit === null ? null : this.refusal(item, edit);
    const documents = trainingDocuments(kind, refused === null ? (edit ?? '') : '', passage);
    return {
      ...{ row, number, title: passage.title, passage: passage.passage, kind: kind.identity },
      ...{ model: writer?.identity.model ?? null, adapter: writer?.identity.adapter ?? null, seed: request.seed, edit },
      // The passage is trained on once, for any number of its edits.
      documents: number === 0 ? [...documents] : documents.slice(0, -1),
      refused,
      unaugmented:
        outcome?.status === 'failed' ? { code: outcome.code, reason: outcome.reason, tries: outcome.tries } : null,
    };
  }

  count(line: AugmentedLine): void {
    this.counts = counted(this.counts, line);
    this.done++;
  }

  private refusal({ row, number, passage }: Item, text: string): AugmentedLine['refused'] {
    const id = number === 0 ? `${row}` : `${row}/${number}`;
    const refused = this.filter.refusal({ id, kind: this.kind, text, passage });
    if (refused === undefined) return null;
    const { reason, figures, of } = refused;
    return { reason, figures: { ...figures }, ...(of === undefined ? {} : { of }) };
  }
}

function isOf(line: AugmentedLine, { row, number, passage }: Item): boolean {
  return line.row === row && line.number === number && line.passage === passage.passage && line.title === passage.title;
}

/** A line whose edit was kept until a later filter refused it: the passage stands alone. */
export function withoutEdit(line: AugmentedLine, refused: NonNullable<AugmentedLine['refused']>): AugmentedLine {
  return { ...line, refused, documents: line.number === 0 ? line.documents.slice(-1) : [] };
}
