import { readLearnedFacts } from '@seamstream/operations/read-models';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asOfOption, fromScratchOption, keptLogOf } from '../read-models/read-model-options.js';
import { renderLearned } from './render-learned.js';

async function showLearned(runtime: CommandRuntime, options: ReadModelOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { answer: learned, use } = await readLearnedFacts(...(await keptLogOf(runtime, options)));
  if (terminal.json) terminal.printJson({ ...learned, ...use });
  else terminal.print(renderLearned(learned, terminal.style));
  return EXIT.ok;
}

export function learnedCommand(run: RunCommand): Command {
  return new Command('learned')
    .summary('what is learned: success on each fact that problems depend on')
    .description(
      'For each fact that problems name (metadata.facts, with commas between): how often they are solved without an entry, with entries of\n' +
        'the untrained generator, and with those of the newest adapter that wrote any. A problem counts for each of its facts.',
    )
    .addOption(fromScratchOption())
    .addOption(asOfOption())
    .addHelpText('after', examples([['seam learned', 'a row for each fact']]))
    .action((options: ReadModelOptions) => run((runtime) => showLearned(runtime, options)));
}
