/** Releases: what a person plans, how they stand, what they decide, and that the log makes each decision again. */
import { isSeamError, onOneLine, SeamError, shortId, sleep } from '@seamstream/kernel';
import {
  type DecidedStage,
  decideReleases,
  findRelease,
  overrideRelease,
  plainReleases,
  planRelease,
  ReleaseFactsReader,
  readReleases,
  recomputeReleases,
} from '@seamstream/operations/release';
import { DEFAULT_RELEASE_PLAN, STAGE_ENDS, type StageEnd } from '@seamstream/release';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { checkWords, examples } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { fromScratchOption, keptLogOf, readingOf } from '../read-models/read-model-options.js';
import { renderRecomputed, renderRelease } from './render-release.js';

interface Signed {
  readonly by: string;
  readonly reason: string;
}

interface PlanOptions extends Partial<Signed> {
  readonly plan?: string;
  readonly show?: true;
}

async function plan(
  runtime: CommandRuntime,
  adapter: string | undefined,
  { plan: file, show, by, reason }: PlanOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  if (show === true) {
    terminal.print(`${JSON.stringify(DEFAULT_RELEASE_PLAN, null, 2)}\n`);
    return EXIT.ok;
  }
  if (adapter === undefined || by === undefined || reason === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot plan a release: expected an adapter, --by and --reason, got less. Say what is released, and who says so.',
    );
  checkWords('--by', by);
  checkWords('--reason', reason);
  const changes = file === undefined ? {} : changesIn(file, await runtime.readInput(file));
  const event = await planRelease(runtime, { adapter, changes, by, reason }, readingOf(runtime));
  if (terminal.json) terminal.printJson({ ...event, plan: JSON.parse(event.plan) as unknown });
  else
    terminal.print(
      `planned release ${shortId(event.releaseId)} of ${shortId(event.candidate)}. "seam release decide --follow" carries it out.\n`,
    );
  return EXIT.ok;
}

