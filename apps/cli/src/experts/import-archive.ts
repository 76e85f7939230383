/** An archive of an expert that comes in, from a file or from a catalogue, and what is said of it. */
import { dirname, join } from 'node:path';
import { plural, SeamError, shortId } from '@seamstream/kernel';
import { type ImportedExpert, importExpert, MOST_ARCHIVE_BYTES } from '@seamstream/operations/experts';
import { personOf } from '../command-options.js';
import type { CommandRuntime } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { bytes } from '../terminal/text.js';

export interface ImportOptions {
  readonly carry?: string;
  readonly force?: true;
  readonly by?: string;
}

/** The bytes of an archive, of a size that can be one. @throws ADAPTER_INVALID */
export async function archiveAt(runtime: CommandRuntime, path: string): Promise<Uint8Array> {
  const file = await runtime.openInput(path);
  if (file.byteLength <= MOST_ARCHIVE_BYTES) return new Uint8Array(await file.slice(0));
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot read the expert ${path}: expected at most ${bytes(MOST_ARCHIVE_BYTES)}, got ${bytes(file.byteLength)}. Name another file.`,
  );
}

/** Publishes the adapter of an archive, and says what became of it. @param path where it comes from; recorded with the adapter */
export async function importArchive(
  runtime: CommandRuntime,
  { body, path }: { readonly body: Uint8Array; readonly path: string },
  options: ImportOptions,
): Promise<ExitCode> {
  const by = await personOf(runtime, options.by);
  const imported = await importExpert(runtime, { bytes: body, folder: path, by }, readingOf(runtime));
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
    const commands = retraining(imported, folder ?? 'FOLDER');
    terminal.print(
      `Any base model can use ${plural(templates.size, 'template')}, ${plural(edits.length, 'edit')} and ${plural(problems.length, 'problem')}${folder === undefined ? '; write them into a folder (--carry FOLDER)' : ''}. Train again:\n${commands.map((line) => `  ${line}\n`).join('')}`,
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
