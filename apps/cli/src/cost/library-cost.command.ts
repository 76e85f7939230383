/** What a run that brings a library on will take. */
import { count, onOneLine, plural, SeamError, shortId } from '@seamstream/kernel';
import {
  type GivenPrices,
  LIBRARY_STAGES,
  type LibraryCost,
  type LibraryRunPlan,
  libraryCost,
} from '@seamstream/operations/cost';
import { Command, Option } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';
import { duration } from './duration.js';
import { moneyOrNone, priceOption } from './price-options.js';

interface LibraryCostOptions extends Omit<LibraryRunPlan, 'trajectoryTokens'> {
  readonly trajectoryTokens?: number;
  readonly model?: string;
  readonly tokensPerSecond?: number;
  readonly price: GivenPrices;
  readonly verify?: string;
}

async function estimate(runtime: CommandRuntime, options: LibraryCostOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const { price, trajectoryTokens = null, model = null, tokensPerSecond = null, verify = null, ...plan } = options;
  if (verify === '') throw new SeamError('INVALID_INPUT', 'Cannot read --verify: expected digits of a run, got none.');
  const source = { log: await runtime.openLog('read'), nowMs: clock.now() };
  const request = { ...plan, trajectoryTokens, model, tokensPerSecond, verify, prices: price };
  const cost = await libraryCost(source, request);
  if (terminal.json) terminal.printJson(cost);
  else terminal.print(renderLibraryCost(cost, terminal.style));
  return EXIT.ok;
}

function renderLibraryCost(cost: LibraryCost, style: Style): string {
  const { stages, calls, promptTokens, responseTokens, error, seconds, money, currency, model, runs, verified } = cost;
  const right = 'right' as const;
  const columns = [
    { title: 'STAGE' },
    ...['CALLS', 'READ', 'WRITTEN'].map((title) => ({ title, align: right })),
    { title: 'KNOWN BY' },
  ];
  const rows = LIBRARY_STAGES.map((stage) => {
    const { replies, ...figures } = stages[stage];
    const numbers = [figures.calls, figures.promptTokens, figures.responseTokens].map(count);
    return [stage, ...numbers, replies === 0 ? 'an assumption' : plural(replies, 'recorded reply', 'recorded replies')];
  });
  const tokens = promptTokens + responseTokens;
  const exactness = error === null ? 'how far it is off is not known' : `95 %: ± ${percent(error)}`;
  const ofMoney =
    money === null ? moneyOrNone(money) : `${moneyOrNone(money)}${currency === null ? '' : ` ${onOneLine(currency)}`}`;
  const named = model === null ? 'no model is named' : model.length === 64 ? shortId(model) : onOneLine(model);
  return [
    renderTable(columns, rows, style),
    `\n${plural(calls, 'call')}, ${count(tokens)} tokens (${exactness}), by ${plural(runs, 'recorded run')}.\n`,
    `Time: ${seconds === null ? 'no speed is known' : duration(seconds)}. Money: ${ofMoney} (${named}).\n`,
    'Attempts are not in it. The run of the paper: 100 problems, three steps, 44.6 million tokens, 6 hours, $18, with its attempts.\n',
    verified === null
      ? ''
      : `Run ${shortId(verified.runId)} took ${plural(verified.calls, 'call')}, ${count(verified.tokens)} tokens and ${duration(verified.seconds)}: the estimate is ${verified.error > 0 ? '+' : ''}${percent(verified.error)} off in tokens.\n`,
  ].join('');
}

export function libraryCostCommand(run: RunCommand): Command {
  return new Command('library')
    .summary('calls, tokens, time and money of a run that brings a library on by a model')
    .description(
      'Counts the calls of the three stages and takes tokens, tries and speed from the replies that the log has. Without replies of a stage it\n' +
        'assumes what templates and limits leave, and says so. Money is by declared prices or by --price.',
    )
    .requiredOption(
      '--groups <n>',
      'groups that count: with ground truth those with both verdicts',
      wholeNumber('--groups', 1),
    )
    .option('--group-size <n>', 'attempts at a problem', wholeNumber('--group-size', 1), 5)
    .option('--epochs <n>', 'passes over the groups', wholeNumber('--epochs', 1), 1)
    .option('--batch-size <n>', 'groups of one step', wholeNumber('--batch-size', 1), 64)
    .addOption(
      new Option('--evidence <kind>', 'what a model reads')
        .choices(['groups', 'attempts', 'problems'])
        .default('groups'),
    )
    .option('--max-operations <n>', 'of one group', wholeNumber('--max-operations', 1), 3)
    .option('--max-words <n>', 'of one text', wholeNumber('--max-words', 1), 32)
    .option('--max-tokens <n>', 'of a reply', wholeNumber('--max-tokens', 1), 1024)
    .option(
      '--trajectory-tokens <n>',
      'of an attempt: problem, entry and response; needed where the log has no replies',
      wholeNumber('--trajectory-tokens', 1),
    )
    .option('--model <name>', 'whose price counts (default: the one of the recorded replies)')
    .option('--tokens-per-second <n>', 'that it writes (default: as recorded)', wholeNumber('--tokens-per-second', 1))
    .option('--verify <run>', 'leaves this recorded run out, and says how far the estimate is from what it took')
    .addOption(priceOption())
    .addHelpText(
      'after',
      examples([
        ['seam cost library --groups 100 --epochs 3', 'by the replies of earlier runs'],
        ['seam cost library --groups 100 --trajectory-tokens 900 --model gpt-mini', 'before the first run'],
        ['seam cost library --groups 100 --verify 4f3a90c1', 'how far off it would have been'],
      ]),
    )
    .action((options: LibraryCostOptions) => run((runtime) => estimate(runtime, options)));
}
