/** Releases: what a person plans, how they stand, what they decide, and that the log makes each decision again. */
import type { EventOf } from '@seamstream/events';
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
  recomputeMutings,
  recomputeReleases,
} from '@seamstream/operations/release';
import { DEFAULT_RELEASE_PLAN, STAGE_ENDS, type StageEnd } from '@seamstream/release';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, ReadModelOptions, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { asOfOption, fromScratchOption, keptLogOf, readingOf } from '../read-models/read-model-options.js';
import { changesIn } from './changes-file.js';
import { guardCommand } from './guard.command.js';
import { renderGuarding, renderRecomputedMuting } from './render-guard.js';
import { renderRecomputed, renderRelease } from './render-release.js';

interface Signed {
  readonly by?: string | undefined;
  readonly reason: string;
}

interface PlanOptions extends Partial<Signed> {
  readonly plan?: string;
  readonly show?: true;
}

async function plan(
  runtime: CommandRuntime,
  adapter: string | undefined,
  { plan: file, show, by: named, reason }: PlanOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  if (show === true) {
    terminal.print(`${JSON.stringify(DEFAULT_RELEASE_PLAN, null, 2)}\n`);
    return EXIT.ok;
  }
  if (adapter === undefined || reason === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot plan a release: expected an adapter and --reason, got less. Say what is released, and why.',
    );
  const by = await personOf(runtime, named);
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

async function status(
  runtime: CommandRuntime,
  meant: string | undefined,
  options: ReadModelOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const { releases, refused, refusedCount, guarding } = await readReleases(...(await keptLogOf(runtime, options)));
  const all = releases.map((each) => ({ ...each, event: each.release.event }));
  const shown = meant === undefined ? all : [findRelease(all, meant)];
  if (terminal.json) {
    terminal.printJson(plainReleases({ releases: shown, refused, refusedCount, guarding }));
    return EXIT.ok;
  }
  terminal.print(
    shown.length === 0
      ? 'No release was planned.\n'
      : shown.map((each) => renderRelease(each, terminal.style)).join('\n'),
  );
  if (meant === undefined) terminal.print(renderGuarding(guarding, terminal.style));
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
  const { decided, hindered, muted } = await decideReleases(runtime, readingOf(runtime));
  for (const each of decided) say(runtime, each);
  for (const each of muted) sayMuted(runtime, each);
  const [first, ...others] = hindered;
  for (const { error } of others) terminal.remark(error.message);
  if (first !== undefined) throw first.error;
  if (decided.length + muted.length === 0 && !terminal.json)
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
        ({ decided, hindered, muted }) => {
          for (const each of decided) say(runtime, each);
          for (const each of muted) sayMuted(runtime, each);
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

function sayMuted({ terminal }: CommandRuntime, muting: EventOf<'DomainMuted'>): void {
  if (terminal.json) terminal.printJson({ ...muting, evidence: JSON.parse(muting.evidence) as unknown });
  else terminal.print(`guard: ${onOneLine(muting.domain)} muted (${onOneLine(muting.reason)})\n`);
}

async function override(
  runtime: CommandRuntime,
  meant: string,
  end: StageEnd,
  { by: named, reason }: Signed,
): Promise<ExitCode> {
  const by = await personOf(runtime, named);
  checkWords('--reason', reason);
  say(runtime, await overrideRelease(runtime, { meant, end, by, reason }, readingOf(runtime)));
  return EXIT.ok;
}

/** Without a name: the newest release, where there is one, and what guards have muted. */
async function recompute(runtime: CommandRuntime, meant: string | undefined): Promise<ExitCode> {
  const { terminal } = runtime;
  const reading = readingOf(runtime);
  const { releases } = await readReleases(await runtime.openKeptLog(), reading);
  const isRelease = meant !== GUARD && (meant !== undefined || releases.length > 0);
  const decisions = isRelease ? await recomputeReleases(runtime, meant ?? 'last', reading) : [];
  const mutings = meant === undefined || meant === GUARD ? await recomputeMutings(runtime, reading) : [];
  if (terminal.json) {
    for (const { decision, isSame, difference } of decisions) {
      const { releaseId, stage, decision: end, decidedBy } = decision;
      terminal.printJson({ releaseId, stage, decision: end, decidedBy, isSame, difference });
    }
    for (const { muting, isSame, difference } of mutings) {
      const { guardId, adapterDigest, domain } = muting;
      terminal.printJson({ guardId, adapterDigest, domain, isSame, difference });
    }
  } else if (decisions.length + mutings.length === 0) terminal.print('Nothing was decided yet.\n');
  else terminal.print([...decisions.map(renderRecomputed), ...mutings.map(renderRecomputedMuting)].join(''));
  return [...decisions, ...mutings].some(({ isSame }) => isSame === false) ? EXIT.failedCheck : EXIT.ok;
}

/** In place of a release's id: what guards have muted. */
const GUARD = 'guard';

function seconds(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 3600) return value;
  throw new InvalidArgumentError(`Cannot read --every: expected seconds, more than 0 and at most 3600, got "${text}".`);
}

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
    .addOption(byOption('who decides'))
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
    .addOption(asOfOption())
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
    .addOption(byOption('who decides'))
    .requiredOption('--reason <text>', 'why; recorded')
    .action((meant: string, end: StageEnd, options: Signed) =>
      run((runtime) => override(runtime, meant, end, options)),
    );
  command
    .command('recompute')
    .summary('make every decision again from the log, and compare the bytes')
    .description('Exit code 1: one came out otherwise, or its records are gone.')
    .argument(
      '[release]',
      'its id, the beginning of it, "last", or "guard"; the newest release and the guard where absent',
    )
    .action((meant: string | undefined) => run((runtime) => recompute(runtime, meant)));
  return command.addCommand(guardCommand(run));
}