function changesIn(file: string, body: Uint8Array): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read ${onOneLine(file)}: expected a JSON object, got something else. Compare it with "seam release plan --show".`,
  );
}

async function status(
  runtime: CommandRuntime,
  meant: string | undefined,
  options: ReadModelOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const { releases, refused, refusedCount } = await readReleases(...(await keptLogOf(runtime, options)));
  const all = releases.map((each) => ({ ...each, event: each.release.event }));
  const shown = meant === undefined ? all : [findRelease(all, meant)];
  if (terminal.json) {
    terminal.printJson(plainReleases({ releases: shown, refused, refusedCount }));
    return EXIT.ok;
  }
  terminal.print(
    shown.length === 0
      ? 'No release was planned.\n'
      : shown.map((each) => renderRelease(each, terminal.style)).join('\n'),
  );
  if (refusedCount > refused.length)
    terminal.print(`Refused: ${refusedCount} records; the newest ${refused.length} of them:\n`);
  for (const { event, reason } of refused)
    terminal.print(
      `Refused: ${event.type} of release ${onOneLine(event.releaseId)} at ${event.meta.occurredAt}: ${onOneLine(reason)}\n`,
    );
  return EXIT.ok;
}

interface DecideOptions {
  readonly follow?: true;
  readonly every: number;
}

async function decide(runtime: CommandRuntime, { follow, every }: DecideOptions): Promise<ExitCode> {
  if (follow === true) return decideAsTheyCome(runtime, every);
  const { terminal } = runtime;
  const { decided, hindered } = await decideReleases(runtime, readingOf(runtime));
  for (const each of decided) say(runtime, each);
  const [first, ...others] = hindered;
  for (const { error } of others) terminal.remark(error.message);
  if (first !== undefined) throw first.error;
  if (decided.length === 0 && !terminal.json)
    terminal.print('Nothing to decide: every stage continues. See "seam release status".\n');
  return EXIT.ok;
}

/** What watches for harm must outlive a conflict and an outage: the next look decides again. The same hindrance is said once. */
async function decideAsTheyCome(runtime: CommandRuntime, every: number): Promise<never> {
  const { terminal, signal } = runtime;
  const reader = new ReleaseFactsReader(await runtime.openKeptLog());
  let told = new Set<string>();
  try {
    for (;;) {
      const messages = await decideReleases(runtime, readingOf(runtime), reader).then(
        ({ decided, hindered }) => {
          for (const each of decided) say(runtime, each);
          return hindered.map(({ error }) => error.message);
        },
        (error: unknown) => {
          if (!isSeamError(error) || !(error.code === 'FENCED' || error.retryable)) throw error;
          return [error.message];
        },
      );
      for (const message of messages) if (!told.has(message)) terminal.remark(message);
      told = new Set(messages);
      await sleep(every * 1000, signal);
      signal.throwIfAborted();
    }
  } finally {
    await reader.close();
  }
}

function say({ terminal }: CommandRuntime, { decision, promotion }: DecidedStage): void {
  if (terminal.json)
    terminal.printJson({
      ...decision,
      evidence: JSON.parse(decision.evidence) as unknown,
      promotion: promotion?.meta.messageId ?? null,
    });
  else
    terminal.print(
      `release ${shortId(decision.releaseId)}, stage ${decision.stage + 1}: ${decision.decision} (${onOneLine(decision.reason)})\n`,
    );
}

async function override(
  runtime: CommandRuntime,
  meant: string,
  end: StageEnd,
  { by, reason }: Signed,
): Promise<ExitCode> {
  checkWords('--by', by);
  checkWords('--reason', reason);
  say(runtime, await overrideRelease(runtime, { meant, end, by, reason }, readingOf(runtime)));
  return EXIT.ok;
}

async function recompute(runtime: CommandRuntime, meant: string): Promise<ExitCode> {
  const { terminal } = runtime;
  const recomputed = await recomputeReleases(runtime, meant, readingOf(runtime));
  if (terminal.json)
    for (const { decision, isSame, difference } of recomputed)
      terminal.printJson({
        releaseId: decision.releaseId,
        stage: decision.stage,
        decision: decision.decision,
        decidedBy: decision.decidedBy,
        isSame,
        difference,
      });
  else
    terminal.print(recomputed.length === 0 ? 'Nothing was decided yet.\n' : recomputed.map(renderRecomputed).join(''));
  return recomputed.some(({ isSame }) => isSame === false) ? EXIT.failedCheck : EXIT.ok;
}

function seconds(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 3600) return value;
  throw new InvalidArgumentError(`Cannot read --every: expected seconds, more than 0 and at most 3600, got "${text}".`);
}

const release = (): Argument => new Argument('[release]', 'its id, or the beginning of it').default('last');

export function releaseCommand(run: RunCommand): Command {
  const command = new Command('release')
    .summary('try an adapter on a part of the problems, and promote it or roll it back by a rule')
    .description(
      'A plan says beforehand which figures promote an adapter and which roll it back. The log makes every decision again.',
    )
    .addHelpText(
      'after',
      examples([
        ['seam release plan 4f3a90c1 --by ada --reason "better"', 'declare it'],
        ['seam release decide --follow', 'carry it out'],
        ['seam release status', 'see how it stands'],
      ]),
    );
  command
    .command('plan')
    .summary('declare how an adapter is released')
    .argument('[adapter]', 'first digits of its digest, at least four')
    .option('--plan <file>', 'JSON with what differs from the plan that is taken otherwise; "-" is standard input')
    .option('--show', 'print that plan, and record nothing')
    .option('--by <name>', 'who decides; recorded')
    .option('--reason <text>', 'why; recorded')
    .addHelpText(
      'after',
      examples([
        ['seam release plan --show', 'stages, margins, horizon, risks'],
        ['seam release plan 4f3a90c1 --by ada --reason "learned the new domain"', 'over what is served now'],
      ]),
    )
    .action((adapter: string | undefined, options: PlanOptions) => run((runtime) => plan(runtime, adapter, options)));
  command
    .command('status')
    .summary('stages with their counts, and what the rule says of them')
    .argument('[release]', 'its id, the beginning of it, or "last"; all where absent')
    .addOption(fromScratchOption())
    .action((meant: string | undefined, options: ReadModelOptions) =>
      run((runtime) => status(runtime, meant, options)),
    );
  command
    .command('decide')
    .summary('end the stages that their plans end now')
    .option('--follow', 'continue until it is stopped')
    .addOption(new Option('--every <seconds>', 'between two looks').default(5).argParser(seconds))
    .action((options: DecideOptions) => run((runtime) => decide(runtime, options)));
  command
    .command('override')
    .summary('end a stage in the name of a person, over the rule')
    .addArgument(new Argument('<release>', 'its id, the beginning of it, or "last"'))
    .addArgument(new Argument('<end>', 'how the stage ends').choices(STAGE_ENDS))
    .requiredOption('--by <name>', 'who decides; recorded')
    .requiredOption('--reason <text>', 'why; recorded')
    .action((meant: string, end: StageEnd, options: Signed) =>
      run((runtime) => override(runtime, meant, end, options)),
    );
  command
    .command('recompute')
    .summary('make every decision again from the log, and compare the bytes')
    .description('Exit code 1: one came out otherwise, or its records are gone.')
    .addArgument(release())
    .action((meant: string) => run((runtime) => recompute(runtime, meant)));
  return command;
}
