/** The demonstration from start to report: hosts the services, drives the rounds, shows what happens, measures. */
import { SHIFTED_DOMAINS } from '@seamstream/embedded-world';
import { systemClock } from '@seamstream/kernel';
import { type Adapter, decodeAdapter } from '@seamstream/language-model';
import { type BatchUnderWay, checkFolder, type Environment } from '@seamstream/service-kit';
import type { StartOptions } from './config.js';
import { lockDriver } from './driver-lock.js';
import { embeddedEnvironment } from './embedded-environment.js';
import { type Host, hostServices } from './host-services.js';
import { MeasureHeldOutHandler } from './measure-held-out.handler.js';
import { readLogAccount } from './read-log.js';
import { buildReport, type ShiftMeasurement } from './report/build-report.js';
import type { Report } from './report/report.types.js';
import type { RoundPlan } from './round-driver.decide.js';
import { endedRuns, initialLoopProgress, type LoopProgress, type RunProgress } from './round-progress.js';
import { RunRoundsHandler } from './run-rounds.handler.js';
import { TerminalView, type ViewFacts, type ViewStream } from './view/terminal-view.js';
import { heldOutProblems, validationProblems, writeWorldFiles } from './world-files.js';

const REDRAW_MS = 250;
const SHOW_WORK_AFTER_MS = 3_000;
/** Adapters on the report's held-out column besides the last one: enough for a curve, few enough to be quick. */
const CURVE_POINTS = 6;

export interface LoopSurroundings {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly terminal: ViewStream;
  /** Told once the loop has ended and everything is measured. */
  readonly onReport: (report: Report) => Promise<void>;
}

/**
 * Runs until the loop has ended (`exit`) or the signal aborts.
 * @throws INVALID_CONFIGURATION for a data folder that is a file; otherwise as `hostServices`
 */
export async function runLoop(
  options: StartOptions,
  { environment, signal, terminal, onReport }: LoopSurroundings,
): Promise<void> {
  const { seed, dataDir, roundSize } = options;
  await checkFolder(dataDir, 'Keeping log, objects and reports', '--data-dir');
  const startedAtMs = systemClock.now();
  let progress: LoopProgress = initialLoopProgress;
  let training: ViewFacts['training'] = null;
  let activity: string | null = 'loading models';
  const work = new Map<string, BatchUnderWay>();
  const view = new TerminalView(terminal);
  const draw = (): void =>
    view.draw(progress, {
      seed,
      elapsedSeconds: (systemClock.now() - startedAtMs) / 1000,
      training,
      activity,
      // What is over in a moment would only flicker.
      work: [...work].flatMap(([service, batch]) =>
        batch.elapsedMs < SHOW_WORK_AFTER_MS ? [] : [{ service, ...batch }],
      ),
    });
  const timer = setInterval(draw, REDRAW_MS);
  const say = (text: string | null): void => {
    activity = text;
  };
  let host: Host | undefined;
  let unlock: (() => void) | undefined;
  try {
    if (options.drive) unlock = await lockDriver(dataDir);
    await writeWorldFiles(dataDir);
    host = await hostServices(
      embeddedEnvironment({ dataFolder: dataDir, seed, roundSize, algorithm: options.algorithm }, environment),
      options.services,
      ({ algorithm, phase, done, total, metrics }) => {
        training = phase === 'training' ? { algorithm, step: done, steps: total, loss: metrics.loss ?? null } : null;
        say(phase === 'evaluating' ? `comparing the new adapter with its parent ${done}/${total}` : null);
      },
      (service, batch) => {
        if (batch === null) work.delete(service);
        else work.set(service, batch);
      },
    );
    say(null);
    if (!options.drive) {
      say(`hosting ${options.services.join(', ')}`);
      await Promise.race([host.ended, aborted(signal)]);
      return;
    }
    const plan: RoundPlan = {
      roundSize,
      maxBaseRounds: options.maxRounds,
      maxShiftedRounds: options.maxShiftedRounds,
      targetPerDomain: 0.96,
      patience: 6,
    };
    const rounds = new RunRoundsHandler({
      log: host.drivers.log,
      clock: systemClock,
      onProgress: (next) => {
        progress = next;
      },
    });
    const outcome = await Promise.race([rounds.handle(seed, plan, signal), host.ended]);
    if (outcome === undefined || outcome.reason === null) return;
    training = null;
    const measured = await Promise.race([
      measure(host, options, progress, { reason: outcome.reason, converged: outcome.converged }, say),
      aborted(signal),
    ]);
    if (measured === undefined) return;
    await onReport(measured);
    if (!options.exit) {
      say('the loop has ended; publish problems of your own with `npx seam publish`, ctrl-c stops');
      await Promise.race([host.ended, aborted(signal)]);
    }
  } finally {
    clearInterval(timer);
    draw();
    await host?.close();
    unlock?.();
  }
}

