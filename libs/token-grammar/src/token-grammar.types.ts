/** What a grammar over tokens answers, whichever way it is built. */

/** A place in a text under a grammar. Immutable, valid for the grammar that made it, equal states are the same object. */
export interface GrammarState {
  /** Names the place within its grammar. */
  readonly key: string;
}

export interface AllowedTokens {
  /** Ascending; empty where the text is complete. */
  readonly ids: Int32Array;
}

export interface TokenGrammar {
  start(): GrammarState;
  /** Every token that some valid text continues with. */
  allowed(state: GrammarState): AllowedTokens;
  /**
   * Those of them after which the text can still end within the budget. Never empty before the end as long as
   * `remainingTokens` ≥ {@link minTokensToComplete}.
   * @param remainingTokens tokens that may still be written, the next one included.
   */
  allowedWithin(state: GrammarState, remainingTokens: number): AllowedTokens;
  /** @throws INVALID_INPUT when the token is not allowed. */
  advance(state: GrammarState, tokenId: number): GrammarState;
  /** The text is a whole value, and nothing may follow it. */
  isComplete(state: GrammarState): boolean;
  /** The tokens up to the next real choice or the end: while one token is allowed, that one. */
  forcedRun(state: GrammarState): readonly number[];
  /** As many tokens as are enough to the end, and no more than single bytes need; 0 where the text is complete. */
  minTokensToComplete(state: GrammarState): number;
}
