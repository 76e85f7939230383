/** Options that say what the rows of a file look like, and which of them a command wants. */
import { datasetForms, SPLITS } from '@seamstream/datasets';
import { clipped } from '@seamstream/kernel';
import { type Command, Option } from 'commander';

/** Adds the options that say how a file is read. */
export function withDatasetOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .addOption(
      new Option(
        '--columns <mapping>',
        'any other JSON Lines or Parquet: prompt=COLUMN,reference=COLUMN and, where wanted, domain=, problemId=, subject=, metadata.NAME=; dotted paths reach into nested columns',
      ).conflicts('dataset'),
    )
    .addOption(
      new Option(
        '--as <domain>',
        "a domain (generic, math, web) or the path of a domain's file: which data sets, which verifier (docs/how-to/tools.md)",
      ).conflicts(['dataset', 'columns']),
    )
    .option('--verifier <kind>', 'judge by this verifier, instead of what dataset or row say; of passages each answer')
    .option('--domain <name>', 'domain of every problem, instead of what the rows say')
    .addOption(new Option('--split <part>', 'only this part, chosen by a hash of each question').choices(SPLITS))
    .option('--fractions <shares>', 'shares of train, validation and test', '0.9,0.05,0.05')
    .option('--split-seed <text>', 'another seed makes other parts', '0');
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
