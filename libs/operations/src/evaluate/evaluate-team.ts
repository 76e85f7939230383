/** What a team of a file is worth on problems, and what each of its agents answered; recorded on request. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { problemSetDigest } from '@seamstream/evaluation';
import {
  encodeEvent,
  type GradedProblem,
  isGraded,
  originMeta,
  type Problem,
  type TeamEvaluated,
} from '@seamstream/events';
import { newId, plural, SeamError } from '@seamstream/kernel';
import type { SamplingSettings } from '@seamstream/language-model';
import { type GeneratorModel, tallyJudges } from '@seamstream/rollout';
import {
  assertMembers,
  loadTeam,
  parseTeam,
  sampleTeam,
  type Team,
  type TeamArtefact,
  type TeamPrediction,
  type TeamSamples,
  teamBaseDigest,
} from '@seamstream/team-tuning';
import { BASE, findAdapter, SERVED } from '../adapters/find-adapter.js';
import { readServing } from '../read-models/index.js';
import type { AskingObserver, AskingWorld } from './asking-world.js';
import { chosenProblems, DEFAULT_SET, type ProblemOptions } from './evaluation-problems.js';
import { verifiersFor } from './judging.js';
import type { PredictionsOptions } from './predictions-file.js';

export interface TeamWorld extends AskingWorld {
  readInput(path: string): Promise<Uint8Array>;
  /** The model in a folder as Hugging Face publishes one. @param name says in an error what to correct */
  openCheckpoint(folder: string, name: string): Promise<GeneratorModel>;
}

export interface TeamRequest extends ProblemOptions, PredictionsOptions {
  /** The team's file. */
  readonly team: string;
  /** Every agent answers by itself and the majority counts, regardless of the file. */
  readonly vote?: true;
  /** `base`, or the team that serves the file's slot (`served`), or the first digits of a team's digest. */
  readonly adapter: string;
  /** Answers of each agent to a problem. */
  readonly samples: number;
  /** Absent: 1, and where each agent answers once its most probable tokens. */
  readonly temperature?: number;
  readonly topP?: number;
  /** Of a turn. */
  readonly maxTokens: number;
  readonly seed: string;
  /** Puts what was measured on record, in the name of `by`. */
  readonly record?: true;
  readonly by?: string;
}

export interface EvaluatedTeam {
  readonly topology: Team['topology'];
  /** Null: every agent has its base model. */
  readonly teamDigest: string | null;
  readonly agents: readonly {
    readonly name: string;
    readonly path: string;
    readonly baseModelDigest: string;
    readonly adapterDigest: string | null;
  }[];
  readonly problemSetDigest: string;
  /** That were given. */
  readonly given: number;
  readonly samples: number;
  readonly drawing: Pick<SamplingSettings, 'temperature' | 'topP'>;
  readonly result: TeamSamples;
  /** SHA-256 of every answer, as lines of a file of predictions. */
  readonly predictionsDigest: string;
}

/** Problems that are asked together. */
const BATCH = 32;

/**
 * Asks every agent about the problems of a file, or without one about a set of the demonstration.
 * @throws INVALID_CONFIGURATION for a team file that cannot be used, INVALID_INPUT for problems, both before any model is loaded;
 * CHECKPOINT_INVALID for an agent's folder; the signal's reason when it aborts
 */
export async function evaluateTeam(
  world: TeamWorld,
  path: string | undefined,
  request: TeamRequest,
  observer: AskingObserver<EvaluatedTeam>,
): Promise<EvaluatedTeam> {
  // 1. What is asked, and of whom.
  const text = Buffer.from(await world.readInput(request.team)).toString('utf8');
  const team = parseTeam(text, request.team, request.vote ? 'vote' : undefined);
  const problems = gradedProblems(await chosenProblems(world, path, request));
  const { predictions: file, force: replace } = request;
  if (request.record !== undefined) await world.openLog('append');
  if (file !== undefined) await world.checkOutput(file, { replace });
  const verifiers = await verifiersFor(world, problems);
  // 2. The models.
  const models = await agentModels(world, team);
  const artefact = await teamMeant(world, team, request.adapter, models, observer);
  const adapterOf = (place: number) => artefact?.members[place]?.adapter ?? null;
  const { temperature = request.samples > 1 ? 1 : 0, topP = 1, samples, maxTokens, seed } = request;
  const writesEntries = team.agents.some(({ field }) => field !== null);
  // 3. Their answers, written down as they come.
  const output = file === undefined ? undefined : await world.growOutput(file, { replace });
  const lines = lineWriter((line) => output?.append(line));
  const digest = createHash('sha256');
  const result = await sampleTeam(problems, {
    ...{ team, samples, seed, verifiers, batchSize: BATCH, signal: world.signal },
    agents: team.agents.map((agent, place) => ({ agent, model: models[place]!, adapter: adapterOf(place) })),
    sampling: { temperature, topP, topK: 0, maxTokens },
    schemaFor: await world.entrySchemas(),
    environment: writesEntries ? (await world.openModels()).environment : null,
    onPrediction(prediction) {
      const line = predictionLine(prediction);
      digest.update(line);
      lines.add(line);
    },
    onProgress: (done, total) => observer.progress(team.topology, done, total),
  });
  const evaluated = {
    topology: team.topology,
    teamDigest: artefact?.digest ?? null,
    agents: team.agents.map(({ name, path: folder }, place) => ({
      ...{ name, path: folder, baseModelDigest: models[place]!.digest },
      adapterDigest: adapterOf(place)?.digest ?? null,
    })),
    ...{ problemSetDigest: problemSetDigest(problems), given: problems.length, samples },
    ...{ drawing: { temperature, topP }, result, predictionsDigest: digest.digest('hex') },
  };
  observer.measured(evaluated);
  await lines.written();
  await output?.finish();
  if (file !== undefined) observer.tell(`wrote ${plural(problems.length, 'prediction')} to ${file}`);
  if (request.record !== undefined) {
    const problemSet = path === undefined ? (request.set ?? DEFAULT_SET) : basename(path);
    observer.tell(`recorded as ${await recordTeam(world, evaluated, { ...request, slot: team.slot, problemSet })}`);
  }
  return evaluated;
}

