/** The loop from start to report: hosts the services, drives the rounds, shows what happens, measures. */
import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HostedStart } from '@seamstream/gateway';
import { SeamError, systemClock, whenAborted } from '@seamstream/kernel';
import { type Environment, makeFolder } from '@seamstream/service-kit';
import { type StartOptions, servicesOf } from './config.js';
import { TARGETS } from './demonstrations.js';
import { lockDriver } from './driver-lock.js';
import { embeddedEnvironment } from './embedded-environment.js';
import { type Host, type HostHooks, hostServices, loadServiceConfigs } from './host-services.js';
import { measureAttributesRun } from './measure-attributes.js';
import { measureEditsRun } from './measure-edits.js';
import { measureLibraryRun } from './measure-library.js';
import { type MeasureRunInput, measureRun } from './measure-run.js';
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
import { RunRoundsHandler } from './run-rounds.handler.js';
import { assertHosted, assertRounds, hasNewWords, readRunFile, writeRunFile } from './run-settings.js';
import { reportPageIn, toldStart } from './start-facts.js';
import { remarksOn } from './start-remarks.js';
import { LoopView } from './view/loop-view.js';
import type { ViewStream } from './view/terminal-view.js';
import { WatchLogHandler } from './watch-log.handler.js';
import { loopSeconds, WorkSpans } from './work-spans.js';
import { writeWorldFiles } from './world-files.js';

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
export async function runLoop(options: StartOptions, surroundings: LoopSurroundings): Promise<void> {
  const { dataDir } = options;
  const { environment, signal, terminal } = surroundings;
  // 1. All that can be refused is refused before anything is made: a start that comes to nothing leaves nothing.
  await checkDataFolder(dataDir);
  let start = await readStart(options, environment);
  loadServiceConfigs(servicesEnvironment(options, start, environment));
  await prepareFolder(dataDir);
  const view = new LoopView(terminal);
  let host: Host | undefined;
  let unlock: (() => void) | undefined;
  try {
    // 2. One process drives a folder. What another one wrote before the lock was taken is read again.
    if (options.drive) {
      unlock = await lockDriver(dataDir);
      if (!isDeepStrictEqual(await readRunFile(dataDir), start.kept)) start = await readStart(options, environment);
    }
    // 3. The services are hosted, in sight.
    const { settings } = start.run;
    view.source = settings.problems === null ? `seed ${settings.seed}` : basename(settings.problems.path);
    view.remarks.push(...remarksOn(start.run, options, environment));
    view.show();
    const services = servicesOf(options, settings.method);
    const hooks = await hooksOf(options, start, view, terminal);
    host = await hostServices(servicesEnvironment(options, start, environment), services, hooks);
    view.gatewayUrl = host.gatewayUrl;
    view.say(null);
    const watch = new WatchLogHandler(host.drivers.log);
    view.watch = watch;
    // 4. The rounds are driven and measured here, or by another process.
    if (options.drive) await driveAndMeasure({ options, surroundings, start, host, watch, view });
    else {
      view.say(`hosting ${services.join(', ') || 'nothing'}`);
      await Promise.race([host.ended, watch.handle(signal), whenAborted(signal)]);
    }
  } finally {
    view.hide('picture');
    await view.spans?.end();
    await host?.close();
    unlock?.();
  }
}

function servicesEnvironment(
  { dataDir }: StartOptions,
  { run: { settings } }: Start,
  environment: Environment,
): Environment {
  const { method, seed, roundSize, algorithm, validation } = settings;
  const world = { dataFolder: dataDir, method, seed, roundSize, algorithm, validation: validation?.path };
  return embeddedEnvironment(world, environment);
}

/** What the services tell the view, and what is written before they start. */
async function hooksOf(
  { dataDir, drive }: StartOptions,
  { run }: Start,
  view: LoopView,
  terminal: ViewStream,
): Promise<HostHooks> {
  const { settings } = run;
  return {
    onTraining: (progress) => view.trains(progress),
    onUnderWay: (service, batch) => view.works(service, batch),
    start: new HostedStart(
      () => toldStart(dataDir),
      () => reportPageIn(dataDir),
    ),
    beforeServices: async (log) => {
      const recorded = await readRecordedRounds(log);
      if (drive) assertRounds(dataDir, settings, recorded);
      else assertHosted(dataDir, settings, recorded.streams);
      await writeWorldFiles(dataDir, settings);
      if (!drive) return;
      await writeRunFile(dataDir, run);
      view.spans = await WorkSpans.begin(dataDir, systemClock, recorded.span === null ? [] : [recorded.span]);
    },
    // On a terminal a line of JSON would tear the picture.
    ...(terminal.isTTY === true ? { logLines: await serviceLines(dataDir, view.remarks) } : {}),
  };
}

