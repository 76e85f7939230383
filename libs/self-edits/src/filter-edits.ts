/**
 * Which self-edits of a batch are worth training on. Each refusal has one reason, the first that applies in this order, and its figures.
 *
 *   too_short, too_long   fewer than 20 tokens, more than 2,048
 *   malformed             of questions with answers: fewer than half of the pieces are a question with its answer
 *   gibberish             see gibberish.ts
 *   copy                  of a rewrite: at least 0.8 of its runs of 5 words are in the passage
 *   duplicate             the same words as an earlier edit of the batch
 *   near_duplicate        Jaccard similarity of at least 0.7 over runs of 3 words, with an earlier edit or with one like it
 *
 * The limits are those of the plan that we follow, where it states them; the others were set on the labelled edits of the spec.
 */
import { sha256 } from '@seamstream/kernel';
import { NearDuplicateClusters, sharedRuns } from '@seamstream/near-duplicates';
import { gibberishIn } from './gibberish.js';
import type { Passage, SelfEditKind } from './self-edit-kinds.js';
import { editPieces } from './training-documents.js';

type OwnFault = 'too_short' | 'too_long' | 'malformed' | 'gibberish' | 'copy';

export interface WrittenEdit {
  /** Names the edit in the result. */
  readonly id: string;
  readonly kind: SelfEditKind;
  readonly text: string;
  readonly passage: Passage;
}

export interface FilterSettings {
  /** Of the model that is trained. */
  readonly countTokens: (text: string) => number;
  readonly leastTokens?: number;
  readonly mostTokens?: number;
}

export interface RefusedEdit {
  readonly id: string;
  readonly reason: OwnFault | 'duplicate' | 'near_duplicate';
  /** What was measured, by name. */
  readonly figures: Readonly<Record<string, number>>;
  /** Of a duplicate: the earlier edit. */
  readonly of?: string;
}

export interface FilteredEdits {
  /** Ids, in the order of the batch. */
  readonly kept: readonly string[];
  readonly refused: readonly RefusedEdit[];
}

const LEAST_TOKENS = 20;
const MOST_TOKENS = 2048;
const LEAST_WELL_FORMED = 0.5;
const MOST_COPIED = 0.8;
const COPIED_WORDS = 5;
const NEAR = { threshold: 0.7, shingleWords: 3 };

/** The limits of an edit's length where nothing else is said, in tokens of the model that is trained. */
export const EDIT_LIMITS = { leastTokens: LEAST_TOKENS, mostTokens: MOST_TOKENS } as const;

/** What is wrong with an edit by itself, next to no other. */
export interface EditFault extends Pick<RefusedEdit, 'figures'> {
  readonly reason: OwnFault;
}

type Refusal = Pick<RefusedEdit, 'reason' | 'figures' | 'of'>;

/** Depends on the batch alone: of two alike the earlier stays. An edit of a kind of which nothing is written is always kept. */
export function filterEdits(batch: readonly WrittenEdit[], settings: FilterSettings): FilteredEdits {
  const kept: string[] = [];
  const refused: RefusedEdit[] = [];
  const filter = new EditFilter(settings);
  for (const edit of batch) {
    const refusal = filter.refusal(edit);
    if (refusal === undefined) kept.push(edit.id);
    else refused.push(refusal);
  }
  return { kept, refused };
}

/** The same, edit by edit, for a batch that is never whole in memory: of an edit it keeps digests and shingles, and no text. */
export class EditFilter {
  private readonly earlier = new EarlierEdits();

  constructor(private readonly settings: FilterSettings) {}

  /** Why an edit is refused, next to the earlier ones; undefined where it is kept. */
  refusal(edit: WrittenEdit): RefusedEdit | undefined {
    if (edit.kind.template === null) return undefined;
    const refusal = editFault(edit, this.settings) ?? this.earlier.like(edit);
    return refusal === undefined ? undefined : { id: edit.id, ...refusal };
  }
}

/** What is wrong with an edit by itself; undefined where nothing is, and of a kind of which nothing is written. */
export function editFault(
  { kind, text, passage }: Omit<WrittenEdit, 'id'>,
  settings: FilterSettings,
): EditFault | undefined {
  if (kind.template === null) return undefined;
  const { countTokens, leastTokens = LEAST_TOKENS, mostTokens = MOST_TOKENS } = settings;
  const tokens = countTokens(text);
  if (tokens < leastTokens) return { reason: 'too_short', figures: { tokens } };
  if (tokens > mostTokens) return { reason: 'too_long', figures: { tokens } };
  const wellFormed = kind.division === 'questions' ? shareOfAnswered(editPieces(kind, text)) : 1;
  if (wellFormed < LEAST_WELL_FORMED) return { reason: 'malformed', figures: { wellFormed } };
  const strange = gibberishIn(text, passage.passage);
  if (strange !== undefined) return { reason: 'gibberish', figures: strange };
  const copied = kind.name === 'rewrite' ? sharedRuns(text, passage.passage, COPIED_WORDS) : 0;
  return copied >= MOST_COPIED ? { reason: 'copy', figures: { copied } } : undefined;
}

const ANSWER = /^[ *#]*A(?:nswer)?(?: \d{1,6})?:[ *]*\S/m;

/** Of questions the share that has text before its answer and an answer; the last one may have been cut off by the token budget. */
function shareOfAnswered(pieces: readonly string[]): number {
  const answered = pieces.filter((piece) => piece.search(ANSWER) > 0).length;
  return pieces.length === 0 ? 0 : answered / pieces.length;
}

/** Edits of the batch so far. */
class EarlierEdits {
  private readonly byWords = new Map<string, string>();
  private readonly clusters = new NearDuplicateClusters(NEAR);
  private readonly ids: string[] = [];

  like({ id, text }: WrittenEdit): Refusal | undefined {
    const words = sha256(text.toLowerCase().split(/\s+/).join(' ').trim());
    const same = this.byWords.get(words);
    if (same !== undefined) return { reason: 'duplicate', figures: { similarity: 1 }, of: same };
    this.byWords.set(words, id);
    let near: string | undefined;
    this.ids[this.clusters.add(text, (other) => (near ??= this.ids[other]))] = id;
    return near === undefined
      ? undefined
      : { reason: 'near_duplicate', figures: { atLeast: NEAR.threshold }, of: near };
  }
}
