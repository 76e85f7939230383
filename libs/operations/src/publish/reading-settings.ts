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
import { loadTaskDomain, type TaskDomain } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type { DatasetFile } from './dataset-file.js';

export interface DatasetOptions {
  /** A domain, or the path of a domain's file. */
  readonly as?: string;
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
 * How a file is read: as the options say, then as their domain does, otherwise as its first row looks, as `datasets inspect` reads it.
 * @throws as {@link readingSettings}; INVALID_CONFIGURATION for a domain that is not there; INVALID_INPUT for rows of another data set
 */
export async function settingsFor(file: DatasetFile, options: DatasetOptions): Promise<ReadingSettings> {
  const settings = readingSettings(options);
  if (options.as !== undefined) return settingsOfDomain(await loadTaskDomain(options.as), file, options);
  if (options.dataset !== undefined || options.columns !== undefined) return settings;
  return { ...settings, form: (await detectedForm(file.bytes)) ?? settings.form };
}

async function settingsOfDomain(
  { name, reader, verifier }: TaskDomain,
  file: DatasetFile,
  options: DatasetOptions,
): Promise<ReadingSettings> {
  const settings = readingSettings(options);
  return {
    ...settings,
    form:
      'columns' in reader
        ? columnsForm(parseColumnMapping(reader.columns))
        : await formAmong(reader.datasets, options.as!, file),
    domain: settings.domain ?? name,
    verifier: settings.verifier ?? verifier,
  };
}

/** The data set that the file's first row looks like, of those that a domain names. */
async function formAmong(names: readonly string[], domain: string, { bytes, name }: DatasetFile): Promise<DatasetForm> {
  const unknown = names.find((each) => !datasetForms.has(each));
  if (unknown !== undefined)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot read as domain ${domain}: expected data sets among ${[...datasetForms.keys()].join(', ')}, got ${JSON.stringify(unknown)}. Correct the domain's file.`,
    );
  const found = await detectedForm(bytes);
  // What looks like nothing is read as the first one, whose complaints name the fields.
  if (found === undefined) return datasetForms.get(names[0]!)!;
  if (names.includes(found.name)) return found;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read ${name} as domain ${domain}: expected rows of ${names.join(' or ')}, got rows that look like ${found.name}. Use another domain, or none.`,
  );
}
