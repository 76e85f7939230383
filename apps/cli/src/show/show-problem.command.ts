import { findProblem, readStory, storyWithDoubts } from '@seamstream/operations/show';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asItWas, asOfOption } from '../read-models/read-model-options.js';
import { renderStory } from './render-story.js';

interface ShowOptions {
  readonly asOf?: string;
  readonly full?: true;
}

/** Finds the problem, reads all records about it, and prints them in the order in which they happened. */
async function showProblem(runtime: CommandRuntime, meant: string, options: ShowOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  // Everything that is in the log, believed or not: a result that does not count is part of the story.
  const log = await asItWas(await runtime.openUnsignedLog('read'), options.asOf);
  const progress = (label: string) => (total: number) => terminal.progress(label, total);
  const problemId = await findProblem(log, meant, { signal, progress: progress('looking for the problem') });
  const told = await readStory(log, problemId, { signal, progress: progress('reading the log') });
  if (terminal.json) terminal.printJson(storyWithDoubts(told));
  else terminal.print(renderStory(told, { full: options.full ?? false }, terminal.style));
  return EXIT.ok;
}

export function showCommand(run: RunCommand): Command {
  return new Command('show')
    .summary('one problem, from its publication to the runs that learned from it')
    .description(
      'Shows from the log what became of PROBLEM: who published it, the entries that were written for it and by which adapter, the\n' +
        'answers and verdicts with their reasons, what the rest of the log does not bear out, what the buffer decided, and which\n' +
        'training runs had it before them. PROBLEM is an id, the beginning of one, or words of the question. Nothing is recorded.',
    )
    .argument('<problem>', 'an id, its first characters (at least four), or words of the question')
    .option('--full', 'responses, answers and reasons whole')
    .addOption(asOfOption())
    .addHelpText(
      'after',
      examples([
        ['seam tail problems', 'ids of the last problems'],
        ['seam show 4f3a90c1', 'the story of one'],
        ['seam show "forty apples"', 'the one whose question says so'],
        ['seam show 4f3a90c1 --json', 'for a script'],
      ]),
    )
    .action((problem: string, options: ShowOptions) => run((runtime) => showProblem(runtime, problem, options)));
}
