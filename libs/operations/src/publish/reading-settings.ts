/** How rows are read, and which of them are wanted, as a person says it. */
import {
  columnsForm,
  type DatasetForm,
  DOMAIN_NAME,
  datasetForms,
  detectedForm,
  parseColumnMapping,
  parseFractions,
  type ReadingSettings,
  type Split,
} from '@seamstream/datasets';
import { SeamError } from '@seamstream/kernel';
import type { DatasetFile } from './dataset-file.js';

export interface DatasetOptions {
  readonly dataset?: string;
  readonly columns?: string;
  readonly verifier?: string;
  readonly domain?: string;
  readonly split?: Split;
  readonly fractions: string;
  readonly splitSeed: string;
}

/** The form that the options name. @throws INVALID_INPUT when --columns cannot be read */
function formOf({ dataset, columns }: DatasetOptions): DatasetForm {
  return columns === undefined ? datasetForms.get(dataset ?? 'seam')! : columnsForm(parseColumnMapping(columns));
}

/** @throws INVALID_INPUT when a mapping, a share or a name cannot be read */
export function readingSettings(options: DatasetOptions): ReadingSettings {
  const { verifier, domain, split, splitSeed } = options;
  if (domain !== undefined && !DOMAIN_NAME.test(domain)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --domain: expected 1 to 64 letters, digits, ".", "_" or "-", got "${domain}".`,
    );
  }
  const fractions = parseFractions(options.fractions);
  return {
    form: formOf(options),
    domain,
    verifier: verifier === undefined ? undefined : { kind: verifier },
    split: split === undefined ? undefined : { part: split, fractions, seed: splitSeed },
  };
}

/**
 * How a file is read: as the options say, otherwise as its first row looks, as `datasets inspect` reads it.
 * @throws as {@link readingSettings}
 */
export async function settingsFor({ bytes }: DatasetFile, options: DatasetOptions): Promise<ReadingSettings> {
  const settings = readingSettings(options);
  if (options.dataset !== undefined || options.columns !== undefined) return settings;
  return { ...settings, form: (await detectedForm(bytes)) ?? settings.form };
}
