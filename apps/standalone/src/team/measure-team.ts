/** What the stages came to: the log's account of each way of tuning, and its last team on problems that decided nothing. */
import type { Problem } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { pairedDifference, wilsonInterval } from '@seamstream/statistics';
import { certificateOf, type TeamArtefact } from '@seamstream/team-tuning';
import type { StartOptions } from '../config.js';
import type { Host } from '../host-services.js';
import { bytesBelow } from '../measure-run.js';
import { TARGETS } from '../methods.js';
import { commandsOf } from '../report/build-report.js';
import { type ArmReport, type ArmResult, holds, type TeamReport } from '../report/team-report.js';
import type { RunFile } from '../run-settings.js';
import { heldOutProblems } from '../world-files.js';
import { type ArmAccount, readTeamAccounts } from './read-team-log.js';
import type { OpenArm } from './team-arms.js';

interface MeasuredRun {
  readonly host: Host;
  readonly run: RunFile;
  readonly arms: readonly OpenArm[];
  readonly options: StartOptions;
  readonly beganAtMs: number;
  readonly say: (line: string) => void;
}

export async function measureTeams({ host, run, arms, options, beganAtMs, say }: MeasuredRun): Promise<TeamReport> {
  const problems = heldOutProblems('base', options.heldOut);
  const accounts = await readTeamAccounts(
    host.drivers.log,
    arms.map(({ name }) => name),
  );
  say(`measuring on ${problems.length} held-out problems`);
  const base = await resultOf(arms[0]!, null, problems);
  const measured: ArmReport[] = [];
  for (const arm of arms) {
    const account = accounts.get(arm.name)!;
    const team = account.served === null ? null : await arm.runner.load(account.served);
    const heldOut = team === null ? base : await resultOf(arm, team, problems);
    measured.push({ name: arm.name, title: arm.title, heldOut, ...figuresOf(account) });
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
    commands: commandsOf({ run, heldOutProblems: options.heldOut, testFile: null }),
    loopSeconds: accounts.get(shown.name)!.seconds,
    seconds: (systemClock.now() - beganAtMs) / 1000,
    ...{ base, arms: measured, differences, target: TARGETS.team },
    certificate: certificateOf(accounts.get(shown.name)!.lastUpdates),
    example: await exampleOf(arms[0]!, accounts.get(shown.name)!, problems),
    executor: { model, digest, unchanged: [...accounts.values()].every((each) => isOnly(each.executors, digest)) },
    folderBytes: await bytesBelow(options.dataDir),
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
  };
  return { ...report, converged: holds(report) };
}

function isOnly(digests: ReadonlySet<string>, digest: string): boolean {
  return [...digests].every((each) => each === digest);
}

function figuresOf({
  stages,
  rollouts,
  turns,
  judged,
  accepted,
  takenBack,
  givenUp,
}: ArmAccount): Omit<ArmReport, 'name' | 'title' | 'heldOut'> {
  return { stages, rollouts, turns, judged, accepted, takenBack, givenUp };
}

async function resultOf(
  { evaluation }: OpenArm,
  team: TeamArtefact | null,
  problems: readonly Problem[],
): Promise<ArmResult> {
  const solved = (await evaluation.greedy(team, problems)).map(({ success }) => success);
  const successes = solved.filter(Boolean).length;
  const domains = Map.groupBy(problems.keys(), (at) => problems[at]!.domain);
  return {
    problems: problems.length,
    success: successes / problems.length,
    interval95: wilsonInterval(successes, problems.length),
    perDomain: Object.fromEntries(
      [...domains].map(([domain, places]) => [domain, places.filter((at) => solved[at]).length / places.length]),
    ),
    solved,
  };
}

/** A problem that the untuned agents fail and the tuned ones solve. */
async function exampleOf(
  { evaluation, runner }: OpenArm,
  { served }: ArmAccount,
  problems: readonly Problem[],
): Promise<TeamReport['example']> {
  if (served === null) return null;
  const asked = problems.slice(0, 64);
  const before = await evaluation.greedy(null, asked);
  const after = await evaluation.greedy(await runner.load(served), asked);
  const at = asked.findIndex((_, index) => !before[index]!.success && after[index]!.success);
  if (at < 0) return null;
  const textsOf = (rollout: (typeof after)[number]): readonly string[] => [
    ...rollout.turns.map(({ agent, text }) => `${agent}: ${text}`),
    `executor:${rollout.response}`,
  ];
  return { prompt: asked[at]!.prompt, before: textsOf(before[at]!), after: textsOf(after[at]!) };
}
