/** The kinds of answer, as data; {@link Scope} is what reads the parts of one. */

export type Form =
  | { readonly kind: 'expression'; readonly latex: string }
  | { readonly kind: 'percent'; readonly latex: string }
  | { readonly kind: 'words'; readonly words: string }
  /** Parts without an order: what commas, "and", "or" or a set's braces hold together. */
  | { readonly kind: 'list'; readonly parts: readonly Readings[]; readonly by: 'comma' | 'and' | 'or' | 'braces' }
  /** Parts in an order within brackets; of two parts it may be an interval. */
  | {
      readonly kind: 'tuple';
      readonly parts: readonly Readings[];
      readonly open: string;
      readonly close: string;
      readonly shape?: 'row' | 'column';
    }
  /** `op` is ∪, ∩ or ∖. */
  | { readonly kind: 'setOperation'; readonly op: SetOperator; readonly parts: readonly Readings[] }
  /** latexs[0] ops[0] latexs[1] ops[1] … */
  | {
      readonly kind: 'relation';
      readonly sides: readonly Readings[];
      readonly latex: readonly string[];
      readonly ops: readonly Comparison[];
    }
  /** x = 3, f(x) = 3, (p, q) = (3, 2): what it is called matters less than what it is. */
  | { readonly kind: 'named'; readonly name: string; readonly value: Readings }
  /** left ≡ residues (mod modulus); null where nothing stands before the sign, or no sign. */
  | {
      readonly kind: 'congruence';
      readonly left: string | null;
      readonly residues: readonly string[];
      readonly modulus: string;
    }
  /** 3:10 may be a time of day, which only equals itself. */
  | { readonly kind: 'ratio'; readonly parts: readonly string[]; readonly isClock: boolean };

export type Readings = readonly Form[];
export type Comparison = '=' | '<' | '>' | '≤' | '≥' | '≠';
type SetOperator = 'union' | 'intersection' | 'difference';
/** Parts of one answer that are read; an answer of more has no reading. */
export const MAX_PARTS = 64;

/** What a reading asks about numbers. */
export interface ReadingRules {
  /** Whether the sides of "a = b" or "a ≈ b" can both be meant; asked of sides without variables. */
  readonly agree: (left: string, right: string, isApproximate: boolean) => boolean;
}

/** What reads the parts of an answer, by the rules of the whole. */
export interface Scope {
  readonly rules: ReadingRules;
  /** Every reading of a part, the likeliest first. */
  read(part: string): Readings;
}
