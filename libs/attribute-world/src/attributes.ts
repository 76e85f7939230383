/** What things are like. */
import { KINDS, type Kind } from './operators.js';

const list = (text: string): readonly string[] => text.split(' ');

/** By kind; no word stands for two things. */
export const ATTRIBUTES: Readonly<Record<Kind, readonly string[]>> = {
  weight: list('heavy light stout slim dense hollow bulky frail'),
  matter: list('iron oaken glass clay woollen stone brass paper'),
  age: list('old new antique fresh worn modern dusty recent'),
};

/** A value of each kind, in the order of {@link KINDS}. */
export type Attributes = Readonly<Record<Kind, string>>;

const kindOfValue = new Map(KINDS.flatMap((kind) => ATTRIBUTES[kind].map((value) => [value, kind] as const)));

/** Undefined for a word that is no attribute. */
export function kindOf(value: string): Kind | undefined {
  return kindOfValue.get(value);
}
