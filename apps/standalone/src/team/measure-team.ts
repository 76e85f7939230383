/** What the stages came to: the log's account of each way of tuning, and its last team on problems that decided nothing. */
import { systemClock } from '@seamstream/kernel';
import { pairedDifference, wilsonInterval } from '@seamstream/statistics';
import { certificateOf, type TeamRollout } from '@seamstream/team-tuning';
import { TARGETS } from '../demonstrations.js';
import type { Host } from '../host-services.js';
import { bytesBelow } from '../measure-run.js';
import { commandsOf } from '../report/commands-of.js';
import { type ArmReport, type ArmResult, holds, type TeamReport } from '../report/team-report.js';
import type { RunFile } from '../run-settings.js';
import { heldOutProblems } from '../world-files.js';
import { readTeamAccounts } from './read-team-log.js';
import type { OpenArm } from './team-arms.js';

interface MeasuredRun {
  readonly host: Host;
  readonly run: RunFile;
  readonly arms: readonly OpenArm[];
  readonly dataDir: string;
  /** Problems to measure on. */
  readonly heldOut: number;
  readonly beganAtMs: number;
  readonly say: (line: string) => void;
}

export async function measureTeams(facts: MeasuredRun): Promise<TeamReport> {
  const { host, run, arms, dataDir, heldOut, beganAtMs, say } = facts;
  const problems = heldOutProblems('base', heldOut);
  const accounts = await readTeamAccounts(
    host.drivers.log,
    arms.map(({ name }) => name),
  );
  say(`measuring on ${problems.length} held-out problems`);
  const untuned = await arms[0]!.evaluation.greedy(null, problems);
  const base = resultOf(untuned);
  let tuned = untuned;
  const measured: ArmReport[] = [];
  for (const arm of arms) {
    const account = accounts.get(arm.name)!;
    const team = account.served === null ? null : await arm.runner.load(account.served);
    const rollouts = team === null ? untuned : await arm.evaluation.greedy(team, problems);
    if (arm === arms[0]) tuned = rollouts;
    measured.push({ name: arm.name, title: arm.title, heldOut: resultOf(rollouts), ...account.figures });
  }
  const [shown, ...controls] = measured as [ArmReport, ...ArmReport[]];
  const differences = controls.map((control) => ({
    less: control.title,
    value: pairedDifference(shown.heldOut.solved.map((one, at) => [one, control.heldOut.solved[at]!] as const))!,
  }));
  const { model, revision: digest } = host.environment.identity;
  const report = {
    ...{ settings: run.settings, limits: run.limits, seed: run.settings.seed, version: run.version },
    method: 'team' as const,
    madeAt: new Date(systemClock.now()).toISOString(),
    commands: commandsOf({ run, heldOutProblems: heldOut, testFile: null }),
    loopSeconds: accounts.get(shown.name)!.seconds,
    seconds: (systemClock.now() - beganAtMs) / 1000,
    ...{ base, arms: measured, differences, target: TARGETS.team },
    certificate: certificateOf(accounts.get(shown.name)!.lastUpdates),
    example: exampleOf(untuned, tuned),
    executor: { model, digest, unchanged: [...accounts.values()].every((each) => isOnly(each.executors, digest)) },
    folderBytes: await bytesBelow(dataDir),
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
  };
  return { ...report, converged: holds(report) };
}

function isOnly(digests: ReadonlySet<string>, digest: string): boolean {
  return [...digests].every((each) => each === digest);
}

/** @param rollouts one of each problem */
function resultOf(rollouts: readonly TeamRollout[]): ArmResult {
  const solved = rollouts.map(({ success }) => success);
  const successes = solved.filter(Boolean).length;
  const domains = Map.groupBy(rollouts.keys(), (at) => rollouts[at]!.problem.domain);
  return {
    problems: rollouts.length,
    success: successes / rollouts.length,
    interval95: wilsonInterval(successes, rollouts.length),
    perDomain: Object.fromEntries(
      [...domains].map(([domain, places]) => [domain, places.filter((at) => solved[at]).length / places.length]),
    ),
    solved,
  };
}

/** Problems that an example is looked for among. */
const SEARCHED = 64;

/** A problem that the untuned agents fail and the tuned ones solve. */
function exampleOf(before: readonly TeamRollout[], after: readonly TeamRollout[]): TeamReport['example'] {
  const at = before.slice(0, SEARCHED).findIndex((rollout, index) => !rollout.success && after[index]!.success);
  if (at < 0) return null;
  const textsOf = (rollout: TeamRollout): readonly string[] => [
    ...rollout.turns.map(({ agent, text }) => `${agent}: ${text}`),
    `executor:${rollout.response}`,
  ];
  return { prompt: before[at]!.problem.prompt, before: textsOf(before[at]!), after: textsOf(after[at]!) };
}
