import { join } from 'node:path';
import { count, onOneLine, plural } from '@seamstream/kernel';
import { EditCache, type Removed } from '@seamstream/operations/edits';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderFacts } from '../terminal/table.js';
import { bytes, percent } from '../terminal/text.js';
import { generate } from './generate-edits.command.js';
import { sizeIn, type WriterOptions, withCacheFolder, withWriterOptions } from './writer-options.js';

interface FolderOption {
  readonly cache?: string;
}

async function cacheOf(runtime: CommandRuntime, { cache }: FolderOption): Promise<EditCache> {
  return new EditCache(cache ?? join(await runtime.dataFolder(), 'edit-cache'), runtime.clock);
}

async function showStats(runtime: CommandRuntime, options: FolderOption): Promise<ExitCode> {
  const { terminal } = runtime;
  const stats = await (await cacheOf(runtime, options)).stats();
  if (terminal.json) {
    terminal.printJson(stats);
    return EXIT.ok;
  }
  const { folder, edits, bytes: size, hits, misses, hitRate } = stats;
  const facts: [string, string][] = [
    ['folder', onOneLine(folder)],
    ['edits', `${count(edits)}, ${bytes(size)}`],
    ['hit rate', `${percent(hitRate)} (${count(hits)} of ${count(hits + misses)} that runs asked for)`],
  ];
  terminal.print(renderFacts(facts, terminal.style));
  return EXIT.ok;
}

async function remove(
  runtime: CommandRuntime,
  options: FolderOption,
  act: (cache: EditCache) => Promise<Removed>,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const removed = await act(await cacheOf(runtime, options));
  if (terminal.json) terminal.printJson(removed);
  else terminal.print(`${plural(removed.edits, 'edit')} removed, ${bytes(removed.bytes)}\n`);
  return EXIT.ok;
}

/** The cache of edits: what is in it, and room in it. */
export function cacheEditsCommand(run: RunCommand): Command {
  return new Command('cache')
    .summary('edits that were written before: stats, clear, prune, warm')
    .addHelpText(
      'after',
      examples([
        ['seam edits cache stats', 'how many edits, and the hit rate'],
        ['seam edits cache prune --max-size 5GB', 'those used last stay'],
        ['seam edits cache warm train-v1.1.json', 'write edits now, to be found later'],
      ]),
    )
    .addCommand(
      withCacheFolder(new Command('stats'))
        .summary('how many edits are kept, and how often runs found what they asked for')
        .action((options: FolderOption) => run((runtime) => showStats(runtime, options))),
    )
    .addCommand(
      withCacheFolder(new Command('clear'))
        .summary('removes all edits that are kept')
        .action((options: FolderOption) => run((runtime) => remove(runtime, options, (cache) => cache.clear()))),
    )
    .addCommand(
      withCacheFolder(new Command('prune'))
        .summary('removes edits that were not used for the longest time')
        .requiredOption('--max-size <size>', 'what may stay: 5GB, 500MiB', sizeIn('--max-size'))
        .action((options: FolderOption & { readonly maxSize: number }) =>
          run((runtime) => remove(runtime, options, (cache) => cache.prune(options.maxSize))),
        ),
    )
    .addCommand(
      withWriterOptions(new Command('warm'))
        .summary('writes edits of all passages of a file into the cache alone')
        .argument('<file>', 'passages: JSON Lines, Parquet, or SQuAD as published')
        .action((file: string, options: WriterOptions) => run((runtime) => generate(runtime, file, options))),
    );
}
