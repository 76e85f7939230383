/** What a person decides about what is served: promote, roll back, pin, unpin. Each is an event that says who, when and why. */
import { encodeEvent } from '@seamstream/events';
import { isSeamError, messageOf, newId, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { decodeAdapter, sameFingerprint } from '@seamstream/language-model';
import type { AdapterVersion } from '@seamstream/read-models';
import type { Decision } from '@seamstream/release';
import { assertWouldBeBelieved } from '@seamstream/signatures';
import { Command } from 'commander';
import { checkWords, examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Act, mustCount, pinBy, promotionBy, rollbackBy, unpinBy } from './acts-on-adapters.decide.js';
import { openAdapter } from './published-adapter.js';
import { readServing, type Serving } from './read-lineage.js';
import { BASE, evaluationText, findAdapter, fingerprintText, SERVED } from './render-adapters.js';

interface ActOptions {
  readonly by: string;
  readonly reason: string;
}

const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : shortId(digest));

async function promote(runtime: CommandRuntime, digits: string, options: ActOptions): Promise<ExitCode> {
  return act(runtime, 'AdapterPromoted', options, async ({ lineage, state }, by) => {
    const version = findAdapter(lineage, digits);
    const event = promotionBy(by, version, state);
    mustCount(event, state);
    await prove(runtime, version);
    return event;
  });
}

async function rollBack(runtime: CommandRuntime, options: ActOptions & { readonly to?: string }): Promise<ExitCode> {
  return act(runtime, 'AdapterRolledBack', options, async ({ lineage, state }, by) => {
    const to = options.to === undefined ? undefined : digestOf(lineage, options.to);
    const event = rollbackBy(by, to, state);
    mustCount(event, state);
    const target = lineage.versions.find(({ adapterDigest }) => adapterDigest === event.to);
    const served = lineage.versions.find(({ adapterDigest }) => adapterDigest === event.adapterDigest);
    // Generators prove it on their model as they swap; nobody who rolls back waits for a model to be loaded here as well.
    if (target !== undefined) await open(runtime, target, (served ?? target).baseModelDigest);
    return event;
  });
}

async function pin(runtime: CommandRuntime, digits: string, options: ActOptions): Promise<ExitCode> {
  return act(runtime, 'AdapterPinned', options, ({ lineage, state }, by) => {
    const event = pinBy(by, digestOf(lineage, digits));
    mustCount(event, state);
    return Promise.resolve(event);
  });
}

async function unpin(runtime: CommandRuntime, options: ActOptions): Promise<ExitCode> {
  return act(runtime, 'AdapterUnpinned', options, ({ state }, by) => {
    const event = unpinBy(by, state);
    mustCount(event, state);
    return Promise.resolve(event);
  });
}

/**
 * Records what a person decided, and says what became of it: another decision may have come before it in the log.
 * @param decide throws before anything is recorded
 */
async function act(
  runtime: CommandRuntime,
  type: Decision['event']['type'],
  { by, reason }: ActOptions,
  decide: (serving: Serving, act: Act) => Promise<Decision['event']>,
): Promise<ExitCode> {
  checkWords('--by', by);
  checkWords('--reason', reason);
  const { terminal, clock } = runtime;
  assertWouldBeBelieved(type, await runtime.signing());
  const event = await decide(await readServing(runtime), { by, reason, at: clock.now(), messageId: newId() });
  const { messageId } = event.meta;
  const log = await runtime.openLog('append');
  await log.append([encodeEvent(event)]);
  const { state, lineage } = await readServing(runtime);
  const decision = state.decisions.find((each) => each.event.meta.messageId === messageId);
  const isCounted = decision?.status === 'counted';
  const { adapterDigest } = event;
  const evaluation = event.type === 'AdapterPromoted' ? event.evaluation : null;
  const { served, pin: pinned } = lineage;
  if (terminal.json) {
    terminal.printJson({
      type,
      messageId,
      adapterDigest,
      ...('to' in event ? { to: event.to } : {}),
      ...(evaluation === null ? {} : { evaluation }),
      by,
      reason,
      at: event.meta.occurredAt,
      status: decision?.status ?? 'refused',
      hindrance: decision?.reason ?? 'it is not believed by the trusted keys',
      served,
      pin: pinned,
    });
  } else if (isCounted)
    terminal.print(`${said(event)}\n${evaluation === null ? '' : `It rests on ${evaluationText(evaluation)}.\n`}`);
  else
    terminal.print(
      `recorded, and without effect: ${onOneLine(decision?.reason ?? 'it is not believed by the trusted keys (seam adapters verify)')}\nServed: ${nameOf(served)}\n`,
    );
  return isCounted ? EXIT.ok : EXIT.failedCheck;
}

