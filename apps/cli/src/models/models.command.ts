/** Models in the object store: writing a folder there, and having it as a folder elsewhere. */
import { shortId } from '@seamstream/kernel';
import { fetchModel, pushModel } from '@seamstream/operations/models';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { bytes } from '../terminal/text.js';

async function push(runtime: CommandRuntime, folder: string): Promise<ExitCode> {
  const { terminal } = runtime;
  const { digest, files, sizeBytes } = await pushModel(runtime, folder);
  if (terminal.json) terminal.printJson({ digest, files, sizeBytes });
  else terminal.print(`${digest}  ${files.length} files, ${bytes(sizeBytes)}\n`);
  return EXIT.ok;
}

async function fetch(runtime: CommandRuntime, digests: readonly string[], into: string): Promise<ExitCode> {
  const { terminal } = runtime;
  for (const digest of digests) {
    const { folder, sizeBytes, isNew } = await fetchModel(runtime, { digest, into });
    if (terminal.json) terminal.printJson({ digest, folder, sizeBytes, isNew });
    else
      terminal.print(
        `${shortId(digest)}  ${isNew ? 'fetched' : 'is there already'}, ${bytes(sizeBytes)}, checked: ${folder}\n`,
      );
  }
  return EXIT.ok;
}

export function modelsCommand(run: RunCommand): Command {
  return new Command('models')
    .summary('models in the object store, by their digests: push and fetch')
    .addHelpText(
      'after',
      examples([
        ['seam models push ./qwen3-0.6b', 'write a model folder into the object store, and print its digest'],
        ['seam models fetch 4f2a… --to /models', 'have it as /models/4f2a…, every byte checked'],
      ]),
    )
    .addCommand(
      new Command('push')
        .summary('writes a model folder into the object store')
        .description(
          'Writes the files of a model folder into the object store and prints the digest that names them. What is there is not written again.\n' +
            'Folders in it and files that begin with a dot are left out.',
        )
        .argument('<folder>', 'a model as Hugging Face publishes it')
        .action((folder: string) => run((runtime) => push(runtime, folder))),
    )
    .addCommand(
      new Command('fetch')
        .summary('has pushed models as folders here')
        .description(
          'Fetches each model into a folder that is named by its digest, and compares every byte. A folder that is there is checked, and fetched again if it is damaged.',
        )
        .argument('<digests...>', 'as seam models push printed them')
        .requiredOption('--to <folder>', 'where the folders are made')
        .action((digests: readonly string[], { to }: { readonly to: string }) =>
          run((runtime) => fetch(runtime, digests, to)),
        ),
    );
}
