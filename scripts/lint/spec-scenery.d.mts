import type { Rule } from 'eslint';

export declare const specRules: { readonly rules: Readonly<Record<'spec-scenery', Rule.RuleModule>> };
