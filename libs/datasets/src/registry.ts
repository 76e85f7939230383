import { AIME_FORM } from './aime.form.js';
import { ARC_FORM } from './arc.form.js';
import type { DatasetForm } from './dataset.types.js';
import { GSM8K_FORM } from './gsm8k.form.js';
import { MATH_FORM } from './math.form.js';
import { SEAM_FORM } from './seam.form.js';
import { SQUAD_FORM, SQUAD_PLAIN_FORM } from './squad.forms.js';
import { FEW_SHOT_FORM, PASSAGE_FORM, TURNS_FORM } from './task.forms.js';
import { DAPO_FORM, VERL_FORM } from './verl.form.js';
import { WEBWALKER_FORM } from './webwalker.form.js';

/** Every form by its name. The first that recognises a row has it, so those that ask for less come later. A new one is a separate file and a word here. */
const FORMS: readonly DatasetForm[] = [
  SEAM_FORM,
  PASSAGE_FORM,
  FEW_SHOT_FORM,
  TURNS_FORM,
  WEBWALKER_FORM,
  SQUAD_FORM,
  SQUAD_PLAIN_FORM,
  ARC_FORM,
  GSM8K_FORM,
  DAPO_FORM,
  VERL_FORM,
  MATH_FORM,
  AIME_FORM,
];

export const datasetForms: ReadonlyMap<string, DatasetForm> = new Map(FORMS.map((form) => [form.name, form]));

/** The form that a row looks like, by its fields alone; undefined where none does. */
export function recognisedForm(row: unknown): DatasetForm | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  return FORMS.find((form) => form.recognises(row as Readonly<Record<string, unknown>>));
}
