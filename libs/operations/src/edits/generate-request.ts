/** What a data set with edits is asked for with. */
import type { SimilaritySettings } from '@seamstream/model-clients';
import type { EditSampling } from '@seamstream/self-edits';
import type { EditWriterChoice } from './edits-world.js';

export interface CacheChoice {
  /** Default: `edit-cache` in the data folder. */
  readonly folder?: string | undefined;
  readonly maxBytes?: number | undefined;
}

export interface SimilarityChoice extends SimilaritySettings {
  /** −1 … 1, where 1 is the same meaning. */
  readonly least: number;
}

export interface GenerateRequest {
  /** A shipped kind, unless `template` names a file or folder with another. */
  readonly kind: string;
  readonly template?: string | undefined;
  /** The form of the file; by its first row when absent. */
  readonly dataset?: string | undefined;
  /** The first passages only. */
  readonly limit?: number | undefined;
  readonly writer: EditWriterChoice;
  readonly sampling: EditSampling;
  readonly seed: string;
  /** Edits of each passage. */
  readonly editsPerPassage: number;
  /** Longest time for a try of an edit, in milliseconds. */
  readonly timeoutMs: number;
  /** Tries of an edit. */
  readonly tries: number;
  /** The tokenizer.json of the model that would be trained; without it the writer counts tokens, or they are estimated. */
  readonly tokenizer?: string | undefined;
  /** Edits whose meaning is less like that of their passage are refused; null: meanings are not compared. */
  readonly similarity: SimilarityChoice | null;
  /** Null: without a cache. */
  readonly cache: CacheChoice | null;
  /** Absent: the edits go into the cache alone. */
  readonly out?: string | undefined;
  readonly force?: true | undefined;
}
