/** What executors have cost, and the prices that say so. */
import { count, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { checkTenant } from '@seamstream/operations/access';
import { COST_GROUPS, type CostGroup, costReport, type ExtraGroup, type SpentCost } from '@seamstream/operations/cost';
import { declarePrice, listedPrices, readDeclaredLimits } from '@seamstream/operations/quotas';
import { readCounts } from '@seamstream/operations/read-models';
import { Argument, Command } from 'commander';
import { byOption, checkWords, examples, personOf, readTime } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asItWas, asOfOption, keptLogOf } from '../read-models/read-model-options.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { minuteOf } from '../terminal/text.js';
import { moneyText, readMoney } from './money.js';
import { renderExtra } from './render-extra.js';

interface SpentOptions {
  readonly since?: string;
  readonly tenant?: string;
  readonly asOf?: string;
}

async function showSpent(
  runtime: CommandRuntime,
  by: CostGroup,
  { since, tenant, asOf }: SpentOptions,
): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const sinceMs = since === undefined ? 0 : readTime('--since', since);
  const progress = (total: number) => terminal.progress('records read', total);
  if (tenant !== undefined) checkTenant('sum costs', tenant);
  const options = { signal, progress };
  const lift = async () => (await readCounts((await keptLogOf(runtime, { asOf }))[0], options)).answer;
  const source = { log: await asItWas(await runtime.openLog('read'), asOf), lift };
  const cost = await costReport(source, { by, sinceMs, tenant }, options);
  const { extra } = cost;
  if (terminal.json) terminal.printJson(cost);
  else if (cost.rows.length === 0) terminal.print(nothingIn({ since, tenant }));
  else {
    terminal.print(renderSpent(cost, terminal.style));
    // Only a group has it.
    if (extra !== undefined) terminal.print(renderExtra(extra, by as ExtraGroup, cost.currency, terminal.style));
  }
  if (!terminal.json && cost.unfounded > 0) terminal.print(unfoundedText(cost.unfounded));
  return EXIT.ok;
}

/** Of a part of the log that holds none nothing is said of the rest. */
function nothingIn({ since, tenant }: Readonly<Record<'since' | 'tenant', string | undefined>>): string {
  const parts = [
    tenant === undefined ? '' : ` of the tenant ${onOneLine(tenant)}`,
    since === undefined ? '' : ` since ${onOneLine(since)}`,
  ];
  return `No attempt of an executor${parts.join('')} is in the log.\n`;
}

function unfoundedText(records: number): string {
  return `${count(records)} ${records === 1 ? 'record' : 'records'} of answers, outcomes or entries in no sum: nothing else in the log bears them out.\n`;
}

function renderSpent({ by, currency, rows }: SpentCost, style: Style): string {
  const right = 'right' as const;
  const columns = [
    { title: by.toUpperCase() },
    ...['ATTEMPTS', 'READ', 'WRITTEN', currency ?? 'MONEY', 'TOKENS UNKNOWN', 'UNPRICED'].map((title) => ({
      ...{ title, align: right },
    })),
  ];
  const cells = rows.map((row) => [
    row.name === null ? '–' : by === 'adapter' && row.name !== 'base' ? shortId(row.name) : onOneLine(row.name),
    ...[row.attempts, row.promptTokens, row.responseTokens].map(count),
    row.attempts === row.unpriced + row.unknownTokens ? '–' : moneyText(row.money),
    ...[row.unknownTokens, row.unpriced].map(count),
  ]);
  return renderTable(columns, cells, style);
}

interface PriceOptions {
  readonly prompt: string;
  readonly cachedPrompt?: string;
  readonly completion: string;
  readonly currency: string;
  readonly from?: string;
  readonly by?: string;
  readonly reason: string;
}