async function measure(
  host: Host,
  options: StartOptions,
  progress: LoopProgress,
  ended: { readonly reason: string; readonly converged: boolean },
  say: (activity: string) => void,
): Promise<Report> {
  const { drivers } = host;
  const handler = new MeasureHeldOutHandler(host, say);
  const load = async (run: RunProgress | undefined): Promise<Adapter | null> =>
    run === undefined || run.adapterKey === null || run.adapterDigest === null
      ? null
      : decodeAdapter(await drivers.objects.get(run.adapterKey), { digest: run.adapterDigest });
  const promoted = endedRuns(progress).filter((run) => run.status === 'promoted');
  const problems = heldOutProblems('base', options.heldOut);
  const last = promoted.at(-1);
  const adapter = await load(last);
  const heldOut = await handler.all(
    adapter,
    problems,
    validationProblems().filter(({ domain }) => !SHIFTED_DOMAINS.includes(domain)),
  );

  const heldOutByAdapter = new Map<string, number>();
  if (last?.adapterDigest != null) heldOutByAdapter.set(last.adapterDigest, heldOut.rows.trained?.success ?? 0);
  const step = Math.max(1, Math.ceil(promoted.length / CURVE_POINTS));
  for (const run of promoted.filter((_, index) => index % step === 0)) {
    if (run.adapterDigest !== null && !heldOutByAdapter.has(run.adapterDigest))
      heldOutByAdapter.set(run.adapterDigest, await handler.successOf(await load(run), problems));
  }

  const account = await readLogAccount(drivers.log, host.schemaFor);
  return buildReport({
    seed: options.seed,
    progress,
    ledger: account.ledger,
    heldOut,
    heldOutByAdapter,
    shift: await measureShift(handler, progress, options, adapter, load, heldOut.rows.trained?.success ?? 0),
    entries: account.entries,
    executor: {
      model: host.executor.identity.model,
      digest: host.executor.identity.revision,
      unchanged: [...account.executorRevisions].every((revision) => revision === host.executor.identity.revision),
    },
    ended: ended.reason,
    converged: ended.converged,
  });
}

/** The adapter served when the new problems appeared, beside the last one, on the new problems and on the old domains. */
async function measureShift(
  handler: MeasureHeldOutHandler,
  progress: LoopProgress,
  options: StartOptions,
  last: Adapter | null,
  load: (run: RunProgress | undefined) => Promise<Adapter | null>,
  oldDomainsFinal: number,
): Promise<ShiftMeasurement | null> {
  const baseRounds = [...progress.rounds.values()].filter((row) => row.phase === 'base').length;
  if (baseRounds === progress.rounds.size) return null;
  const before = await load(
    endedRuns(progress)
      .slice(0, baseRounds)
      .findLast((run) => run.status === 'promoted'),
  );
  const shifted = heldOutProblems('shifted', options.heldOut);
  return {
    problems: shifted.length,
    beforeTraining: await handler.successOf(before, shifted),
    final: await handler.successOf(last, shifted),
    oldDomainsBefore: await handler.successOf(before, heldOutProblems('base', options.heldOut)),
    oldDomainsFinal,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
