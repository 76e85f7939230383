/** The team of SEAM_TRAINER_TEAM as a method: its agents' models loaded, each folder once. */
import { readFile } from 'node:fs/promises';
import type { Environment } from '@seamstream/environments';
import type { EntrySchemas } from '@seamstream/experience';
import { messageOf, SeamError, systemClock } from '@seamstream/kernel';
import { fromNamedFolder, LanguageModel } from '@seamstream/language-model';
import { LanguageModelTraining } from '@seamstream/model-clients';
import type { ServiceContext } from '@seamstream/service-kit';
import { parseTeam, TEAM_METHOD, type Team, TeamEvaluation, TeamMethod, TeamRunner } from '@seamstream/team-tuning';
import type { LearningMethod, MethodWithRunner } from '@seamstream/training-runs';
import type { Verifiers } from '@seamstream/verifiers';
import type { TrainerConfig, TrainerServiceConfig } from './config.js';
import type { ValidationProblems } from './validation-problems.js';

interface Surroundings {
  readonly schemaFor: EntrySchemas;
  /** The environment over an executor whose responses have so many tokens at most. */
  readonly environmentOf: (responseMaxTokens: number) => Promise<Environment>;
  readonly validation: ValidationProblems;
  readonly verifiers: Verifiers;
}

interface OpenedModel {
  readonly model: LanguageModel;
  readonly engine: LanguageModelTraining;
}

/** @throws INVALID_CONFIGURATION for a file that names no team; CHECKPOINT_INVALID for an agent's folder */
export async function teamOfFile(
  file: string,
  { config, drivers, onClose }: Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'drivers' | 'onClose'>,
  { schemaFor, environmentOf, validation, verifiers }: Surroundings,
): Promise<MethodWithRunner> {
  const { entryMaxTokens, responseMaxTokens } = config.trainer;
  // 1. Who is in it.
  const team = await readTeam(file);
  // 2. What computes and trains them.
  const opened = new Map<string, OpenedModel>();
  for (const { name, path, replaces } of team.agents)
    for (const folder of [path, replaces])
      if (folder !== null && !opened.has(folder))
        opened.set(folder, await openAgent({ name, path: folder }, config, onClose));
  const agents = team.agents.map(({ path, replaces }) => ({
    ...opened.get(path)!,
    ...(replaces === null ? {} : { replaced: opened.get(replaces)! }),
  }));
  // 3. What a tuned team is compared on.
  const evaluation = new TeamEvaluation({
    ...{ team, schemaFor, environmentOf, verifiers, terms: { entryMaxTokens, responseMaxTokens } },
    ...{ problemSet: validation.name, problems: validation.problems, models: agents.map(({ model }) => model) },
  });
  const environment = await environmentOf(responseMaxTokens);
  const runner = new TeamRunner({
    ...{ ...drivers, clock: systemClock, team, agents, schemaFor, environment, verifiers, evaluation },
  });
  const joining = agents.findIndex(
    ({ engine, replaced = { engine } }) => replaced.engine.baseModelDigest !== engine.baseModelDigest,
  );
  return { method: new TeamMethod(TEAM_METHOD, team.slot, team.agents[joining]?.name ?? null), runner };
}

async function readTeam(file: string): Promise<Team> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot read team ${file}: expected SEAM_TRAINER_TEAM to name a readable file, got none (${messageOf(cause)}). Correct it.`,
      { cause, details: { file } },
    );
  });
  return parseTeam(text, file);
}

async function openAgent(
  { name, path }: { readonly name: string; readonly path: string },
  { trainer: { threads, executionProvider, chatTemplate } }: TrainerServiceConfig,
  onClose: (close: () => Promise<void>) => void,
): Promise<OpenedModel> {
  const loading = LanguageModel.load(path, { threads, executionProvider, chatTemplate });
  const model = await fromNamedFolder(`path of agent ${name}`, path, loading);
  onClose(() => model.close());
  const engine = new LanguageModelTraining(path, model, { threads, executionProvider });
  onClose(() => engine.close());
  return { model, engine };
}

/** A method that solves its problems itself has no use for windows of completed ones. @throws INVALID_CONFIGURATION */
export function assertReadsOutcomes(
  { algorithm }: Pick<TrainerConfig, 'algorithm'>,
  { recipes }: LearningMethod,
): void {
  if (recipes.get(algorithm)?.reads !== 'problems') return;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot plan runs of ${algorithm} after completed problems: expected an algorithm that learns from outcomes, got one that solves problems itself. Ask for each stage (seam train ${algorithm}), and give this process the role worker alone.`,
  );
}