function said(event: Decision['event']): string {
  switch (event.type) {
    case 'AdapterPromoted':
      return `promoted ${nameOf(event.adapterDigest)}: generators serve it from their next problem on`;
    case 'AdapterRolledBack':
      return `rolled ${nameOf(event.adapterDigest)} back: generators serve ${nameOf(event.to)} from their next problem on`;
    case 'AdapterPinned':
      return `pinned ${nameOf(event.adapterDigest)}: it stays served until it is unpinned`;
    case 'AdapterUnpinned':
      return `unpinned ${nameOf(event.adapterDigest)}: promotions change what is served again`;
  }
}

/** As a generator does before it serves: whole, of this base model, and answering as it was published. */
async function prove(runtime: CommandRuntime, version: AdapterVersion): Promise<void> {
  const name = shortId(version.adapterDigest);
  const { adapter, base } = await openAdapter(runtime, version).catch(missing(version));
  const measured = await base.fingerprint(adapter);
  if (sameFingerprint(measured, version.fingerprint)) return;
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot promote adapter ${name}: expected the answers to the probe that it was published with (${fingerprintText(version.fingerprint)}), got ${fingerprintText(measured)}. Compare the model folders here and where it was published.`,
    { details: { adapterDigest: version.adapterDigest } },
  );
}

/** Whole, and for the base model. @throws NOT_FOUND, ADAPTER_INVALID */
async function open(runtime: CommandRuntime, version: AdapterVersion, baseModelDigest: string): Promise<void> {
  const objects = await runtime.openObjects();
  const body = await objects.get(version.key).catch(missing(version));
  decodeAdapter(body, { digest: version.adapterDigest, baseModelDigest });
}

function missing({ adapterDigest, key }: AdapterVersion): (error: unknown) => never {
  return (error) => {
    if (!isSeamError(error, 'OBJECT_NOT_FOUND')) throw error;
    throw new SeamError(
      'NOT_FOUND',
      `Cannot serve adapter ${shortId(adapterDigest)}: expected its object ${onOneLine(key)}, got none (${messageOf(error)}). Choose another adapter, or import it again.`,
      { details: { adapterDigest, key }, cause: error },
    );
  };
}

function digestOf(lineage: Serving['lineage'], digits: string): string | null {
  if (digits === BASE) return null;
  return digits === SERVED ? lineage.served : findAdapter(lineage, digits).adapterDigest;
}

/** The options of every act of a person. */
function signedBy(command: Command): Command {
  return command
    .requiredOption('--by <name>', 'who decides; recorded')
    .requiredOption('--reason <text>', 'why; recorded');
}

export function serveCommands(run: RunCommand): Command[] {
  const digest = 'or its first digits, at least four';
  return [
    signedBy(new Command('promote'))
      .summary('serve an adapter, in the name of a person')
      .description(
        'Records that a person promotes the adapter, over whatever is served. It has to be measured before (seam eval --record), to lie whole in\n' +
          "the object store, to be for the generators' base model and to answer as it was published: otherwise nothing is recorded.\n" +
          'Exit code 1: it was recorded, and another decision came before it.',
      )
      .argument('<digest>', digest)
      .addHelpText(
        'after',
        examples([
          ['seam eval test.jsonl --adapter 4f3a90c1 --record --by ada', 'measure it first'],
          ['seam adapters promote 4f3a90c1 --by ada --reason "better on our own tasks"', 'generators swap to it'],
        ]),
      )
      .action((digits: string, options: ActOptions) => run((runtime) => promote(runtime, digits, options))),
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
      .action((options: ActOptions & { readonly to?: string }) => run((runtime) => rollBack(runtime, options))),
    signedBy(new Command('pin'))
      .summary('hold what is served')
      .description(
        'Until it is unpinned, no promotion and no rollback changes what is served. Trainers go on; what they make is published, measured and told.',
      )
      .argument(
        '<digest>',
        `the served adapter ("${SERVED}", ${digest}), or "${BASE}": the base model, where none is served`,
      )
      .addHelpText('after', examples([['seam adapters pin 4f3a90c1 --by ada --reason "demonstration on Friday"', '']]))
      .action((digits: string, options: ActOptions) => run((runtime) => pin(runtime, digits, options))),
    signedBy(new Command('unpin'))
      .summary('let promotions change what is served again')
      .action((options: ActOptions) => run((runtime) => unpin(runtime, options))),
  ];
}
