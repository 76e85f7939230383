/** Experts: an adapter with all that it takes to use it elsewhere, as one archive. */
import { dirname, join } from 'node:path';
import { plural, SeamError, shortId } from '@seamstream/kernel';
import {
  exportExpert,
  type ImportedExpert,
  importExpert,
  isExpertName,
  MOST_ARCHIVE_BYTES,
} from '@seamstream/operations/experts';
import { Command, InvalidArgumentError } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { bytes } from '../terminal/text.js';

interface ExportOptions {
  readonly to: string;
  readonly name?: string;
  readonly force?: true;
}

interface ImportOptions {
  readonly carry?: string;
  readonly force?: true;
}

/** @throws InvalidArgumentError */
function expertName(text: string): string {
  if (isExpertName(text)) return text;
  throw new InvalidArgumentError(
    `Reading --name: expected lower-case letters, digits, ".", "_" and "-", at most 64, came "${text}".`,
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

/** The bytes of an archive, of a size that can be one. @throws ADAPTER_INVALID */
async function archiveAt(runtime: CommandRuntime, path: string): Promise<Uint8Array> {
  const file = await runtime.openInput(path);
  if (file.byteLength <= MOST_ARCHIVE_BYTES) return new Uint8Array(await file.slice(0));
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot read the expert ${path}: expected at most ${bytes(MOST_ARCHIVE_BYTES)}, got ${bytes(file.byteLength)}. Name another file.`,
  );
}

async function importFromFile(runtime: CommandRuntime, path: string, options: ImportOptions): Promise<ExitCode> {
  const body = await archiveAt(runtime, path);
  const imported = await importExpert(runtime, { bytes: body, folder: path }, readingOf(runtime));
  if (options.carry !== undefined) await writeCarried(runtime, imported, options.carry, options.force);
  return tellImported(runtime, imported, options.carry);
}

/** What can be used with any base model, as a folder. */
async function writeCarried(
  runtime: CommandRuntime,
  { carried }: ImportedExpert,
  folder: string,
  replace: true | undefined,
): Promise<void> {
  for (const name of carried.keys()) {
    await runtime.makeFolder(dirname(join(folder, name)));
    await runtime.checkOutput(join(folder, name), { replace });
  }
  for (const [name, body] of carried) await runtime.writeOutput(join(folder, name), body, { replace });
}

/** What became of an import, and what can be done where the adapter does not fit. */
function tellImported({ terminal }: CommandRuntime, imported: ImportedExpert, folder: string | undefined): ExitCode {
  const { digest, status, expert, baseModelDigest, otherTemplates } = imported;
  const { name, adapterDigest, baseModelDigest: trainedOn } = expert.description;
  const exit = status === 'otherBase' ? EXIT.failedCheck : EXIT.ok;
  if (terminal.json) {
    const base = { baseModelDigest: trainedOn, generatorBaseModelDigest: baseModelDigest };
    const retrain = status === 'otherBase' ? retraining(imported, folder ?? 'FOLDER') : [];
    terminal.printJson({ name, digest, status, adapterDigest, ...base, otherTemplates, retrain });
    return exit;
  }
  const isOther = status === 'otherBase';
  terminal.print(
    isOther
      ? `${name} was trained on the base model ${shortId(trainedOn)}, the generators have ${shortId(baseModelDigest)}: its adapter does not fit, and nothing was published.\n`
      : `${status === 'known' ? `${adapterDigest} is in the log already: nothing was changed` : `published ${adapterDigest}; it is not served until it is promoted`}\n`,
  );
  if (otherTemplates.length > 0)
    terminal.print(
      `Templates differ here (${otherTemplates.join(', ')}): it is measured as before only with its own${folder === undefined ? ' (--carry)' : ''}.\n`,
    );
  if (isOther) {
    const { edits, problems, templates } = expert;
    terminal.print(
      `Any base model can use ${plural(templates.size, 'template')}, ${plural(edits.length, 'edit')} and ${plural(problems.length, 'problem')}. Train again:\n${retraining(
        imported,
        folder ?? 'FOLDER',
      )
        .map((line) => `  ${line}\n`)
        .join('')}`,
    );
  }
  return exit;
}

/** Commands that train an expert for another base model from what was carried. */
function retraining({ expert }: ImportedExpert, folder: string): readonly string[] {
  const algorithm = expert.history.at(-1)?.algorithm ?? 'sft';
  return [
    `seam publish ${join(folder, 'problems.jsonl')}`,
    `seam train ${algorithm === 'import' ? 'sft' : algorithm}`,
    `seam eval ${join(folder, 'problems.jsonl')} --adapter served`,
  ];
}

export function expertsCommand(run: RunCommand): Command {
  return new Command('experts')
    .summary('adapters with templates, history and evaluation, to carry elsewhere')
    .addHelpText(
      'after',
      examples([
        ['seam experts export served --to herbs.tar --name herbs', 'one archive'],
        ['seam experts import herbs.tar', 'check every byte and publish the adapter'],
        ['seam experts import herbs.tar --carry herbs', 'and write templates, edits and problems into a folder'],
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
        .action((path: string, options: ImportOptions) => run((runtime) => importFromFile(runtime, path, options))),
    );
}
