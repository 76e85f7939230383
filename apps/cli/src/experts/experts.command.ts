/** Experts: an adapter with all that it takes to use it elsewhere, as one archive. */
import { plural, shortId } from '@seamstream/kernel';
import { exportExpert, isExpertName } from '@seamstream/operations/experts';
import { Command, InvalidArgumentError } from 'commander';
import { byOption, examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { bytes } from '../terminal/text.js';
import { catalogueCommands } from './catalogue.command.js';
import { archiveAt, type ImportOptions, importArchive } from './import-archive.js';

interface ExportOptions {
  readonly to: string;
  readonly name?: string;
  readonly force?: true;
}

/** @throws InvalidArgumentError */
function expertName(text: string): string {
  if (isExpertName(text)) return text;
  throw new InvalidArgumentError(
    `Cannot read --name: expected lower-case letters, digits, ".", "_" and "-", at most 64, got "${text}".`,
  );
}

async function exportToFile(
  runtime: CommandRuntime,
  meant: string,
  { to, name, force: replace }: ExportOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  await runtime.checkOutput(to, { replace });
  const { digest, bytes: body, expert } = await exportExpert(runtime, { meant, name }, readingOf(runtime));
  await runtime.writeOutput(to, body, { replace });
  const { description, history, evaluations, edits, problems } = expert;
  if (terminal.json)
    terminal.printJson({
      ...description,
      ...{ digest, file: to, sizeBytes: body.length },
      ...{ versions: history.length, evaluations: evaluations.length, edits: edits.length, problems: problems.length },
    });
  else
    terminal.print(
      `wrote expert ${description.name} ${shortId(digest)} to ${to} (${bytes(body.length)}): adapter ${shortId(description.adapterDigest)}, ${plural(history.length, 'version')}, ${plural(evaluations.length, 'evaluation')}, ${plural(edits.length, 'edit')}\n`,
    );
  return EXIT.ok;
}

async function importFromFile(runtime: CommandRuntime, path: string, options: ImportOptions): Promise<ExitCode> {
  return importArchive(runtime, { body: await archiveAt(runtime, path), path }, options);
}

export function expertsCommand(run: RunCommand): Command {
  const command = new Command('experts')
    .summary('adapters with templates, history and evaluation, to carry elsewhere')
    .addHelpText(
      'after',
      examples([
        ['seam experts export served --to herbs.tar --name herbs', 'one archive'],
        ['seam experts import herbs.tar', 'check every byte and publish the adapter'],
        ['seam experts import herbs.tar --carry herbs', 'and write templates, edits and problems into a folder'],
        ['seam experts publish herbs.tar --catalogue /shared/experts', 'offer it, signed'],
        ['seam experts list --catalogue /shared/experts', 'what is offered, and by whom'],
        ['seam experts install herbs --catalogue /shared/experts', 'the newest of that name'],
      ]),
    )
    .addCommand(
      new Command('export')
        .summary('write an adapter and what belongs to it as one archive')
        .description(
          "Writes a LoRA adapter in PEFT's form, the templates, the lineage and the configuration of its runs, its evaluations, and the\n" +
            'entries that helped with their problems. A manifest in the archive names the digest of each file.',
        )
        .argument('<digest>', '"served", or the first digits of an adapter, at least four')
        .requiredOption('--to <file.tar>', 'where to write')
        .option('--name <name>', 'what it is called (default: "expert-" and digits of the adapter)', expertName)
        .option('--force', 'replace a file that is there')
        .action((meant: string, options: ExportOptions) => run((runtime) => exportToFile(runtime, meant, options))),
    )
    .addCommand(
      new Command('import')
        .summary('publish the adapter of an archive')
        .description(
          "Checks every byte of an archive against its manifest and publishes its adapter where it fits the generators' base model. What serves\n" +
            'stays as it is. For another base model nothing is published, and it says what can be used and how to train again (exit code 1).',
        )
        .argument('<file.tar>', 'as seam experts export wrote it')
        .option('--carry <folder>', 'write templates, edits, problems, configuration, history and evaluations there')
        .option('--force', 'replace files that are there')
        .addOption(byOption('who imports it'))
        .action((path: string, options: ImportOptions) => run((runtime) => importFromFile(runtime, path, options))),
    );
  for (const each of catalogueCommands(run)) command.addCommand(each);
  return command;
}
