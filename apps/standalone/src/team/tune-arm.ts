/** Stages of one way of tuning: what it works with, the problems that all ways share, and what is done of them. */
import { encodeEvent, type Problem, TOPIC } from '@seamstream/events';
import { derivedId, systemClock } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { LanguageModelTraining } from '@seamstream/model-clients';
import { createServiceLogger, type Environment, loadConfig } from '@seamstream/service-kit';
import { SEQUENTIAL_TUNING, TeamEvaluation, TeamMethod, TeamRunner, tuningSettings } from '@seamstream/team-tuning';
import { createTrainer, trainerConfigSchema } from '@seamstream/trainer';
import type { Host } from '../host-services.js';
import { worldSource } from '../problem-stream.js';
import type { FixedSettings } from '../run-settings.js';
import { validationProblems } from '../world-files.js';
import { StageProgress } from './stage-progress.js';
import { demonstrationTeam, type OpenArm, type TeamArm } from './team-arms.js';

/** Of validation problems: enough to see a stage's change, few enough to ask them after every stage of every arm. */
const VALIDATION = 256;

/**
 * A way of tuning on a host's models and log, ready to do stages.
 * @param facts what is opened is closed by `closers`
 */
export async function openArm(
  arm: TeamArm,
  host: Host,
  facts: {
    readonly environment: Environment;
    readonly seed: number;
    readonly closers: (() => Promise<void>)[];
    readonly say: (line: string) => void;
  },
): Promise<OpenArm> {
  const { environment, seed, closers, say } = facts;
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
  const { passes } = tuningSettings(arm.settings);
  const progress = new StageProgress(arm.title, systemClock, say);
  const runner = new TeamRunner({
    ...{ ...drivers, clock: systemClock, team, schemaFor, evaluation, environment: host.environment },
    agents: team.agents.map(() => ({ model, engine })),
    onTurns: ({ agent, done, total }) => progress.tell(`${agent} writes turns`, done, total),
    onPass: (agent, { pass }) => progress.tell(`${agent} learns in passes`, pass + 1, passes),
  });
  const method = new TeamMethod(arm.name, team.slot);
  const { onDemand } = await createTrainer(
    {
      config,
      drivers,
      logger: createServiceLogger('trainer', config.logging.level),
      onClose: (close: () => Promise<void>) => void closers.push(close),
    },
    {
      ...{ model, executor, prompts, schemaFor, methods: [{ method, runner }] },
      onProgress: ({ phase, done, total }) => {
        if (phase === 'evaluating') progress.tell('the team is asked validation problems', done, total);
      },
    },
  );
  return {
    ...arm,
    ...{ evaluation, runner },
    async tune(stage, signal) {
      progress.begin(stage);
      const of = derivedId(String(seed), arm.name);
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
export async function publishStage(
  { drivers: { log } }: Host,
  { seed, roundSize }: Pick<FixedSettings, 'seed' | 'roundSize'>,
  stage: number,
): Promise<void> {
  const events = worldSource(
    seed,
    'team',
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
