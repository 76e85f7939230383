import { count, plural } from '@seamstream/kernel';
import { type Generating, type GenerationState, openGenerating } from '@seamstream/operations/edits';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { forceOption } from '../evaluate/asking-options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { metricsText } from './metrics-text.js';
import { generationFacts, remaining, renderGeneration } from './render-generation.js';
import { generateRequest, type WriterOptions, withWriterOptions } from './writer-options.js';

interface GenerateOptions extends WriterOptions {
  /** Absent of `warm`. */
  readonly out?: string;
  readonly force?: true;
  readonly metrics?: string;
}

/** Writes edits into a file, or into the cache alone. */
export async function generate(runtime: CommandRuntime, path: string, options: GenerateOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const { out, force, metrics } = options;
  if (metrics !== undefined) await runtime.checkOutput(metrics, { replace: true });
  const startedMs = clock.now();
  const generating = await openGenerating(
    runtime,
    path,
    { ...generateRequest(options), out, force },
    readingOf(runtime),
  );
  tellBeginning(runtime, generating);
  const state = await finalState(runtime, generating);
  const facts = generationFacts(generating, state, { file: path, out: out ?? null, ms: clock.now() - startedMs });
  if (metrics !== undefined) await runtime.writeOutput(metrics, Buffer.from(metricsText(facts)), { replace: true });
  if (terminal.json) terminal.printJson(facts);
  else terminal.print(renderGeneration(facts, terminal.style));
  return Object.keys(facts.unaugmented).length === 0 ? EXIT.ok : EXIT.failedCheck;
}

function tellBeginning({ terminal }: CommandRuntime, { kept, lines, file }: Generating): void {
  if (file.others > 0) terminal.remark(`${plural(file.others, 'row')} without a passage are left out.`);
  if (kept > 0) terminal.remark(`${count(kept)} of ${plural(lines, 'edit')} are there from an earlier run: resuming.`);
}

async function finalState(runtime: CommandRuntime, generating: Generating): Promise<GenerationState> {
  const { terminal } = runtime;
  const { kept, lines, partPath } = generating;
  const progress = terminal.progress('writing edits', lines);
  progress.advance(kept);
  let shown = kept;
  try {
    for await (const { done, leftMs } of generating.batches()) {
      progress.note(leftMs === null ? '' : remaining(leftMs));
      progress.advance(done - shown);
      shown = done;
    }
    progress.advance(generating.state().done - shown);
    return generating.state();
  } catch (error) {
    const { done } = generating.state();
    if (partPath !== null && done > 0)
      terminal.remark(
        `${count(done)} of ${plural(lines, 'edit')} are in ${partPath}. The same command resumes from there.`,
      );
    throw error;
  } finally {
    progress.stop();
  }
}

export function generateEditsCommand(run: RunCommand): Command {
  return withWriterOptions(new Command('generate'))
    .summary('writes edits of all passages of a file, as a data set to train on')
    .description(
      'Asks a model for self-edits of each passage of FILE and writes a line of JSON per edit: the edit, the documents to train on,\n' +
        'which filter refused it, or why it could not be written; then the passage stands alone. The generator writes, with --adapter\n' +
        'as it was trained to, or a teacher behind --endpoint. Edits that were written before are taken from the cache. The edits so far\n' +
        'are in OUT.….part, and the same command resumes after a stop. Records nothing. Exit code 1: an edit could not be written.',
    )
    .argument('<file>', 'passages: JSON Lines, Parquet, or SQuAD as published')
    .requiredOption('--out <file>', 'where the data set is written, as JSON Lines')
    .addOption(forceOption())
    .option('--metrics <file>', "what the run came to, as Prometheus' text format; a file of that name is replaced")
    .addHelpText(
      'after',
      examples([
        ['seam edits generate train-v1.1.json --out edits.jsonl', 'by the configured generator'],
        ['seam edits generate train-v1.1.json --adapter served --kind self-qa --out qa.jsonl', 'with its adapter'],
        [
          'seam edits generate passages.jsonl --endpoint https://host/v1 --endpoint-model big --key-variable KEY --out t.jsonl',
          'by a teacher',
        ],
        ['seam edits export edits.jsonl --out documents.jsonl', 'the documents alone, for a trainer'],
      ]),
    )
    .action((file: string, options: GenerateOptions) => run((runtime) => generate(runtime, file, options)));
}
