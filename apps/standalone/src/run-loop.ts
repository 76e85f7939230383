/** The loop from start to report: hosts the services, drives the rounds, shows what happens, measures. */
import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SeamError, systemClock, whenAborted } from '@seamstream/kernel';
import { type BatchUnderWay, type Environment, makeFolder } from '@seamstream/service-kit';
import { type StartOptions, servicesOf } from './config.js';
import { lockDriver } from './driver-lock.js';
import { embeddedEnvironment } from './embedded-environment.js';
import { type Host, hostServices, loadServiceConfigs } from './host-services.js';
import { measureAttributesRun } from './measure-attributes.js';
import { measureEditsRun } from './measure-edits.js';
import { measureLibraryRun } from './measure-library.js';
import { type MeasureRunInput, measureRun } from './measure-run.js';
import { TARGETS } from './methods.js';
import { asProblems } from './own-problems.js';
import { checkDataFolder, prepareFolder } from './prepare-folder.js';
import { attributeSource, fileSource, type ProblemSource, passageSource, worldSource } from './problem-stream.js';
import { readStart, type Start } from './read-start.js';
import { readRecordedRounds } from './recorded-rounds.js';
import {
  type FinishedReport,
  reportOfAttributes,
  reportOfEdits,
  reportOfExperiences,
  reportOfLibrary,
} from './report/finished-report.js';
import type { RoundPlan } from './round-driver.decide.js';
import { endedRuns, initialLoopProgress, type LoopProgress } from './round-progress.js';
import { RunRoundsHandler } from './run-rounds.handler.js';
import { assertHosted, assertRounds, hasNewWords, readRunFile, writeRunFile } from './run-settings.js';
import { remarksOn } from './start-remarks.js';
import { TerminalView, type ViewFacts, type ViewStream } from './view/terminal-view.js';
import { WatchLogHandler } from './watch-log.handler.js';
import { WorkSpans, workedMs } from './work-spans.js';
import { writeWorldFiles } from './world-files.js';

const REDRAW_MS = 250;
const SHOW_WORK_AFTER_MS = 3_000;
const NO_LEDGER = { published: 0, solved: 0, failed: 0, expired: 0, inFlight: 0, deadLetterRecords: 0 };

export interface LoopSurroundings {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly terminal: ViewStream;
  /** Called once the loop has ended and everything is measured, when nothing is drawn. Returns where the report is. */
  readonly onReport: (report: FinishedReport) => Promise<string>;
}

/**
 * Runs until the loop has ended (`exit`) or the signal aborts.
 * @throws INVALID_CONFIGURATION for a data folder that is a file or cannot be written; CONFLICT for one that another process drives, or that was
 * begun with other settings; INVALID_INPUT for a file of problems at fault; otherwise as `hostServices`
 */
