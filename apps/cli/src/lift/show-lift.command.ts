import { readLift } from '@seamstream/operations/read-models';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asOfOption, fromScratchOption, keptLogOf } from '../read-models/read-model-options.js';
import { renderLift } from './render-lift.js';

async function showLift(runtime: CommandRuntime, options: ReadModelOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { answer: lift, use } = await readLift(...(await keptLogOf(runtime, options)));
  if (terminal.json) terminal.printJson({ ...lift, ...use });
  else terminal.print(renderLift(lift, terminal.style));
  return EXIT.ok;
}

export function liftCommand(run: RunCommand): Command {
  return new Command('lift')
    .summary('do experiences help? success with and without one, with an interval')
    .description(
      'Compares problems with experiences to the control arm, over all domains and in each. A problem counts once, by the share of its\n' +
        'candidates that solved it, as soon as every problem before it in its partition has an end. Problems that a verifier judges wait\n' +
        'for one another, and so do those that get feedback. The interval (95 %) holds at every look.',
    )
    .addOption(fromScratchOption())
    .addOption(asOfOption())
    .addHelpText(
      'after',
      examples([
        ['seam lift', 'the comparison'],
        ['seam lift --json', 'with its course over time'],
      ]),
    )
    .action((options: ReadModelOptions) => run((runtime) => showLift(runtime, options)));
}
