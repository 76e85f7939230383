/** How a command is told what the rows of a file look like, and which of them it wants. */
import {
  columnsForm,
  type DatasetForm,
  DOMAIN_NAME,
  datasetForms,
  detectedForm,
  parseColumnMapping,
  parseFractions,
  type ReadingSettings,
  SPLITS,
  type Split,
} from '@seamstream/datasets';
import { clipped, SeamError } from '@seamstream/kernel';
import type { DatasetFile } from '@seamstream/operations/publish';
import { type Command, Option } from 'commander';

export interface DatasetOptions {
  readonly dataset?: string;
  readonly columns?: string;
  readonly verifier?: string;
  readonly domain?: string;
  readonly split?: Split;
  readonly fractions: string;
  readonly splitSeed: string;
}

/** Adds the options that say how a file is read. */
export function withDatasetOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row tells').choices([
        ...datasetForms.keys(),
      ]),
    )
    .addOption(
      new Option(
        '--columns <mapping>',
        'any other JSON Lines or Parquet: prompt=COLUMN,reference=COLUMN and, where wanted, domain=, problemId=, subject=, metadata.NAME=; dotted paths reach into nested columns',
      ).conflicts('dataset'),
    )
    .option('--verifier <kind>', 'judge by this verifier, instead of what dataset or row say')
    .option('--domain <name>', 'domain of every problem, instead of what the rows say')
    .addOption(new Option('--split <part>', 'only this part, chosen by a hash of each question').choices(SPLITS))
    .option('--fractions <shares>', 'shares of train, validation and test', '0.9,0.05,0.05')
    .option('--split-seed <text>', 'another seed makes other parts', '0');
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
      `Reading --domain: expected 1 to 64 letters, digits, ".", "_" or "-", came "${domain}".`,
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

/** The "Datasets" section of a help text. */
export function datasetsHelp(): string {
  const lines = [...datasetForms.values()].map(
    ({ name, summary, example }) => `  ${name.padEnd(6)} ${summary}\n         ${shortened(example)}\n`,
  );
  return `\nDatasets, each as JSON Lines or Parquet (plain, Snappy, zstd, gzip, Brotli):\n${lines.join('')}`;
}

function shortened(example: string): string {
  return clipped(example, 160);
}
