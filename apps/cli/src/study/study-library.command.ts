import type { LibraryStudy } from '@seamstream/evaluation';
import { type LibraryStudyRequest, type StudiedLibrary, studyLibraryOf } from '@seamstream/operations/evaluate';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { askingModels, setOption } from '../evaluate/asking-options.js';
import { renderJudges } from '../evaluate/render-judges.js';
import { waysOf } from '../evaluate/shipped-models.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

function renderLibraryStudy({ rows, problems, items }: LibraryStudy, style: Style): string {
  const tokens = (count: number | null): string => (count === null ? '' : count.toFixed(1));
  const columns = [
    { title: 'ROW' },
    ...['SUCCESS', '95 %', 'LIBRARY AHEAD', '95 %', 'ENTRY TOKENS', 'RESPONSE TOKENS'].map((title) => ({
      title,
      align: 'right' as const,
    })),
  ];
  const cells = rows.map(([name, row]) => {
    const { success, interval95, libraryAhead, entryTokens, responseTokens } = row;
    return [
      ...[name, percent(success), interval95.map(percent).join('–')],
      ...(libraryAhead === null
        ? ['', '']
        : [percent(libraryAhead.value), libraryAhead.interval95.map(percent).join('–')]),
      ...[tokens(entryTokens), tokens(responseTokens)],
    ];
  });
  return `${items} items on ${problems} problems\n${renderTable(columns, cells, style)}${renderJudges(rows.map(([, row]) => row))}`;
}

async function study(
  runtime: CommandRuntime,
  path: string | undefined,
  request: LibraryStudyRequest,
): Promise<ExitCode> {
  const { terminal } = runtime;
  await askingModels(
    runtime,
    waysOf(['noExperience', 'untrained', 'trained']),
    ({ digest, result }: StudiedLibrary) => {
      if (terminal.json) terminal.printJson({ digest, ...result });
      else terminal.print(renderLibraryStudy(result, terminal.style));
    },
    (observer) => studyLibraryOf(runtime, path, request, observer),
  );
  return EXIT.ok;
}

const listed = (word: string, before: readonly string[]): string[] => [...before, word];

export function studyLibraryCommand(run: RunCommand): Command {
  return withDatasetOptions(new Command('library'))
    .summary('what a library is worth: no library, a shuffled one, filler, and others')
    .description(
      'Solves the problems without an experience, without a library, with the library, with its advice exchanged, with filler of as many\n' +
        'tokens, and with every library that is named. Differences are paired. Nothing is recorded.',
    )
    .argument('[file]', 'held-out problems as for "seam publish", or "-"; without it, a set of the demonstration')
    .addOption(setOption())
    .option('--library <digest>', 'served, or the first digits of a digest', 'served')
    .option(
      '--against <library>',
      "a digest, or a file as youtu-agent's practice writes one; may be repeated",
      listed,
      [],
    )
    .option('--limit <n>', 'the first n problems only', wholeNumber('--limit', 1))
    .option('--seed <text>', 'decides how the library is shuffled', 'seam')
    .addHelpText(
      'after',
      `${datasetsHelp()}${examples([
        ['seam study library', 'the served library on the held-out problems of the demonstration'],
        ['seam study library --against written.json', 'compared with one that was written without attempts'],
      ])}`,
    )
    .action((file: string | undefined, options: LibraryStudyRequest) =>
      run((runtime) => study(runtime, file, options)),
    );
}
