import { encodeRows, type RowFormat } from '@seamstream/success-buffer';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { bytes, plural } from '../terminal/text.js';
import { readOverview, readRows, selectCommit } from './read-buffer.js';

interface ExportOptions {
  readonly format: RowFormat;
  readonly out: string;
  readonly sequence?: number;
}

/** Writes the rows of a committed version to a file; every digest on the way is checked first. */
async function exportBuffer(runtime: CommandRuntime, options: ExportOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const commit = selectCommit(await readOverview(await runtime.openLog('existing')), options.sequence);
  const { rows } = await readRows(await runtime.openObjects(), commit);
  const body = encodeRows(rows, options.format);
  await runtime.writeOutput(options.out, body);
  const { sequence, bufferDigest } = commit;
  if (terminal.json) {
    terminal.printJson({
      out: options.out,
      format: options.format,
      sequence,
      bufferDigest,
      rows: rows.length,
      sizeBytes: body.length,
    });
  } else {
    terminal.print(
      `wrote ${plural(rows.length, 'row')} of version ${sequence} to ${options.out} (${bytes(body.length)})\n`,
    );
  }
  return EXIT.ok;
}

export function exportBufferCommand(run: RunCommand): Command {
  return new Command('export')
    .summary('write the rows of a version to a file')
    .description(
      'Writes the rows of the last version, or of another one, as Parquet or JSON Lines. A file that exists is replaced.',
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
