/** What is measured when the rounds are over, and the report made of it. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SHIFTED_DOMAINS } from '@seamstream/embedded-world';
import type { ControlsStudy } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { decodeServed, type Served } from '@seamstream/rollout';
import type { Host } from './host-services.js';
import { loopPhases } from './loop-phases.js';
import { MeasureHeldOutHandler } from './measure-held-out.handler.js';
import { measureShift, type Stored, servedInShift } from './measure-shift.js';
import { readLogAccount } from './read-log.js';
import { buildReport, ledgerOf, type ShiftMeasurement } from './report/build-report.js';
import { commandsOf } from './report/commands-of.js';
import type { Report, RoundsReport } from './report/report.types.js';
import { endedRuns, type LoopProgress, type RoundProgress, type RunProgress } from './round-progress.js';
import type { RoundsOutcome } from './run-rounds.handler.js';
import type { RunFile } from './run-settings.js';
import { heldOutProblems, validationProblems } from './world-files.js';

/** Adapters on the report's held-out column besides the last one: enough for a curve, few enough to be quick. */
const CURVE_POINTS = 6;
/** Problems of one's own that fixed hints are chosen on, per domain: as many as `chooseFixedHints` looks at. */
const HINT_PROBLEMS = 16;

export interface MeasureRunInput {
  readonly host: Host;
  readonly progress: LoopProgress;
  readonly run: RunFile;
  readonly outcome: RoundsOutcome;
  readonly target: number;
  readonly dataDir: string;
  /** Held-out problems of the demonstration to measure on. */
  readonly heldOut: number;
  /** Problems of one's own instead: to measure on, and for the fixed hints; null in the demonstration. */
  readonly own: {
    readonly measured: readonly Problem[];
    readonly hints: readonly Problem[];
    readonly file: string;
    readonly isTest: boolean;
  } | null;
  readonly loopSecondsTo: (toMs: number) => number;
  readonly say: (activity: string) => void;
}

/** What a place in the object store holds, proven by its digest; null is the base model. */
export async function storedArtefact({ drivers: { objects } }: Host, stored: Stored | null): Promise<Served | null> {
  if (stored === null) return null;
  return decodeServed(stored.key, await objects.get(stored.key), { digest: stored.adapterDigest });
}

export async function measureRun(input: MeasureRunInput): Promise<Report> {
  const { host, progress, own, outcome } = input;
  const { drivers } = host;
  const handler = new MeasureHeldOutHandler(host, input.say);
  const { served } = progress.adapters;
  const problems = own?.measured ?? heldOutProblems('base', input.heldOut);
  const adapter = await storedArtefact(host, served);
  const heldOut = await handler.all(
    adapter,
    problems,
    own === null
      ? validationProblems().filter(({ domain }) => !SHIFTED_DOMAINS.includes(domain))
      : firstOfEach(own.hints, HINT_PROBLEMS),
  );

  const heldOutByAdapter = new Map<string, number>();
  if (served !== null) heldOutByAdapter.set(served.adapterDigest, heldOut.rows.trained?.success ?? 0);
  const promoted = endedRuns(progress).filter((run) => run.status === 'promoted');
  const step = Math.max(1, Math.ceil(promoted.length / CURVE_POINTS));
  const onCurve = promoted.filter((run, index) => index % step === 0 && run.adapterDigest !== served?.adapterDigest);
  for (const [index, run] of onCurve.entries()) {
    const { adapterDigest, adapterKey: key } = run;
    if (adapterDigest === null || key === null || heldOutByAdapter.has(adapterDigest)) continue;
    const { success } = await handler.resultOf(
      await storedArtefact(host, { adapterDigest, key }),
      problems,
      `adapter ${index + 1} of ${onCurve.length}`,
    );
    heldOutByAdapter.set(adapterDigest, success);
  }

  const account = await readLogAccount(drivers.log, host.schemaFor);
  return buildReport({
    run: input.run,
    progress,
    ledger: account.ledger,
    measuredOn:
      own === null
        ? { name: 'held-out problems of the demonstration', isHeldOut: true }
        : { name: own.file, isHeldOut: own.isTest },
    heldOut,
    heldOutByAdapter,
    shift: own === null ? await measureNewWords(handler, input, problems, heldOut) : null,
    example: await handler.example(adapter, problems, heldOut),
    entries: account.entries,
    quoting: account.quoting,
    misquote: account.misquote,
    executor: {
      model: host.environment.identity.model,
      digest: host.environment.identity.revision,
      unchanged: [...account.executorRevisions].every((revision) => revision === host.environment.identity.revision),
    },
    ended: outcome.reason,
    converged: outcome.converged,
    target: input.target,
    loopSecondsTo: input.loopSecondsTo,
    madeAt: new Date(systemClock.now()).toISOString(),
    heldOutProblems: input.heldOut,
    testFile: own?.isTest === true ? own.file : null,
    folderBytes: await bytesBelow(input.dataDir),
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
  });
}

