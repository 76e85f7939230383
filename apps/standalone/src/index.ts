import type { StartExit, StartOptions } from './config.js';
import type { StudyOptions } from './study/real-model/run-study.js';
import type { ArmStudy } from './team/study-arm.js';
import type { TeamArmRun } from './team/team-study.js';

export type { ToldStart } from '@seamstream/gateway';
export { type StartExit, type StartOptions, startOptionsOf, withStartOptions } from './config.js';
export {
  type EmbeddedSettings,
  embeddedEnvironment,
  SHIPPED_MODEL_FOLDERS,
  worldFiles,
} from './embedded-environment.js';
export { worldSource } from './problem-stream.js';
export { renderEditsStudy } from './report/edits-report.js';
export { bars, escapeHtml, page, table } from './report/page-pieces.js';
export { EARLIER_WORLD, settingsOfFolder } from './run-settings.js';
export { toldStart } from './start-facts.js';
export { ARMS, type Arm, armEnvironment } from './study/arms.js';
export { type ArmRun, chooseArm, compareArms, STUDY_SETS, studyTable } from './study/comparison.js';
export {
  learningOfAttributes,
  loopCurve,
  SPEED_LEVELS,
  speedRatio,
  speedTable,
  trlCurve,
  trlMeasurements,
} from './study/learning-speed.js';
export { type WorldRun, worldsShortcomings, worldsTable } from './study/many-worlds.js';
export { embeddedTask } from './study/real-model/embedded-task.js';
export { priceTables } from './study/real-model/price-tables.js';
export { Rewards, serveRewards } from './study/reward-server.js';
export { SPEED_METHODS, speedWorld } from './study/speed-world.js';
export { TEAM_ARMS, TEAM_STUDY_ARMS, type TeamArm } from './team/team-arms.js';
export { type TeamArmRun, teamDifferences, teamShortcomings, teamStudyTable } from './team/team-study.js';
export {
  attributeSet,
  attributeWorldOf,
  heldOutProblems,
  validationProblems,
  writeWorldFiles,
} from './world-files.js';
export { problemsOfSet } from './world-sets.js';

/**
 * Runs the whole loop in this process, to its end or until SIGINT or SIGTERM. It is loaded late, since it loads the services and with
 * them a web framework: a command that only reads settings does not need these.
 * @throws what keeps it from starting or continuing
 */
export async function start(options: StartOptions): Promise<StartExit> {
  const whole = await import('./start.js');
  return whole.start(options);
}

/**
 * Runs or resumes a study with a real model, to its end. Loaded late, as {@link start}.
 * @throws as `runStudy`
 */
export async function studyRealModel(
  options: StudyOptions,
): Promise<{ readonly report: unknown; readonly text: string }> {
  const { runStudy } = await import('./study/real-model/run-study.js');
  return runStudy(options);
}

/**
 * Runs or resumes one way of tuning a team on one seed. Loaded late, as {@link start}.
 * @throws as `runTeamArm`
 */
export async function studyTeamArm(study: ArmStudy): Promise<TeamArmRun> {
  const { runTeamArm } = await import('./team/study-arm.js');
  return runTeamArm(study);
}