/** Appends what was measured. @returns the event's id. @throws INVALID_INPUT where no problem could be judged */
async function recordTeam(
  world: Pick<TeamWorld, 'openLog' | 'clock'>,
  evaluated: EvaluatedTeam,
  { slot, problemSet, maxTokens, seed, by }: TeamRequest & { readonly slot: string; readonly problemSet: string },
): Promise<string> {
  const { result, teamDigest, topology, agents, problemSetDigest: setDigest, samples, drawing } = evaluated;
  const { problems, failed: unjudged, answers, meanAt, passAt, majorityAt, ties, perAgent, judges } = result;
  if (meanAt === null || majorityAt === null)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot record an evaluation of a team: expected a verdict on a problem, got none. Shorten problems or roles.',
    );
  const valuesOf = (of: Readonly<Record<string, { readonly value: number } | null>>): Record<string, number> =>
    Object.fromEntries(Object.entries(of).flatMap(([name, each]) => (each === null ? [] : [[name, each.value]])));
  const messageId = newId();
  const event: TeamEvaluated = {
    meta: originMeta({
      ...{ messageId, correlationId: teamDigest ?? 'base-model', source: 'seam/cli' },
      ...{ occurredAt: world.clock.now(), sourceClass: 'user' },
    }),
    ...{ slot, teamDigest, topology, problemSet, problemSetDigest: setDigest, problems, unjudged, samples, answers },
    members: agents.map(({ name, baseModelDigest, adapterDigest }) => ({
      agent: name,
      baseModelDigest,
      adapterDigest,
    })),
    ...{ temperature: drawing.temperature, topP: drawing.topP, maxTokens, seed, ties },
    judges,
    ...{ meanAt: meanAt.value, majorityAt: majorityAt.value, passAt: valuesOf(passAt), perAgent: valuesOf(perAgent) },
    ...{ predictionsDigest: evaluated.predictionsDigest, evaluatedBy: by! },
  };
  const log = await world.openLog('append');
  await log.append([encodeEvent({ type: 'TeamEvaluated', ...event })]);
  return messageId;
}

function gradedProblems(problems: readonly Problem[]): readonly GradedProblem[] {
  const graded = problems.filter((problem) => isGraded(problem));
  const other = problems.find((problem) => !isGraded(problem));
  if (other === undefined) return graded;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot evaluate a team: expected problems with an answer to judge by, got ${other.problemId} without one. Leave it out.`,
  );
}

/** In the order of the team; agents of one folder share a model. */
async function agentModels(world: TeamWorld, team: Team): Promise<readonly GeneratorModel[]> {
  const opened = new Map<string, GeneratorModel>();
  for (const { name, path } of team.agents)
    if (!opened.has(path)) opened.set(path, await world.openCheckpoint(path, `path of agent ${name}`));
  return team.agents.map(({ path }) => opened.get(path)!);
}

/** The tuned team that a word means; null for the base models. @throws NOT_FOUND, CONFLICT, ADAPTER_INVALID */
async function teamMeant(
  world: TeamWorld,
  team: Team,
  word: string,
  models: readonly GeneratorModel[],
  { reading }: AskingObserver<EvaluatedTeam>,
): Promise<TeamArtefact | null> {
  if (word === BASE) return null;
  const { lineage, slots } = await readServing(await world.openKeptLog(), reading);
  const served = slots.get(team.slot)?.served?.adapterDigest ?? null;
  if (word === SERVED && served === null) return null;
  const artefact = await loadTeam(await world.openObjects(), findAdapter({ ...lineage, served }, word));
  assertMembers(artefact, team);
  const measured = teamBaseDigest(models.map(({ digest }) => digest));
  if (measured === artefact.baseModelDigest) return artefact;
  throw new SeamError(
    'CONFLICT',
    `Cannot evaluate team ${artefact.digest}: expected the base models ${artefact.baseModelDigest}, the folders of ${team.agents.map(({ name }) => name).join(', ')} hold ${measured}. Name the folders that it was tuned on.`,
  );
}

/** As the authors of sequential agent tuning write it, so that their readers read it; who judged is one field more. */
function predictionLine({ problem, predicted, answers }: TeamPrediction): string {
  const judges = tallyJudges(answers.map(({ judgedBy }) => judgedBy ?? null));
  return `${JSON.stringify({
    problem_id: problem,
    predicted_answer: predicted,
    individual_answers: answers.map(({ answer }) => answer),
    ...(judges.length === 0 ? {} : { judges }),
  })}\n`;
}

/** Appends lines one after the other while the work continues; a failure is thrown at the end. */
function lineWriter(append: (line: string) => Promise<void> | undefined): {
  add(line: string): void;
  written(): Promise<void>;
} {
  let last: Promise<void> = Promise.resolve();
  return {
    add(line) {
      last = last.then(() => append(line));
      last.catch(() => undefined);
    },
    written: () => last,
  };
}
