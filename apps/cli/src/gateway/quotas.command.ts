/** How much clients of the gateway, and tenants as a whole, may use. */
import { count, onOneLine, SeamError } from '@seamstream/kernel';
import {
  clientLimitsOf,
  currencyOf,
  declareQuota,
  QUOTA_MEASURES,
  QUOTA_WINDOWS,
  type QuotaRequest,
  quotasStatus,
  readAccessFacts,
} from '@seamstream/operations/quotas';
import { Command, Option } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { moneyText, readMoney } from '../cost/money.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderTable } from '../terminal/table.js';
import { minuteOf } from '../terminal/text.js';

type Measured = Pick<QuotaRequest, 'measure' | 'per'>;

interface DeclareOptions extends Measured {
  readonly limit?: string;
  readonly shadow?: true;
  readonly by?: string;
  readonly reason: string;
}

async function declare(runtime: CommandRuntime, keyId: string, options: DeclareOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const { measure, per, limit: text, shadow, reason } = options;
  const by = await personOf(runtime, options.by);
  checkWords('--reason', reason);
  const limit = text === undefined ? null : measure === 'money' ? readMoney('--limit', text) : readCount(text);
  const mode = shadow === true ? 'shadow' : 'enforced';
  const request: QuotaRequest = { keyId, measure, per, limit, mode, declaredBy: by, reason };
  await declareQuota(await runtime.openLog('append'), request, clock);
  if (terminal.json) terminal.printJson(request);
  else {
    const said =
      limit === null ? 'no limit' : `${amountText(measure, limit)}${shadow === true ? ' (in shadow mode)' : ''}`;
    terminal.print(`declared ${said} of ${measure} per ${per} for ${onOneLine(keyId)}; gateways follow the log\n`);
  }
  return EXIT.ok;
}

