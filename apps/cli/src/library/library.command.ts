import { count, shortId } from '@seamstream/kernel';
import {
  compareLibraries,
  libraryHistory,
  readLibraries,
  readLibrary,
  takeLibraryIn,
  takeLibraryOut,
} from '@seamstream/operations/library';
import { Command } from 'commander';
import { byOption, examples, personOf } from '../command-options.js';
import { type CommandRuntime, type RunCommand, STANDARD_STREAM } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { keptLogOf, readingOf } from '../read-models/read-model-options.js';
import { renderDiff, renderHistory, renderLibraries, renderLibrary } from './render-library.js';

async function list(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal } = runtime;
  const libraries = await readLibraries(...(await keptLogOf(runtime)));
  if (terminal.json) terminal.printJson({ libraries });
  else terminal.print(renderLibraries(libraries, terminal.style));
  return EXIT.ok;
}

async function show(runtime: CommandRuntime, word: string): Promise<ExitCode> {
  const { terminal } = runtime;
  const found = await readLibrary(runtime, word, readingOf(runtime));
  if (terminal.json) terminal.printJson(found.library);
  else terminal.print(renderLibrary(found, terminal.style));
  return EXIT.ok;
}

async function diff(runtime: CommandRuntime, before: string, after: string): Promise<ExitCode> {
  const { terminal } = runtime;
  const compared = await compareLibraries(runtime, { before, after }, readingOf(runtime));
  if (terminal.json) terminal.printJson(compared);
  else terminal.print(renderDiff(compared.diff));
  return EXIT.ok;
}

async function history(runtime: CommandRuntime, word: string): Promise<ExitCode> {
  const { terminal } = runtime;
  const steps = await libraryHistory(runtime, word, readingOf(runtime));
  if (terminal.json) terminal.printJson(steps);
  else terminal.print(renderHistory(steps));
  return EXIT.ok;
}

interface ExportOptions {
  readonly output: string;
  readonly force?: true;
}

async function takeOut(runtime: CommandRuntime, word: string, { output, force }: ExportOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { text, lost, digest, items } = await takeLibraryOut(runtime, word, readingOf(runtime));
  await runtime.writeOutput(output, Buffer.from(text), { replace: force });
  const left = lost.length === 0 ? '' : `The form does not hold: ${lost.join('; ')}.`;
  if (output === STANDARD_STREAM) {
    // What is piped on is the library alone.
    if (left !== '') terminal.remark(left);
  } else if (terminal.json) terminal.printJson({ digest, items, lost, output });
  else
    terminal.print(`wrote ${count(items)} items of ${shortId(digest)} to ${output}\n${left === '' ? '' : `${left}\n`}`);
  return EXIT.ok;
}

interface ActOptions {
  readonly by?: string;
}

async function takeIn(runtime: CommandRuntime, path: string, options: ActOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const by = await personOf(runtime, options.by);
  const text = Buffer.from(await runtime.readInput(path)).toString();
  const { library, isNew } = await takeLibraryIn(runtime, { text, by }, readingOf(runtime));
  const { digest, items } = library;
  if (terminal.json) terminal.printJson({ digest, items: items.length, isNew });
  else if (!isNew) terminal.print(`${digest} is in the log already: nothing was changed\n`);
  else
    terminal.print(
      `published ${digest} with ${count(items.length)} items; it is not served until it is promoted (seam adapters promote)\n`,
    );
  return EXIT.ok;
}

export function libraryCommand(run: RunCommand): Command {
  const which = ['[digest]', 'served, or the first digits of its digest', 'served'] as const;
  return new Command('library')
    .summary('libraries of experiences: what is in them, and how they came about')
    .description(
      'Texts that help a model whose weights do not change. A digest is the library: SHA-256 of its content.',
    )
    .addHelpText(
      'after',
      examples([
        ['seam library list', 'every version: its size, its changes, what promotion said'],
        ['seam library show', 'the served one'],
        ['seam library diff 4f3a90c1 served', 'what differs'],
        ['seam library history', 'every change with its reason'],
        ['seam library export served --output library.json', "as youtu-agent's practice writes one"],
        ['seam library import library.json', 'publishes it; seam adapters promote serves it'],
      ]),
    )
    .addCommand(
      new Command('list')
        .summary('every version: its size, its changes, what promotion said')
        .action(() => run((runtime) => list(runtime))),
    )
    .addCommand(
      new Command('show')
        .summary('every item of a library')
        .argument(...which)
        .action((word: string) => run((runtime) => show(runtime, word))),
    )
    .addCommand(
      new Command('diff')
        .summary('items that differ between two libraries')
        .argument('<before>', 'base is the empty one')
        .argument('<after>', 'served, or the first digits of its digest')
        .action((before: string, after: string) => run((runtime) => diff(runtime, before, after))),
    )
    .addCommand(
      new Command('history')
        .summary('how a library came about: every change with its reason')
        .argument(...which)
        .action((word: string) => run((runtime) => history(runtime, word))),
    )
    .addCommand(
      new Command('export')
        .summary("write a library as youtu-agent's practice does")
        .description('Writes one JSON object of ids and texts, and says what it cannot hold.')
        .argument(...which)
        .requiredOption('--output <file>', 'or "-"')
        .option('--force', 'replace a file that is there')
        .action((word: string, options: ExportOptions) => run((runtime) => takeOut(runtime, word, options))),
    )
    .addCommand(
      new Command('import')
        .summary("publish a library from youtu-agent's form")
        .description(
          'Reads one JSON object of ids and texts and publishes it under its digest. What serves stays as it is.',
        )
        .argument('<file>', 'or "-"')
        .addOption(byOption('who publishes'))
        .action((path: string, options: ActOptions) => run((runtime) => takeIn(runtime, path, options))),
    );
}
