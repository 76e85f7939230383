/** One way of tuning a team on one seed, alone in its folder: stages, then held-out problems. What a study of teams compares. */
import { systemClock } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import { SEQUENTIAL_TUNING } from '@seamstream/team-tuning';
import { lockDriver } from '../driver-lock.js';
import { embeddedEnvironment } from '../embedded-environment.js';
import { type Host, hostServices } from '../host-services.js';
import { prepareFolder } from '../prepare-folder.js';
import { heldOutProblems, writeWorldFiles } from '../world-files.js';
import { readTeamAccounts } from './read-team-log.js';
import type { TeamArm } from './team-arms.js';
import type { TeamArmRun } from './team-study.js';
import { openArm, publishStage } from './tune-arm.js';

export interface ArmStudy {
  readonly arm: TeamArm;
  readonly seed: number;
  readonly stages: number;
  /** Problems of a stage. */
  readonly roundSize: number;
  /** Problems to measure on; the same in all runs. */
  readonly heldOut: number;
  /** Log and objects. Stages that are done there are not done again. */
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Runs or resumes the stages, and measures the last team.
 * @throws CONFLICT while another process works in the folder; what ends a stage
 */
export async function runTeamArm(study: ArmStudy): Promise<TeamArmRun> {
  const { arm, seed, stages, roundSize, heldOut, folder, environment, signal, say } = study;
  const settings = { method: 'team', seed, roundSize, algorithm: SEQUENTIAL_TUNING } as const;
  await prepareFolder(folder);
  const unlock = await lockDriver(folder);
  let host: Host | undefined;
  const closers: (() => Promise<void>)[] = [];
  try {
    const own = embeddedEnvironment({ dataFolder: folder, ...settings }, environment);
    host = await hostServices(own, [], {
      onTraining: () => undefined,
      beforeServices: () => writeWorldFiles(folder, settings),
    });
    const opened = await openArm(arm, host, { environment: own, seed, closers, say });
    for (let stage = 1; stage <= stages; stage++) {
      await publishStage(host, settings, stage);
      await opened.tune(stage, signal);
      signal.throwIfAborted();
    }
    const account = (await readTeamAccounts(host.drivers.log, [arm.name])).get(arm.name)!;
    const problems = heldOutProblems('base', heldOut);
    const solvedBy = async (team: Parameters<typeof opened.evaluation.greedy>[0]): Promise<readonly boolean[]> =>
      (await opened.evaluation.greedy(team, problems)).map(({ success }) => success);
    return {
      ...{ arm: arm.name, title: arm.title, seed, roundSize, madeAt: new Date(systemClock.now()).toISOString() },
      ...account.figures,
      untuned: await solvedBy(null),
      heldOut: await solvedBy(account.served === null ? null : await opened.runner.load(account.served)),
    };
  } finally {
    for (const close of closers.reverse()) await close();
    await host?.close();
    unlock();
  }
}