export async function runLoop(
  options: StartOptions,
  { environment, signal, terminal, onReport }: LoopSurroundings,
): Promise<void> {
  const { dataDir } = options;
  // All that can be refused is refused before anything is made: a start that comes to nothing leaves nothing.
  await checkDataFolder(dataDir);
  let start = await readStart(options, environment);
  const servicesEnvironment = (): Environment => {
    const { method, seed, roundSize, algorithm, validation } = start.run.settings;
    return embeddedEnvironment(
      { dataFolder: dataDir, method, seed, roundSize, algorithm, validation: validation?.path },
      environment,
    );
  };
  loadServiceConfigs(servicesEnvironment());
  await prepareFolder(dataDir);
  const startedAtMs = systemClock.now();
  const view = new TerminalView(terminal);
  const facts = {
    training: null as ViewFacts['training'],
    activity: 'loading models' as string | null,
    result: [] as readonly string[],
    remarks: [] as string[],
    gatewayUrl: undefined as string | undefined,
  };
  const work = new Map<string, BatchUnderWay>();
  const say = (text: string | null): void => {
    facts.activity = text;
  };
  let watch: WatchLogHandler | undefined;
  let spans: WorkSpans | undefined;
  let hasEnded = false;
  let source = '';
  const draw = (): void => {
    const progress = watch?.progress ?? initialLoopProgress();
    view.draw(progress, {
      ...facts,
      source,
      ledger: watch?.ledger ?? NO_LEDGER,
      workedSeconds:
        spans === undefined
          ? (systemClock.now() - startedAtMs) / 1000
          : loopSeconds(progress, spans, hasEnded ? null : systemClock.now()),
      // What is over in a moment would only flicker.
      work: [...work].flatMap(([service, batch]) =>
        batch.elapsedMs < SHOW_WORK_AFTER_MS ? [] : [{ service, ...batch }],
      ),
    });
  };
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    timer = setInterval(draw, REDRAW_MS);
  };
  const stopShowing = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  let host: Host | undefined;
  let unlock: (() => void) | undefined;
  const watching = new AbortController();
  let shown: Promise<void> | undefined;
  try {
    if (options.drive) {
      unlock = await lockDriver(dataDir);
      if (!isDeepStrictEqual(await readRunFile(dataDir), start.kept)) start = await readStart(options, environment);
    }
    const { settings } = start.run;
    source = settings.problems === null ? `seed ${settings.seed}` : basename(settings.problems.path);
    facts.remarks.push(...remarksOn(start.run, options, environment));
    show();
    const services = servicesOf(options, settings.method);
    host = await hostServices(servicesEnvironment(), services, {
      onTraining: ({ algorithm, phase, done, total, metrics }) => {
        facts.training =
          phase === 'training' ? { algorithm, step: done, steps: total, loss: metrics.loss ?? null } : null;
        say(phase === 'evaluating' ? `comparing the new adapter with its parent ${done}/${total}` : null);
      },
      onUnderWay: (service, batch) => {
        if (batch === null) work.delete(service);
        else work.set(service, batch);
      },
      beforeServices: async (log) => {
        const recorded = await readRecordedRounds(log);
        if (options.drive) assertRounds(dataDir, settings, recorded);
        else assertHosted(dataDir, settings, recorded.streams);
        await writeWorldFiles(dataDir, settings);
        if (!options.drive) return;
        await writeRunFile(dataDir, start.run);
        spans = await WorkSpans.begin(dataDir, systemClock, recorded.span === null ? [] : [recorded.span]);
      },
      // On a terminal a line of JSON would tear the picture.
      ...(terminal.isTTY === true ? { logLines: await serviceLines(dataDir, facts.remarks) } : {}),
    });
    facts.gatewayUrl = host.gatewayUrl;
    say(null);
    watch = new WatchLogHandler(host.drivers.log);
    if (!options.drive) {
      say(`hosting ${services.join(', ') || 'nothing'}`);
      await Promise.race([host.ended, watch.handle(signal), whenAborted(signal)]);
      return;
    }
    const { maxRounds, maxShiftedRounds } = start.run.limits.at(-1)!;
    const plan: RoundPlan = {
      roundSize: settings.roundSize,
      maxBaseRounds: maxRounds,
      maxShiftedRounds: hasNewWords(settings) ? maxShiftedRounds : 0,
      targetPerDomain: TARGETS[settings.method],
      refills: start.own !== null || settings.method === 'self-edits',
      patience: 6,
    };
    const rounds = new RunRoundsHandler(
      {
        log: host.drivers.log,
        clock: systemClock,
        source: sourceOf(start),
      },
      plan,
    );
    const seen = watch;
    // The log is shown on when the rounds are over: others may publish.
    shown = seen.handle(AbortSignal.any([signal, watching.signal]), () =>
      rounds.react(seen.progress, seen.ledger.deadLettered),
    );
    // The wait for it below reports its failure; between two waits nothing else would handle it.
    shown.catch(() => undefined);
    const outcome = await Promise.race([rounds.finished, host.ended, shown, whenAborted(signal)]);
    if (outcome === undefined) return;
    hasEnded = true;
    await spans?.end();
    facts.training = null;
    const { own } = start;
    const report = await Promise.race([
      measured({
        host,
        progress: seen.progress,
        run: start.run,
        outcome,
        target: plan.targetPerDomain,
        dataDir,
        heldOut: start.heldOut,
        loopSecondsTo: (toMs) => loopSeconds(seen.progress, spans, toMs),
        own:
          own === null
            ? null
            : {
                hints: asProblems(own.problems),
                measured: asProblems(own.test ?? own.validation),
                file: (own.test ?? own.validation).path,
                isTest: own.test !== null,
              },
        say,
      }),
      host.ended,
      whenAborted(signal),
    ]);
    if (report === undefined) return;
    // Text that is written now must not be drawn over, nor appear in the middle of the picture.
    stopShowing();
    if (options.exit) {
      draw();
      view.leave();
    } else view.erase();
    const path = await onReport(report);
    if (options.exit) return;
    facts.result = [report.headline, `report: ${path}`];
    say('the loop has ended; publish problems of your own with `seam publish`, ctrl-c stops');
    show();
    await Promise.race([host.ended, shown, whenAborted(signal)]);
  } finally {
    if (timer !== undefined) {
      stopShowing();
      draw();
      view.leave();
    }
    watching.abort();
    await shown?.catch(() => undefined);
    await spans?.end();
    await host?.close();
    unlock?.();
  }
}

