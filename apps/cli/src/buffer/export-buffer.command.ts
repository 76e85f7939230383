import { encodeRows, type RowFormat, rowsDigest, shardNameOf } from '@seamstream/success-buffer';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { bytes, plural } from '../terminal/text.js';
import { readOverview, readRows, selectCommits } from './read-buffer.js';

interface ExportOptions {
  readonly format: RowFormat;
  readonly out: string;
  readonly sequence?: number;
}

/** Writes the rows of a committed version to a file; every digest on the way is checked first. */
async function exportBuffer(runtime: CommandRuntime, options: ExportOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const commits = selectCommits(await readOverview(await runtime.openLog('read')), options.sequence);
  const rows = await readRows(await runtime.openObjects(), commits);
  const body = encodeRows(rows, options.format);
  await runtime.writeOutput(options.out, body);
  const { out, format } = options;
  const sequences = [...new Set(commits.map(({ sequence }) => sequence))];
  if (terminal.json) {
    terminal.printJson({
      out,
      format,
      // Of several shards that are not at the same version there is no one number.
      sequence: sequences.length === 1 ? sequences[0] : null,
      ...(commits.length === 1 ? {} : { shards: commits.map((one) => [shardNameOf(one), one.sequence]) }),
      bufferDigest: rowsDigest(rows),
      rows: rows.length,
      sizeBytes: body.length,
    });
  } else {
    const of = commits.length === 1 ? '' : ` of ${commits.length} shards`;
    terminal.print(
      `wrote ${plural(rows.length, 'row')} of version ${sequences.join(', ')}${of} to ${out} (${bytes(body.length)})\n`,
    );
  }
  return EXIT.ok;
}

export function exportBufferCommand(run: RunCommand): Command {
  return new Command('export')
    .summary('write the rows of a version to a file')
    .description(
      'Writes the rows of the last version, or of another one, as Parquet or JSON Lines; of a buffer in shards those of all shards. A file that exists is replaced.',
    )
    .addOption(new Option('--format <format>', 'of the file').choices(['parquet', 'jsonl']).default('parquet'))
    .requiredOption('--out <file>', 'where to write')
    .option('--sequence <n>', 'this version instead of the last', wholeNumber('--sequence', 1))
    .addHelpText(
      'after',
      examples([
        ['seam buffer export --out buffer.parquet', 'for DuckDB, pandas, …'],
        ['seam buffer export --format jsonl --out rows.jsonl --sequence 3', 'an earlier version, readable'],
      ]),
    )
    .action((options: ExportOptions) => run((runtime) => exportBuffer(runtime, options)));
}
