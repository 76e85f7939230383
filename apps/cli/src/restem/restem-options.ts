/** Options for the settings by which a writer is trained. */
import type { DatasetOptions } from '@seamstream/operations/publish';
import { RESTEM_PRESETS, type RestEmRunConfig, resolveRestEm, settingsIn } from '@seamstream/operations/restem';
import { type Command, Option } from 'commander';
import type { CommandRuntime } from '../command-runtime.js';
import { parseAssignments } from '../train/assignments.js';

interface RestEmOptions {
  readonly config?: string;
  readonly preset?: string;
  readonly set: readonly string[];
}

export type StartOptions = RestEmOptions &
  DatasetOptions & { readonly dryRun?: true; readonly by?: string; readonly track?: string };

/** What trainer, preset, file and command line say together. */
export async function configOf(runtime: CommandRuntime, options: RestEmOptions): Promise<RestEmRunConfig> {
  const { config, preset, set } = options;
  return resolveRestEm({
    trainer: await runtime.algorithmSettings('rest-em', preset),
    preset,
    file: config === undefined ? undefined : settingsIn(config, await runtime.readInput(config)),
    set: parseAssignments(set),
  });
}

/** Adds the options that say how a writer is trained. */
export function withRestEmOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'settings in YAML or JSON: iterations, passages, patience, idle, algorithm; "-" is standard input',
    )
    .addOption(
      new Option('--preset <name>', "named settings to begin with (default: the trainer's)").choices(RESTEM_PRESETS),
    )
    .option(
      '--set <name=value>',
      'one setting, before all others, e.g. iterations=3 or algorithm.learningRate.peak=1e-4; may be given several times',
      (text: string, before: readonly string[]) => [...before, text],
      [] as readonly string[],
    );
}