function sourceOf({ own, run: { settings } }: Start): ProblemSource {
  if (own !== null) return fileSource(own.problems.problems, own.problems, settings.seed);
  switch (settings.method) {
    case 'self-edits':
      return passageSource(settings.seed);
    case 'attributes':
    case 'familiar-attributes':
      return attributeSource(settings);
    default:
      return worldSource(settings.seed, settings.method);
  }
}

async function measured(input: MeasureRunInput): Promise<FinishedReport> {
  switch (input.run.settings.method) {
    case 'experiences':
      return reportOfExperiences(await measureRun(input));
    case 'self-edits':
      return reportOfEdits(await measureEditsRun(input));
    case 'library':
      return reportOfLibrary(await measureLibraryRun(input));
    case 'attributes':
    case 'familiar-attributes':
      return reportOfAttributes(await measureAttributesRun(input));
    case 'team':
      throw new SeamError(
        'INTERNAL',
        'Cannot measure a team: expected a method that learns in one stage. Use team/run-team.ts.',
      );
  }
}

/** Seconds of work from the first problem to the end of the last run, or to `toMs` where that is given. */
function loopSeconds(progress: LoopProgress, spans: WorkSpans | undefined, toMs: number | null): number {
  const rows = [...progress.rounds.values()];
  if (rows.length === 0) return 0;
  const fromMs = Math.min(...rows.map((row) => row.firstPublishedAtMs));
  const endMs = toMs ?? Math.max(fromMs, ...endedRuns(progress).map(({ endedAtMs }) => endedAtMs ?? 0));
  return (spans === undefined ? Math.max(0, endMs - fromMs) : workedMs(spans.all(), fromMs, endMs)) / 1000;
}

/** Keeps the services' log lines in a file, and shows what the last of them says. */
async function serviceLines(dataDir: string, remarks: string[]): Promise<{ write(line: string): void }> {
  await makeFolder(dataDir);
  const file = createWriteStream(join(dataDir, 'services.log'), { flags: 'a' });
  // A full disk ends the log first, and says so; this file is a convenience.
  file.on('error', () => undefined);
  const fixed = remarks.length;
  return {
    write(line) {
      file.write(line);
      remarks.splice(fixed, remarks.length, `${messageIn(line)} (services.log)`);
    },
  };
}

function messageIn(line: string): string {
  try {
    const { service, msg } = JSON.parse(line) as { service?: string; msg?: string };
    return `${service ?? 'a service'}: ${msg ?? ''}`;
  } catch {
    return line.trim();
  }
}
