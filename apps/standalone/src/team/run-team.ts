/** The demonstration of teams from start to report: stage by stage, every way of tuning on the same problems; then what each is worth. */
import { isDeepStrictEqual } from 'node:util';
import { encodeEvent, type Problem, TOPIC } from '@seamstream/events';
import { derivedId, systemClock, whenAborted } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { LanguageModelTraining } from '@seamstream/model-clients';
import { createServiceLogger, type Environment, loadConfig } from '@seamstream/service-kit';
import { SEQUENTIAL_TUNING, TeamEvaluation, TeamMethod, TeamRunner } from '@seamstream/team-tuning';
import { createTrainer, trainerConfigSchema } from '@seamstream/trainer';
import type { StartOptions } from '../config.js';
import { lockDriver } from '../driver-lock.js';
import { embeddedEnvironment } from '../embedded-environment.js';
import { type Host, hostServices } from '../host-services.js';
import { checkDataFolder, prepareFolder } from '../prepare-folder.js';
import { worldSource } from '../problem-stream.js';
import { readStart } from '../read-start.js';
import { readRecordedRounds } from '../recorded-rounds.js';
import { reportOfTeam } from '../report/finished-report.js';
import type { LoopSurroundings } from '../run-loop.js';
import { assertRounds, type RunFile, readRunFile, writeRunFile } from '../run-settings.js';
import { validationProblems, writeWorldFiles } from '../world-files.js';
import { measureTeams } from './measure-team.js';
import { readTeamAccounts } from './read-team-log.js';
import { demonstrationTeam, type OpenArm, TEAM_ARMS, type TeamArm } from './team-arms.js';

/** Of validation problems: enough to see a stage's change, few enough to ask them after every stage of every arm. */
const VALIDATION = 256;
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
      TEAM_ARMS.map((arm) => openArm(arm, host!, { environment: own, run, closers, say })),
    );
    // 2. The stages. What the log says of an earlier start is not done again.
    const { maxRounds } = run.limits.at(-1)!;
    for (let stage = 1; stage <= maxRounds; stage++) {
      await publishStage(host, run, stage);
      for (const arm of arms) await arm.tune(stage, signal);
      if ((await validationAfter(host, stage)) >= LEARNED) break;
    }
    // 3. What it came to.
    const measured = measureTeams({ host, run, arms, dataDir, heldOut: start.heldOut, beganAtMs, say });
    const report = await Promise.race([measured, whenAborted(signal)]);
    if (report === undefined) return;
    const path = await onReport(reportOfTeam(report));
    if (!options.exit) say(`report: ${path}`);
  } finally {
    for (const close of closers.reverse()) await close();
    await host?.close();
    unlock();
  }
}

/** Success of what is shown on the validation problems after a stage, as the log has it. */
async function validationAfter({ drivers: { log } }: Host, stage: number): Promise<number> {
  const accounts = await readTeamAccounts(log, [TEAM_ARMS[0].name]);
  return accounts.get(TEAM_ARMS[0].name)!.figures.stages.find((row) => row.stage === stage)?.validation ?? 0;
}

async function openArm(
  arm: TeamArm,
  host: Host,
  facts: {
    readonly environment: Environment;
    readonly run: RunFile;
    readonly closers: (() => Promise<void>)[];
    readonly say: (line: string) => void;
  },
): Promise<OpenArm> {
  const { environment, run, closers, say } = facts;
  const { generator: model, drivers, schemaFor, prompts, executor } = host;
  const team = demonstrationTeam(arm);
  const config = loadConfig(trainerConfigSchema, { ...environment, SEAM_TRAINER_METHOD: arm.name });
  const { modelFolder, threads, executionProvider, entryMaxTokens, responseMaxTokens } = config.trainer;
  const engine = new LanguageModelTraining(modelFolder, model, { threads, executionProvider });
  closers.push(() => engine.close());
  const evaluation = new TeamEvaluation({
    ...{ team, schemaFor, terms: { entryMaxTokens, responseMaxTokens } },
    models: team.agents.map(() => model),
    environmentOf: () => Promise.resolve(host.environment),
    problemSet: 'validation',
    problems: baseProblems(validationProblems()).slice(0, VALIDATION),
  });
  const runner = new TeamRunner({
    ...{ ...drivers, clock: systemClock, team, schemaFor, evaluation, environment: host.environment },
    agents: team.agents.map(() => ({ model, engine })),
  });
  const method = new TeamMethod(arm.name, team.slot);
  const { onDemand } = await createTrainer(
    {
      config,
      drivers,
      logger: createServiceLogger('trainer', config.logging.level),
      onClose: (close: () => Promise<void>) => void closers.push(close),
    },
    { model, executor, prompts, schemaFor, methods: [{ method, runner }] },
  );
  return {
    ...arm,
    ...{ evaluation, runner },
    async tune(stage, signal) {
      const of = derivedId(String(run.settings.seed), arm.name);
      const { ending } = await onDemand.handle(
        { algorithm: SEQUENTIAL_TUNING, settings: arm.settings, iteration: { of, index: stage } },
        signal,
      );
      for (const event of ending) {
        const figures = 'evaluation' in event ? (event.evaluation as { success: number } | null) : null;
        say(
          `stage ${stage}, ${arm.title}: ${figures === null ? event.type : `${(figures.success * 100).toFixed(1)} % of the validation problems`}`,
        );
      }
    },
  };
}

function baseProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ metadata }) => metadata.variant === 'base');
}

/** A stage's problems, once: their ids follow from seed and number. */
async function publishStage({ drivers: { log } }: Host, { settings }: RunFile, stage: number): Promise<void> {
  const { seed, roundSize } = settings;
  const events = worldSource(
    seed,
    settings.method,
  )({
    ...{ round: stage - 1, phase: 'base', roundSize, startIndex: (stage - 1) * roundSize, count: roundSize },
    occurredAt: systemClock.now(),
  });
  const known = new Set<string>();
  for await (const { events: placed } of readTopics(log, [TOPIC.problems], { undecodable: 'skip' }))
    for (const { event } of placed) if (event.type === 'ProblemPublished') known.add(event.problem.problemId);
  const missing = events.filter((event) => event.type !== 'ProblemPublished' || !known.has(event.problem.problemId));
  if (missing.length > 0) await log.append(missing.map(encodeEvent));
}
