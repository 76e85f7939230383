/** The demonstration of teams from start to report: stage by stage, every way of tuning on the same problems; then what each is worth. */
import { isDeepStrictEqual } from 'node:util';
import { isSeamError, systemClock, whenAborted } from '@seamstream/kernel';
import type { StartOptions } from '../config.js';
import { lockDriver } from '../driver-lock.js';
import { embeddedEnvironment } from '../embedded-environment.js';
import { type Host, hostServices } from '../host-services.js';
import { checkDataFolder, prepareFolder } from '../prepare-folder.js';
import { readStart } from '../read-start.js';
import { readRecordedRounds } from '../recorded-rounds.js';
import { reportOfTeam } from '../report/finished-report.js';
import type { LoopSurroundings } from '../run-loop.js';
import { assertRounds, readRunFile, writeRunFile } from '../run-settings.js';
import { writeWorldFiles } from '../world-files.js';
import { measureTeams } from './measure-team.js';
import { readTeamAccounts } from './read-team-log.js';
import { areOtherSettings, TEAM_ARMS } from './team-arms.js';
import { openArm, publishStage } from './tune-arm.js';

/** Share of them from which on there is nothing left to learn: the stages end, in all arms. */
const LEARNED = 0.97;

/**
 * Runs all stages of all arms, or what is left of them, and measures.
 * @throws as `runLoop`
 */
export async function runTeam(
  options: StartOptions,
  { environment, signal, terminal, onReport }: LoopSurroundings,
): Promise<void> {
  const { dataDir } = options;
  const beganAtMs = systemClock.now();
  await checkDataFolder(dataDir);
  let start = await readStart(options, environment);
  await prepareFolder(dataDir);
  const unlock = await lockDriver(dataDir);
  let host: Host | undefined;
  const closers: (() => Promise<void>)[] = [];
  const say = (line: string): void => void terminal.write(`${line}\n`);
  try {
    if (!isDeepStrictEqual(await readRunFile(dataDir), start.kept)) start = await readStart(options, environment);
    const { run } = start;
    // 1. Log, objects and models; no service runs: the trainer rolls out itself.
    const { seed, roundSize, algorithm } = run.settings;
    const own = embeddedEnvironment({ dataFolder: dataDir, method: 'team', seed, roundSize, algorithm }, environment);
    host = await hostServices(own, [], {
      onTraining: () => undefined,
      beforeServices: async (log) => {
        assertRounds(dataDir, run.settings, await readRecordedRounds(log));
        await writeWorldFiles(dataDir, { ...run.settings, method: 'team' });
        await writeRunFile(dataDir, run);
      },
    });
    const arms = await Promise.all(
      TEAM_ARMS.map((arm) => openArm(arm, host!, { environment: own, seed, closers, say })),
    );
    // 2. The stages. What the log says of an earlier start is not done again.
    await tellOtherSettings(host, say);
    const { maxRounds } = run.limits.at(-1)!;
    for (let stage = 1; stage <= maxRounds; stage++) {
      await publishStage(host, run.settings, stage);
      for (const arm of arms) await arm.tune(stage, signal);
      if ((await validationAfter(host, stage)) >= LEARNED) break;
    }
    // 3. What it came to.
    const measured = measureTeams({ host, run, arms, dataDir, heldOut: start.heldOut, beganAtMs, say });
    const report = await Promise.race([measured, whenAborted(signal)]);
    if (report === undefined) return;
    const path = await onReport(reportOfTeam(report));
    if (!options.exit) say(`report: ${path}`);
  } catch (error) {
    // What is done is in the log, and the next start resumes there.
    if (!signal.aborted || !isEndOf(error, signal)) throw error;
  } finally {
    for (const close of closers.reverse()) await close();
    await host?.close();
    unlock();
  }
}

/** Whether an error only says that the work was stopped. */
function isEndOf(error: unknown, signal: AbortSignal): boolean {
  return (
    error === signal.reason || isSeamError(error, 'ABORTED') || (error instanceof Error && error.name === 'AbortError')
  );
}

/** A folder of another release continues with the settings of this one, and its figures are of both. */
async function tellOtherSettings({ drivers: { log } }: Host, say: (line: string) => void): Promise<void> {
  const accounts = await readTeamAccounts(
    log,
    TEAM_ARMS.map(({ name }) => name),
  );
  for (const arm of TEAM_ARMS)
    if (accounts.get(arm.name)!.settings.some((recorded) => areOtherSettings(arm, recorded)))
      say(
        `${arm.title}: stages of this folder were tuned with other settings than this version has; figures are of both`,
      );
}

/** Success of what is shown on the validation problems after a stage, as the log has it. */
async function validationAfter({ drivers: { log } }: Host, stage: number): Promise<number> {
  const accounts = await readTeamAccounts(log, [TEAM_ARMS[0].name]);
  return accounts.get(TEAM_ARMS[0].name)!.figures.stages.find((row) => row.stage === stage)?.validation ?? 0;
}
