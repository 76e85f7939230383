/** What a person decides about what is served: promote, roll back, pin, unpin. Each is an event that says who, when and why. */
import { GENERATOR_SLOT } from '@seamstream/events';
import { onOneLine, shortId } from '@seamstream/kernel';
import { type AdapterDecision, BASE, decideOnAdapter, SERVED } from '@seamstream/operations/adapters';
import type { Decision } from '@seamstream/release';
import { Command } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import { evaluationText } from './render-adapters.js';

interface ActOptions {
  readonly slot?: string;
  readonly by?: string;
  readonly reason: string;
}

const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : shortId(digest));

/** Records what a person decided, and says what became of it. */
async function act(runtime: CommandRuntime, act: AdapterDecision, options: ActOptions): Promise<ExitCode> {
  const by = await personOf(runtime, options.by);
  const { reason, slot: named } = options;
  checkWords('--reason', reason);
  const { terminal } = runtime;
  const { event, decision, served, pin, ended } = await decideOnAdapter(
    runtime,
    { ...act, slot: named },
    { by, reason },
    readingOf(runtime),
  );
  const { type } = event;
  const { messageId } = event.meta;
  const isCounted = decision?.status === 'counted';
  const { adapterDigest } = event;
  const evaluation = event.type === 'AdapterPromoted' ? event.evaluation : null;
  if (terminal.json) {
    terminal.printJson({
      type,
      messageId,
      slot: event.slot,
      adapterDigest,
      ...('to' in event ? { to: event.to } : {}),
      ...(evaluation === null ? {} : { evaluation }),
      by,
      reason,
      at: event.meta.occurredAt,
      status: decision?.status ?? 'refused',
      hindrance: decision?.reason ?? 'it is not believed by the trusted keys',
      served,
      pin,
      endedRelease: ended === null ? null : { releaseId: ended.decision.releaseId, decision: ended.decision.decision },
    });
  } else if (isCounted)
    terminal.print(`${said(event)}\n${evaluation === null ? '' : `It rests on ${evaluationText(evaluation)}.\n`}`);
  else
    terminal.print(
      `recorded, and without effect: ${onOneLine(decision?.reason ?? 'it is not believed by the trusted keys (seam adapters verify)')}\nServed: ${nameOf(served)}\n`,
    );
  if (ended !== null && !terminal.json)
    terminal.print(
      `Release ${shortId(ended.decision.releaseId)} is over: ${ended.decision.decision} (${onOneLine(ended.decision.reason)})\n`,
    );
  return isCounted ? EXIT.ok : EXIT.failedCheck;
}

function said(event: Decision['event']): string {
  const { slot } = event;
  const isOfGenerators = slot === GENERATOR_SLOT;
  const place = isOfGenerators ? '' : ` in slot ${onOneLine(slot)}`;
  const next = isOfGenerators ? 'generators serve' : `slot ${onOneLine(slot)} is served with`;
  const when = isOfGenerators ? ' from their next problem on' : '';
  switch (event.type) {
    case 'AdapterPromoted':
      return `promoted ${nameOf(event.adapterDigest)}: ${next} it${when}`;
    case 'AdapterRolledBack':
      return `rolled ${nameOf(event.adapterDigest)} back: ${next} ${nameOf(event.to)}${when}`;
    case 'AdapterPinned':
      return `pinned ${nameOf(event.adapterDigest)}${place}: it stays served until it is unpinned`;
    case 'AdapterUnpinned':
      return `unpinned ${nameOf(event.adapterDigest)}${place}: promotions change what is served again`;
  }
}

/** The options of every act of a person. */
function signedBy(command: Command): Command {
  return command
    .addOption(byOption('who decides'))
    .requiredOption('--reason <text>', 'why; recorded')
    .option('--slot <name>', 'what is served: "generator", a team\'s, …; by default that of the adapter that is named');
}

export function serveCommands(run: RunCommand): Command[] {
  const digest = 'or its first digits, at least four';
  return [
    signedBy(new Command('promote'))
      .summary('serve an adapter, in the name of a person')
      .description(
        'Records that a person promotes the adapter, in place of any served one. It has to be measured before (seam eval --record), to be whole in\n' +
          "the object store, to be for the generators' base model and to answer as it was published: otherwise nothing is recorded.\n" +
          'Exit code 1: it was recorded, and another decision came before it.',
      )
      .argument('<digest>', digest)
      .option('--team <file>', 'of a team of several base models: the file that says where they are')
      .addHelpText(
        'after',
        examples([
          ['seam eval test.jsonl --adapter 4f3a90c1 --record --by ada', 'measure it first'],
          ['seam adapters promote 4f3a90c1 --by ada --reason "better on our own tasks"', 'generators swap to it'],
        ]),
      )
      .action((digits: string, options: ActOptions & { readonly team?: string }) =>
        run((runtime) => act(runtime, { act: 'promote', adapter: digits, team: options.team }, options)),
      ),
    signedBy(new Command('rollback'))
      .summary('serve the last good adapter again')
      .description(
        'Takes away what is served. No run brings it back, nor an adapter that was trained from it; a person may promote it again.',
      )
      .option('--to <digest>', `an adapter that was served before (${digest}), or "${BASE}": the base model`)
      .addHelpText(
        'after',
        examples([
          ['seam adapters rollback --by ada --reason "answers in French"', 'to what was served before it'],
          ['seam adapters rollback --to base --by ada --reason "start over"', 'no adapter at all'],
        ]),
      )
      .action((options: ActOptions & { readonly to?: string }) =>
        run((runtime) => act(runtime, { act: 'rollBack', to: options.to }, options)),
      ),
    signedBy(new Command('pin'))
      .summary('hold what is served')
      .description(
        'Until it is unpinned, no promotion and no rollback changes what is served. Trainers continue; what they make is published, measured and reported.',
      )
      .argument(
        '<digest>',
        `the served adapter ("${SERVED}", ${digest}), or "${BASE}": the base model, where none is served`,
      )
      .addHelpText('after', examples([['seam adapters pin 4f3a90c1 --by ada --reason "demonstration on Friday"', '']]))
      .action((digits: string, options: ActOptions) =>
        run((runtime) => act(runtime, { act: 'pin', adapter: digits }, options)),
      ),
    signedBy(new Command('unpin'))
      .summary('let promotions change what is served again')
      .action((options: ActOptions) => run((runtime) => act(runtime, { act: 'unpin' }, options))),
  ];
}
