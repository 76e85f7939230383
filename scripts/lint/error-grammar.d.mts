import type { Rule } from 'eslint';

export declare const errorRules: { readonly rules: Readonly<Record<'error-grammar', Rule.RuleModule>> };
