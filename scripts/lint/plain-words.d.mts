import type { Rule } from 'eslint';

export declare const HABITS: readonly {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}[];
export declare const houseRules: { readonly rules: Readonly<Record<'plain-words', Rule.RuleModule>> };