/** The adapter served when the new problems appeared and the last one, both on the new problems and on the old domains. */
async function measureNewWords(
  handler: MeasureHeldOutHandler,
  { host, progress, heldOut: count }: MeasureRunInput,
  old: readonly Problem[],
  { rows: { trained } }: ControlsStudy,
): Promise<ShiftMeasurement | null> {
  const shift = servedInShift(progress);
  const last = shift?.after.at(-1);
  if (shift === null || last === undefined || trained === undefined) return null;
  const { served } = progress.adapters;
  const problems = { new: heldOutProblems('shifted', count), old };
  const [before, final] = await measureShift([shift.before, { ...last, served }], {
    ...{ problems, last: { served, onOld: trained } },
    resultOf: (adapter, asked, what) => handler.resultOf(adapter, asked, what),
    load: (stored) => storedArtefact(host, stored),
  });
  return {
    problems: problems.new.length,
    beforeTraining: before!.onNew.success,
    final: final!.onNew.success,
    oldDomainsBefore: before!.onOld.success,
    oldDomainsFinal: final!.onOld.success,
    result: final!.onNew,
  };
}

function firstOfEach(problems: readonly Problem[], count: number): readonly Problem[] {
  return [...Map.groupBy(problems, ({ domain }) => domain).values()].flatMap((own) => own.slice(0, count));
}

/** What the folder takes on the disk: files with holes count as they lie there. */
export async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    // A file may be replaced while this looks.
    else if (entry.isFile()) bytes += (await stat(path).catch(() => ({ blocks: 0 }))).blocks * 512;
  }
  return bytes;
}

/** What every report of rounds says of its run; read once the rest was measured. @param heldOut what the demonstration's own problems are called */
export async function roundsFacts(input: MeasureRunInput, heldOut: string): Promise<RoundsReport> {
  const { host, progress, own, outcome, run } = input;
  const account = await readLogAccount(host.drivers.log, host.schemaFor);
  const { model, revision: digest } = host.environment.identity;
  const endedAtMs = Math.max(0, ...endedRuns(progress).map((each) => each.endedAtMs ?? 0));
  return {
    ...{ settings: run.settings, limits: run.limits, seed: run.settings.seed, version: run.version },
    loopSeconds: input.loopSecondsTo(endedAtMs),
    phases: loopPhases(progress, input.loopSecondsTo),
    madeAt: new Date(systemClock.now()).toISOString(),
    commands: commandsOf({ run, heldOutProblems: input.heldOut, testFile: own?.isTest === true ? own.file : null }),
    measuredOn: own === null ? { name: heldOut, isHeldOut: true } : { name: own.file, isHeldOut: own.isTest },
    ledger: ledgerOf(account.ledger),
    executor: { model, digest, unchanged: [...account.executorRevisions].every((revision) => revision === digest) },
    ended: outcome.reason,
    folderBytes: await bytesBelow(input.dataDir),
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
  };
}

interface LearnedRound {
  readonly row: RoundProgress;
  readonly run: RunProgress;
  /** A figure of the run; null where it has none of this name. */
  readonly figure: (name: string) => number | null;
  readonly end: {
    readonly validation: number | null;
    readonly parentValidation: number | null;
    readonly status: 'promoted' | 'rejected' | 'failed';
    readonly reason: string | null;
  };
  /** The adapter that its run made, and on how many problems it was compared with its parent; null where there was none. */
  readonly candidate: Pick<RunProgress, 'validationProblems' | 'comparedAttempts'> & { readonly digest: string | null };
}

/** Every round with the run that learned from it, in their order; rounds without one are left out. */
export function learnedRounds(progress: LoopProgress): readonly LearnedRound[] {
  const runs = endedRuns(progress);
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  return rounds.flatMap((row, index) => {
    const run = runs[index];
    if (run === undefined) return [];
    const { validation, parentValidation, reason, adapterDigest: digest } = run;
    const { validationProblems, comparedAttempts } = run;
    const status = run.status === 'running' ? 'failed' : run.status;
    const end = { validation, parentValidation, status, reason } as const;
    return [
      {
        row,
        run,
        figure: (name) => run.metrics[name] ?? null,
        end,
        candidate: { digest, validationProblems, comparedAttempts },
      },
    ];
  });
}
