/** How alike the meanings of texts are. */
export interface TextSimilarity {
  /** Who judges: part of what a filter depends on. */
  readonly identity: string;
  /**
   * Of each pair −1 … 1, where 1 is the same meaning.
   * @throws why it is not known: an edit is neither kept nor refused by a judge that does not answer
   */
  similarities(pairs: readonly (readonly [string, string])[], signal?: AbortSignal): Promise<readonly number[]>;
  close(): Promise<void>;
}
