import type { GivenPrices } from '@seamstream/operations/cost';
import { type LibraryStudyRequest, type StudiedLibrary, studyLibraryOf } from '@seamstream/operations/evaluate';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { moneyOrNone, priceOption } from '../cost/price-options.js';
import { askingModels, setOption } from '../evaluate/asking-options.js';
import { renderJudges } from '../evaluate/render-judges.js';
import { waysOf } from '../evaluate/shipped-models.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

function renderLibraryStudy({ result, currency, money }: StudiedLibrary, style: Style): string {
  const { rows, problems, items } = result;
  const tokens = (count: number | null): string => (count === null ? '' : count.toFixed(1));
  const columns = [
    { title: 'ROW' },
    ...['SUCCESS', '95 %', 'LIBRARY AHEAD', '95 %', 'ENTRY TOKENS', 'RESPONSE TOKENS', currency ?? 'MONEY'].map(
      (title) => ({
        title,
        align: 'right' as const,
      }),
    ),
  ];
  const cells = rows.map(([name, row], at) => {
    const { success, interval95, libraryAhead, entryTokens, responseTokens } = row;
    return [
      ...[name, percent(success), interval95.map(percent).join('–')],
      ...(libraryAhead === null
        ? ['', '']
        : [percent(libraryAhead.value), libraryAhead.interval95.map(percent).join('–')]),
      ...[tokens(entryTokens), tokens(responseTokens), moneyOrNone(money[at] ?? null)],
    ];
  });
  return `${items} items on ${problems} problems\n${renderTable(columns, cells, style)}${renderJudges(rows.map(([, row]) => row))}`;
}

function factsOf({ digest, result, currency, money }: StudiedLibrary): object {
  const rows = result.rows.map(([name, row], at) => [name, { ...row, money: money[at] ?? null }]);
  return { digest, currency, ...result, rows };
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
    (studied: StudiedLibrary) => {
      if (terminal.json) terminal.printJson(factsOf(studied));
      else terminal.print(renderLibraryStudy(studied, terminal.style));
    },
    (observer) => studyLibraryOf(runtime, path, request, observer),
  );
  return EXIT.ok;
}

type StudyOptions = Omit<LibraryStudyRequest, 'prices'> & { readonly price: GivenPrices };

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
    .addOption(priceOption())
    .addHelpText(
      'after',
      `${datasetsHelp()}${examples([
        ['seam study library', 'the served library on the held-out problems of the demonstration'],
        ['seam study library --against written.json', 'compared with one that was written without attempts'],
        ['seam study library --price executor=0.15/0.60', 'what each row costs, at a price that is not declared'],
      ])}`,
    )
    .action((file: string | undefined, { price, ...options }: StudyOptions) =>
      run((runtime) => study(runtime, file, { ...options, prices: price })),
    );
}