/** @throws INVALID_INPUT */
function readCount(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --limit: expected a whole number of at most 15 figures, got ${JSON.stringify(text)}.`,
    );
  return Number(text);
}

const amountText = (measure: QuotaRequest['measure'], amount: number): string =>
  measure === 'money' ? moneyText(amount) : count(amount);

async function list(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const status = await quotasStatus(await runtime.openLog('read'), clock);
  if (terminal.json) terminal.printJson(status);
  else if (status.quotas.length === 0) terminal.print('No limit is declared.\n');
  else {
    const right = 'right' as const;
    const columns = [
      ...['CLIENT', 'LIMIT OF', 'PER'].map((title) => ({ title })),
      ...['LIMIT', 'USED', 'RESERVED', 'LEFT'].map((title) => ({ title, align: right })),
      ...['UNTIL', 'MODE'].map((title) => ({ title })),
    ];
    const rows = status.quotas.map(({ keyId, measure, per, limit, used, reserved, left, endsMs, mode }) => [
      ...[onOneLine(keyId), measureText(measure, status.currency), per],
      ...[limit, used, reserved, left].map((amount) => (amount === null ? '–' : amountText(measure, amount))),
      ...[minuteOf(endsMs), mode],
    ]);
    terminal.print(renderTable(columns, rows, terminal.style));
  }
  return EXIT.ok;
}

const measureText = (measure: QuotaRequest['measure'], currency: string | null): string =>
  measure === 'money' ? `money, ${currency ?? ''}` : measure;

async function use(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const facts = await readAccessFacts(await runtime.openLog('read'), clock);
  const clients = clientLimitsOf(facts, clock.now());
  const openReservations = facts.ledger.openAt(clock.now());
  const currency = currencyOf(facts.declared);
  if (terminal.json) terminal.printJson({ clients, openReservations, currency });
  else if (clients.length === 0) terminal.print('No client is known, and no limit is declared.\n');
  else {
    const columns = [
      ...['CLIENT', 'NAME', 'LIMIT OF', 'PER'].map((title) => ({ title })),
      ...['LIMIT', 'USED', 'RESERVED', 'LEFT'].map((title) => ({ title, align: 'right' as const })),
      ...['UNTIL', 'MODE', 'BY THE LIMIT OF'].map((title) => ({ title })),
    ];
    const rows = clients.flatMap(({ client, name, limits }) => {
      const who = [onOneLine(client), name === null ? '–' : onOneLine(name)];
      if (limits.length === 0) return [[...who, 'no limit', ...Array.from({ length: 8 }, () => '')]];
      return limits.map(({ measure, per, limit, used, reserved, left, endsMs, mode, declaredFor }) => [
        ...[...who, measureText(measure, currency), per],
        ...[limit, used, reserved, left].map((amount) => amountText(measure, amount)),
        ...[minuteOf(endsMs), mode, onOneLine(declaredFor)],
      ]);
    });
    terminal.print(renderTable(columns, rows, terminal.style));
  }
  return EXIT.ok;
}

const measureOption = (): Option =>
  new Option('--measure <what>', 'what is limited').choices(QUOTA_MEASURES).makeOptionMandatory();
const perOption = (): Option =>
  new Option('--per <window>', 'in which time').choices(QUOTA_WINDOWS).makeOptionMandatory();

export function quotasCommand(run: RunCommand): Command {
  return new Command('quotas')
    .summary('how much clients of the gateway, and tenants, may use')
    .addCommand(
      new Command('set')
        .summary('limit requests, problems, tokens or money of a client, or of a tenant as a whole')
        .description(
          'Records the most that a client, or all clients of a tenant together, may use in each window. Windows begin and end by UTC.',
        )
        .argument(
          '<client>',
          'the public part of a key, the name of a user, * for each client without such a limit, or whole for a tenant as a whole; behind its tenant and a slash (acme/*, acme/whole) where that is not the default one',
        )
        .addOption(measureOption())
        .requiredOption('--limit <amount>', 'the most; of money in the currency of the prices')
        .addOption(perOption())
        .option('--shadow', 'tell what would be refused, and refuse nothing')
        .addOption(byOption('who declares it'))
        .requiredOption('--reason <text>', 'why')
        .addHelpText(
          'after',
          examples([
            [
              'seam gateway quotas set aB3dE6gH9jK2 --measure tokens --limit 200000 --per day --by ada --reason trial',
              'for one client',
            ],
            [
              'seam gateway quotas set acme/whole --measure money --limit 500 --per month --by ada --reason contract',
              'for all clients of a tenant together',
            ],
          ]),
        )
        .action((keyId: string, options: DeclareOptions) => run((runtime) => declare(runtime, keyId, options))),
    )
    .addCommand(
      new Command('remove')
        .summary('remove a limit')
        .description('Records that there is no such limit from now on.')
        .argument('<client>', 'as it was declared')
        .addOption(measureOption())
        .addOption(perOption())
        .addOption(byOption('who removes it'))
        .requiredOption('--reason <text>', 'why')
        .addHelpText(
          'after',
          examples([
            [
              'seam gateway quotas remove aB3dE6gH9jK2 --measure tokens --per day --by ada --reason paid',
              'from now on',
            ],
          ]),
        )
        .action((keyId: string, options: DeclareOptions) => run((runtime) => declare(runtime, keyId, options))),
    )
    .addCommand(listCommand(run))
    .addCommand(useCommand(run));
}

function listCommand(run: RunCommand): Command {
  return new Command('list')
    .summary('limits, and what is used of them now')
    .description(
      'Lists every limit with what counts against it in the present window, how much of that is reserved by requests under way, and what is left.',
    )
    .addHelpText('after', examples([['seam gateway quotas list --json', 'for a script']]))
    .action(() => run(list));
}

function useCommand(run: RunCommand): Command {
  return new Command('use')
    .summary('how much each client and each tenant may still use')
    .description(
      'Lists each key that is open, each user who is signed in, and each tenant as a whole, with the limits that hold for it: its own ones, else those of each client of its tenant, else those of each client.',
    )
    .addHelpText('after', examples([['seam gateway quotas use --json', 'for a script']]))
    .action(() => run(use));
}
