/** What a run that brings a library on will take. */
import { count, onOneLine, plural, SeamError, shortId } from '@seamstream/kernel';
import {
  type GivenPrices,
  isCertain,
  LIBRARY_STAGES,
  type LibraryCost,
  type LibraryRunPlan,
  libraryCost,
  type StageBasis,
} from '@seamstream/operations/cost';
import { Command, Option } from 'commander';
import { examples, positiveNumber, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';
import { duration } from './duration.js';
import { moneyOrNone, priceOption } from './price-options.js';

interface LibraryCostOptions extends Partial<LibraryRunPlan> {
  readonly model?: string;
  readonly tokensPerSecond?: number;
  readonly price: GivenPrices;
  readonly verify?: string;
}

async function estimate(runtime: CommandRuntime, options: LibraryCostOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const { price, model = null, tokensPerSecond = null, verify = null, ...plan } = options;
  if (verify === '') throw new SeamError('INVALID_INPUT', 'Cannot read --verify: expected digits of a run, got none.');
  const source = { log: await runtime.openLog('read'), nowMs: clock.now() };
  const request = { plan, model, tokensPerSecond, verify, prices: price };
  const cost = await libraryCost(source, request);
  if (terminal.json) terminal.printJson(cost);
  else terminal.print(renderLibraryCost(cost, terminal.style));
  return EXIT.ok;
}

function renderLibraryCost(cost: LibraryCost, style: Style): string {
  const { calls, promptTokens, responseTokens, error, seconds, money, currency, model, runs, verified } = cost;
  const tokens = promptTokens + responseTokens;
  const exactness =
    error === null ? `how far it is off is not known: ${uncertainties(cost)}` : `95 %: ± ${percent(error)}`;
  const ofMoney =
    money === null ? moneyOrNone(money) : `${moneyOrNone(money)}${currency === null ? '' : ` ${onOneLine(currency)}`}`;
  return [
    renderStages(cost, style),
    `\n${plural(calls, 'call')}, ${count(tokens)} tokens (${exactness}), by ${plural(runs, 'recorded run')}.\n`,
    `Time: ${seconds === null ? 'no speed is known' : duration(seconds)}. Money: ${ofMoney} (${model === null ? 'no model is named' : modelName(model)}).\n`,
    'Attempts are not in it. The run of the paper: 100 problems, three steps, 44.6 million tokens, 6 hours, $18, with its attempts.\n',
    verified === null ? '' : verifiedLine(verified),
  ].join('');
}

/** Why no error is stated, stage by stage. */
function uncertainties({ stages }: LibraryCost): string {
  const uncertain = LIBRARY_STAGES.filter((stage) => !isCertain(stages[stage]));
  const reasons = { assumed: 'is assumed', others: "rests on another model's replies", own: 'rests on one reply' };
  const said = uncertain.map((stage) => `${stage} ${reasons[stages[stage].basis as keyof typeof reasons]}`);
  return said.join(', ') || 'there is nothing to ask';
}

function renderStages({ stages }: LibraryCost, style: Style): string {
  const columns = [
    { title: 'STAGE' },
    ...['CALLS', 'READ', 'WRITTEN'].map((title) => ({ title, align: 'right' as const })),
    { title: 'KNOWN BY' },
  ];
  const rows = LIBRARY_STAGES.map((stage) => {
    const { calls, promptTokens, responseTokens, replies, repliesOf, basis } = stages[stage];
    const recorded = plural(replies, 'recorded reply', 'recorded replies');
    const known: Readonly<Record<StageBasis, string>> = {
      own: recorded,
      others: `${recorded} of ${repliesOf === null ? 'another model' : modelName(repliesOf)}`,
      assumed: 'an assumption',
      unasked: 'nothing: it is not asked',
    };
    return [stage, ...[calls, promptTokens, responseTokens].map(count), known[basis]];
  });
  return renderTable(columns, rows, style);
}

/** A checkpoint is named by its digest. */
const modelName = (model: string): string => (model.length === 64 ? shortId(model) : onOneLine(model));

function verifiedLine({ runId, calls, tokens, seconds, error }: NonNullable<LibraryCost['verified']>): string {
  const time = seconds === null ? '' : ` and ${duration(seconds)} of the model`;
  return `Run ${shortId(runId)} took ${plural(calls, 'call')}, ${count(tokens)} tokens${time}: the estimate is ${error > 0 ? '+' : ''}${percent(error)} off in tokens.\n`;
}

export function libraryCostCommand(run: RunCommand): Command {
  return new Command('library')
    .summary('calls, tokens, time and money of a run that brings a library on by a model')
    .description(
      'Counts the calls of the three stages, and takes tokens, tries and speed from the replies of the model that the log has. Of a stage without\n' +
        "any it takes another model's, or else assumes what templates, limits and the other stages leave. It says so of each stage. Money is by\n" +
        "declared prices or by --price. With --verify the plan is the run's own, where nothing else is said.",
    )
    .option(
      '--groups <n>',
      'groups that count: with ground truth those with both verdicts; needed without --verify',
      wholeNumber('--groups', 1),
    )
    .option('--group-size <n>', 'attempts at a problem (default: 8)', positiveNumber('--group-size'))
    .option('--epochs <n>', 'passes over the groups (default: 1)', wholeNumber('--epochs', 1))
    .option('--batch-size <n>', 'groups of one step (default: 64)', wholeNumber('--batch-size', 1))
    .addOption(
      new Option('--evidence <kind>', 'what a model reads (default: groups)').choices([
        'groups',
        'attempts',
        'problems',
      ]),
    )
    .option('--max-operations <n>', 'of one group (default: 3)', wholeNumber('--max-operations', 1))
    .option('--max-words <n>', 'of one text (default: 32)', wholeNumber('--max-words', 1))
    .option('--max-tokens <n>', 'of a reply (default: 1024)', wholeNumber('--max-tokens', 1))
    .option('--attempts <n>', 'most tries of a reply that cannot be read (default: 3)', wholeNumber('--attempts', 1))
    .option(
      '--trajectory-tokens <n>',
      'of an attempt: problem, entry and response; needed where the log has no accounts',
      wholeNumber('--trajectory-tokens', 1),
    )
    .option('--model <name>', 'whose replies and price count (default: the one that replied last)')
    .option('--tokens-per-second <n>', 'that it writes (default: as recorded)', positiveNumber('--tokens-per-second'))
    .option('--verify <run>', 'leaves this recorded run out, and says how far the estimate is from what it took')
    .addOption(priceOption())
    .addHelpText(
      'after',
      examples([
        ['seam cost library --groups 100 --epochs 3', 'by the replies of earlier runs'],
        ['seam cost library --groups 100 --trajectory-tokens 900 --model gpt-mini', 'before the first run'],
        ['seam cost library --verify 4f3a90c1', 'how far off it would have been'],
      ]),
    )
    .action((options: LibraryCostOptions) => run((runtime) => estimate(runtime, options)));
}