interface HostedLoop {
  readonly options: StartOptions;
  readonly surroundings: LoopSurroundings;
  readonly start: Start;
  readonly host: Host;
  readonly watch: WatchLogHandler;
  readonly view: LoopView;
}

/** Publishes rounds until the loop has ended, measures, and reports. Where no exit was asked for the services stay, until they are stopped. */
async function driveAndMeasure(loop: HostedLoop): Promise<void> {
  const { options, start, host, watch, view } = loop;
  const { signal, onReport } = loop.surroundings;
  const plan = planOf(start);
  const rounds = new RunRoundsHandler({ log: host.drivers.log, clock: systemClock, source: sourceOf(start) }, plan);
  const watching = new AbortController();
  // The log is shown on when the rounds are over: others may publish.
  const shown = watch.handle(AbortSignal.any([signal, watching.signal]), () =>
    rounds.react(watch.progress, watch.ledger.deadLettered),
  );
  // The waits below report its failure; between two waits nothing else would handle it.
  shown.catch(() => undefined);
  try {
    const outcome = await Promise.race([rounds.finished, host.ended, shown, whenAborted(signal)]);
    if (outcome === undefined) return;
    await view.end();
    const measuring = measured(measureInput(loop, outcome, plan.targetPerDomain));
    const report = await Promise.race([measuring, host.ended, whenAborted(signal)]);
    if (report === undefined) return;
    // Text that is written now must not be drawn over, nor appear in the middle of the picture.
    view.hide(options.exit ? 'picture' : 'nothing');
    const path = await onReport(report);
    if (options.exit) return;
    view.say('the loop has ended; publish problems of your own with `seam publish`, ctrl-c stops');
    view.show([report.headline, `report: ${path}`]);
    await Promise.race([host.ended, shown, whenAborted(signal)]);
  } finally {
    watching.abort();
    await shown.catch(() => undefined);
  }
}

function planOf({ run: { settings, limits }, own }: Start): RoundPlan {
  const { maxRounds, maxShiftedRounds } = limits.at(-1)!;
  return {
    roundSize: settings.roundSize,
    maxBaseRounds: maxRounds,
    maxShiftedRounds: hasNewWords(settings) ? maxShiftedRounds : 0,
    targetPerDomain: TARGETS[settings.method],
    refills: own !== null || settings.method === 'self-edits',
    patience: 6,
  };
}

function measureInput(
  { options: { dataDir }, start: { run, own, heldOut }, host, watch, view }: HostedLoop,
  outcome: MeasureRunInput['outcome'],
  target: number,
): MeasureRunInput {
  const file = own === null ? null : (own.test ?? own.validation);
  return {
    ...{ host, run, outcome, target, dataDir, heldOut },
    progress: watch.progress,
    loopSecondsTo: (toMs) => loopSeconds(watch.progress, view.spans, toMs),
    own:
      own === null || file === null
        ? null
        : {
            hints: asProblems(own.problems),
            measured: asProblems(file),
            file: file.path,
            isTest: own.test !== null,
          },
    say: (text) => view.say(text),
  };
}

function sourceOf({ own, run: { settings } }: Start): ProblemSource {
  if (own !== null) return fileSource(own.problems.problems, own.problems, settings.seed);
  switch (settings.method) {
    case 'self-edits':
      return passageSource(settings.seed);
    case 'attributes':
    case 'familiar-attributes':
    case 'attribute-pairs':
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
    case 'attribute-pairs':
      return reportOfAttributes(await measureAttributesRun(input));
    case 'team':
      throw new SeamError(
        'INTERNAL',
        'Cannot measure a team: expected a method that learns in one stage. Use team/run-team.ts.',
      );
  }
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
