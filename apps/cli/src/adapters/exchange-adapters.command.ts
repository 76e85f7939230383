/** Adapters to and from other programs: PEFT's files, and whole checkpoints. */
import { dirname, join, resolve } from 'node:path';
import { count, shortId } from '@seamstream/kernel';
import { PEFT_FILE } from '@seamstream/language-model';
import { exportAdapter, importAdapter, mergeIntoFolder } from '@seamstream/operations/adapters';
import { Command } from 'commander';
import { byOption, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { bytes } from '../terminal/text.js';

interface ExportOptions {
  readonly peft: string;
  readonly force?: true;
}

async function exportToFolder(
  runtime: CommandRuntime,
  digits: string,
  { peft: folder, force: replace }: ExportOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const { adapter, files, modelFolder } = await exportAdapter(runtime, digits, readingOf(runtime));
  await runtime.makeFolder(folder);
  // Both are checked before either is written: the settings of one adapter must not be next to the tensors of another.
  for (const file of Object.values(PEFT_FILE)) await runtime.checkOutput(join(folder, file), { replace });
  await runtime.writeOutput(join(folder, PEFT_FILE.config), files.config, { replace });
  await runtime.writeOutput(join(folder, PEFT_FILE.tensors), files.tensors, { replace });
  const { digest: adapterDigest, baseModelDigest } = adapter;
  if (terminal.json) terminal.printJson({ adapterDigest, baseModelDigest, folder, sizeBytes: files.tensors.length });
  else
    terminal.print(
      `wrote ${shortId(adapterDigest)} to ${folder} (${bytes(files.tensors.length)}), for the base model in ${modelFolder}\n`,
    );
  return EXIT.ok;
}

interface ImportOptions {
  readonly by?: string;
}

async function importFromFolder(runtime: CommandRuntime, folder: string, options: ImportOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const by = await personOf(runtime, options.by);
  const files = {
    config: await runtime.readInput(join(folder, PEFT_FILE.config)),
    tensors: await runtime.readInput(join(folder, PEFT_FILE.tensors)),
  };
  const { adapter, isNew } = await importAdapter(runtime, { files, folder, by }, readingOf(runtime));
  const { digest: adapterDigest, baseModelDigest } = adapter;
  if (terminal.json) terminal.printJson({ adapterDigest, baseModelDigest, isNew });
  else if (!isNew) terminal.print(`${adapterDigest} is in the log already: nothing was changed\n`);
  else terminal.print(`published ${adapterDigest}; it is not served until it is promoted\n`);
  return EXIT.ok;
}

async function merge(runtime: CommandRuntime, digits: string, { into }: { readonly into: string }): Promise<ExitCode> {
  const { terminal } = runtime;
  await runtime.makeFolder(dirname(resolve(into)));
  const { adapter, ...merged } = await mergeIntoFolder(runtime, { digits, into }, readingOf(runtime));
  if (terminal.json) terminal.printJson({ adapterDigest: adapter.digest, into, ...merged });
  else {
    const { changed, tensors, sizeBytes } = merged;
    terminal.print(
      `merged ${shortId(adapter.digest)} into ${into}: ${count(changed)} of ${count(tensors)} tensors changed, ${bytes(sizeBytes)}\n`,
    );
  }
  return EXIT.ok;
}

export function exchangeCommands(run: RunCommand): Command[] {
  const digest = ['<digest>', 'or its first digits, at least four'] as const;
  return [
    new Command('export')
      .summary("write a LoRA adapter as PEFT's files")
      .description('Writes adapter_config.json and adapter_model.safetensors, which PeftModel.from_pretrained reads.')
      .argument(...digest)
      .requiredOption('--peft <folder>', 'where to write; made where it is missing')
      .option('--force', 'replace files that are there')
      .addHelpText(
        'after',
        examples([['seam adapters export 4f3a90c1 --peft my-adapter', 'for transformers and peft']]),
      )
      .action((digits: string, options: ExportOptions) => run((runtime) => exportToFolder(runtime, digits, options))),
    new Command('import')
      .summary("publish a LoRA adapter from PEFT's files")
      .description(
        "Reads adapter_config.json and adapter_model.safetensors of a folder, checks them against the generators' base model, and publishes the adapter under its measured digest. What serves stays as it is.",
      )
      .argument('<folder>', 'as peft wrote it')
      .addHelpText('after', examples([['seam adapters import my-adapter', 'then measure it: seam eval --adapter …']]))
      .addOption(byOption('who imports it'))
      .action((folder: string, options: ImportOptions) => run((runtime) => importFromFolder(runtime, folder, options))),
    new Command('merge')
      .summary('write the base model with an adapter merged into it')
      .description(
        'Writes a checkpoint folder that transformers loads and that a generator serves without an adapter. Changed tensors are float32, the others are copied as they are.',
      )
      .argument(...digest)
      .requiredOption('--into <folder>', 'a new or an empty one')
      .addHelpText(
        'after',
        examples([['seam adapters merge 4f3a90c1 --into merged', 'AutoModelForCausalLM.from_pretrained("merged")']]),
      )
      .action((digits: string, options: { readonly into: string }) =>
        run((runtime) => merge(runtime, digits, options)),
      ),
  ];
}
