import { plural, SeamError } from '@seamstream/kernel';
import { exportRows } from '@seamstream/operations/buffer';
import type { RowFormat } from '@seamstream/success-buffer';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { bytes } from '../terminal/text.js';

interface ExportOptions {
  readonly format: RowFormat;
  readonly out: string;
  readonly sequence?: number;
  readonly force?: true;
}

/** Writes the rows of a committed version to a file; every digest on the way is checked first. */
async function exportBuffer(runtime: CommandRuntime, options: ExportOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { out, format, force: replace } = options;
  if (out === STANDARD_STREAM && terminal.json) {
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot export: expected one thing on standard output, got --out - and --json. Leave one of the two out.',
    );
  }
  await runtime.checkOutput(out, { replace });
  const { body, rows, bufferDigest, shards } = await exportRows(runtime, options);
  await runtime.writeOutput(out, body, { replace });
  const sequences = [...new Set(shards.map(([, sequence]) => sequence))];
  if (terminal.json) {
    terminal.printJson({
      out,
      format,
      // Of several shards that are not at the same version there is no one number.
      sequence: sequences.length === 1 ? sequences[0] : null,
      ...(shards.length === 1 ? {} : { shards }),
      bufferDigest,
      rows,
      sizeBytes: body.length,
    });
  } else {
    const of = shards.length === 1 ? '' : ` of ${shards.length} shards`;
    const what = `${plural(rows, 'row')} of version ${sequences.join(', ')}${of}`;
    if (out === STANDARD_STREAM) terminal.remark(`wrote ${what} to standard output (${bytes(body.length)})`);
    else terminal.print(`wrote ${what} to ${out} (${bytes(body.length)})\n`);
  }
  return EXIT.ok;
}

export function exportBufferCommand(run: RunCommand): Command {
  return new Command('export')
    .summary('write the rows of a version to a file')
    .description(
      'Writes the rows of the last version, or of another one, as Parquet or JSON Lines; of a buffer in shards those of all shards.',
    )
    .addOption(new Option('--format <format>', 'of the file').choices(['parquet', 'jsonl']).default('parquet'))
    .requiredOption('--out <file>', 'where to write; "-" is standard output')
    .option('--force', 'replace a file that is there')
    .option('--sequence <n>', 'this version instead of the last', wholeNumber('--sequence', 1))
    .addHelpText(
      'after',
      examples([
        ['seam buffer export --out buffer.parquet', 'for DuckDB, pandas, …'],
        ['seam buffer export --format jsonl --out rows.jsonl --sequence 3', 'an earlier version, readable'],
        ['seam buffer export --format jsonl --out - | jq .entry', 'into another program'],
      ]),
    )
    .action((options: ExportOptions) => run((runtime) => exportBuffer(runtime, options)));
}
