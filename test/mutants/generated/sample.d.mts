import type { Mutant } from './instrument.mjs';

export type NamedMutant = Mutant & { readonly name: string };

export function named(mutants: readonly Mutant[]): readonly NamedMutant[];
export function drawn(mutants: readonly NamedMutant[], seed: string): readonly NamedMutant[];