async function setPrice(runtime: CommandRuntime, model: string, options: PriceOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const { prompt, cachedPrompt, completion, currency, from, reason } = options;
  checkWords('MODEL', model);
  const by = await personOf(runtime, options.by);
  checkWords('--reason', reason);
  if (!/^[A-Z]{3}$/.test(currency))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --currency: expected three letters of ISO 4217, e.g. USD, got ${JSON.stringify(currency)}.`,
    );
  const price = {
    ...{ model, currency },
    promptPerMillion: readMoney('--prompt', prompt),
    cachedPromptPerMillion: cachedPrompt === undefined ? null : readMoney('--cached-prompt', cachedPrompt),
    completionPerMillion: readMoney('--completion', completion),
    validFrom: from === undefined ? clock.now() : readTime('--from', from),
    ...{ declaredBy: by, reason },
  };
  await declarePrice(await runtime.openLog('create'), price, clock);
  if (terminal.json) terminal.printJson(price);
  else terminal.print(`declared what tokens of ${onOneLine(model)} cost from ${minuteOf(price.validFrom)} on\n`);
  return EXIT.ok;
}

async function listPrices(runtime: CommandRuntime, { asOf }: Pick<SpentOptions, 'asOf'>): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const prices = listedPrices(await readDeclaredLimits(await asItWas(await runtime.openLog('read'), asOf), signal));
  if (terminal.json) terminal.printJson({ prices });
  else if (prices.length === 0) terminal.print('No price was declared.\n');
  else {
    const columns = ['MODEL', 'FROM', 'UNTIL', 'CURRENCY', 'READ', 'CACHED', 'WRITTEN', 'BY'].map((title) => ({
      title,
    }));
    const rows = prices.map((price) => [
      ...[
        onOneLine(price.model),
        minuteOf(price.validFrom),
        price.validUntil === null ? '–' : minuteOf(price.validUntil),
        onOneLine(price.currency),
        moneyText(price.promptPerMillion),
      ],
      price.cachedPromptPerMillion === null ? '–' : moneyText(price.cachedPromptPerMillion),
      ...[moneyText(price.completionPerMillion), onOneLine(price.declaredBy)],
    ]);
    terminal.print(renderTable(columns, rows, terminal.style));
  }
  return EXIT.ok;
}

export function spentCommand(run: RunCommand): Command {
  return new Command('spent')
    .summary('what executors have cost, and each problem that is solved in addition')
    .description(
      'Sums the tokens that executors reported, and their price at that time. What is unknown is counted, and is in no sum.',
    )
    .addArgument(new Argument('<by>', 'what to sum by').choices(Object.keys(COST_GROUPS)).argOptional().default('key'))
    .option('--since <time>', 'leaves earlier attempts out: a date (of UTC), or a time in ISO 8601 with Z or an offset')
    .option('--tenant <name>', 'what this tenant has paid alone (default: all)')
    .addOption(asOfOption())
    .addHelpText(
      'after',
      examples([
        ['seam cost spent key', 'by client'],
        ['seam cost spent arm --since 2030-01-01', 'with and without experiences'],
        ['seam cost spent domain', 'where an extra solved problem is dear'],
        ['seam cost spent tenant', 'of each tenant, with what an extra solved problem costs it'],
      ]),
    )
    .action((by: CostGroup, options: SpentOptions) => run((runtime) => showSpent(runtime, by, options)));
}

export function pricesCommand(run: RunCommand): Command {
  return new Command('prices')
    .summary('what tokens of an executor cost')
    .addCommand(
      new Command('set')
        .summary('declare a price from a moment on')
        .description(
          'Records the price of a million tokens. It is valid until the next declaration for the same model.',
        )
        .argument('<model>', 'as answers record it')
        .requiredOption('--prompt <amount>', 'of a million tokens that it reads')
        .option('--cached-prompt <amount>', 'the same for those that its server reports as cached')
        .requiredOption('--completion <amount>', 'of a million tokens that it writes')
        .requiredOption('--currency <code>', 'ISO 4217; the same for all prices')
        .option(
          '--from <time>',
          'since when it is valid: a date (of UTC), or a time in ISO 8601 with Z or an offset; it may be in the past (default: now)',
        )
        .addOption(byOption('who declares it'))
        .requiredOption('--reason <text>', 'why')
        .addHelpText(
          'after',
          examples([
            [
              'seam cost prices set gpt-mini --prompt 0.15 --completion 0.60 --currency USD --by ada --reason "price list"',
              'a million tokens',
            ],
          ]),
        )
        .action((model: string, options: PriceOptions) => run((runtime) => setPrice(runtime, model, options))),
    )
    .addCommand(
      new Command('list')
        .summary('prices that were declared')
        .description('Lists every declaration in its order.')
        .addOption(asOfOption())
        .addHelpText('after', examples([['seam cost prices list --json', 'for a script']]))
        .action((options: Pick<SpentOptions, 'asOf'>) => run((runtime) => listPrices(runtime, options))),
    );
}
