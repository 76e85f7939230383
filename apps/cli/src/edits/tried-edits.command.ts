import { count, excerpt, onOneLine, shortId } from '@seamstream/kernel';
import { readEditedPassages } from '@seamstream/operations/read-models';
import { Command } from 'commander';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { keptLogOf } from '../read-models/read-model-options.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

type Passages = Awaited<ReturnType<typeof readEditedPassages>>['answer'];

const COLUMNS = [
  ...['PASSAGE', 'WRITER'].map((title) => ({ title })),
  ...['BEFORE', 'AFTER', 'REWARD'].map((title) => ({ title, align: 'right' as const })),
  { title: 'VERDICT' },
  { title: 'EDIT' },
];
/** Of an edit. */
const CHARACTERS = 60;

function rowsOf(passages: Passages): readonly (readonly string[])[] {
  return passages.flatMap(({ problemId, tried }) =>
    tried.map(({ adapterDigest, edit, before, after, reward, detail }) => [
      ...[shortId(problemId), edit === null ? 'no edit' : adapterDigest === null ? 'base' : shortId(adapterDigest)],
      ...[percent(before), percent(after), reward.toFixed(3)],
      ...[onOneLine(detail), edit === null ? '–' : onOneLine(excerpt(edit, CHARACTERS))],
    ]),
  );
}

async function tried(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal } = runtime;
  const { answer: passages } = await readEditedPassages(...(await keptLogOf(runtime)));
  if (terminal.json) terminal.printJson({ passages });
  else if (passages.length === 0)
    terminal.print('No self-edit was tried in this log. Explore some: seam restem start passages.jsonl.\n');
  else
    terminal.print(
      `${renderTable(COLUMNS, rowsOf(passages), terminal.style)}${count(passages.length)} passages, the newest first\n`,
    );
  return EXIT.ok;
}

export function triedEditsCommand(run: RunCommand): Command {
  return new Command('tried')
    .summary('edits that were tried: questions right before and after')
    .description('The newest passages of the log with every edit that the frozen model was trained on for a moment.')
    .action(() => run((runtime) => tried(runtime)));
}
