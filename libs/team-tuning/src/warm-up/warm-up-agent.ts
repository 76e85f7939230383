/**
 * An agent learns to give the preferred answers of a set of pairs, by their likelihood alone. The other answers are not looked at: a pair
 * says which of two texts is better, and not how good either is, so it is no reward.
 */
import type { TeamPreferencePublished } from '@seamstream/events';
import { asData, type EntrySchemas } from '@seamstream/experience';
import { type Clock, Random, SeamError } from '@seamstream/kernel';
import type { Adapter, TrainingSequence } from '@seamstream/language-model';
import { encodePrompt, type GeneratorModel } from '@seamstream/rollout';
import type { TrainingWeights } from '@seamstream/training-contract';
import { type JobResult, leaveIfStopped, type Recording, runMeta } from '@seamstream/training-runs';
import { type Agent, askedOf, placeOf, type Team } from '../team.js';
import { type AgentEngines, type TeamArtefact, teamArtefact, teamBaseDigest } from '../team-artefact.js';
import type { WarmUpJob } from '../team-method.js';
import { fieldSchema } from '../team-rollout.js';
import type { WarmUpSettings } from './warm-up.config.js';

interface WarmUpDependencies {
  readonly clock: Clock;
  readonly team: Team;
  /** In the order of the team. */
  readonly agents: readonly AgentEngines[];
  readonly schemaFor: EntrySchemas;
}

/** @param present in the order of the team, null where an agent has its base model */
export async function warmUpAgent(
  { settings, pairs }: WarmUpJob,
  present: readonly (Adapter | null)[],
  recording: Recording,
  { clock, team, agents, schemaFor }: WarmUpDependencies,
): Promise<JobResult<TeamArtefact>> {
  // 1. Who learns, and what.
  const place = placeOf(team, settings.agent, 'warm up an agent');
  const agent = team.agents[place]!;
  const { model, engine } = agents[place]!;
  const parent = present[place] ?? null;
  const sequences = await Promise.all(pairs.map((pair) => sequenceOf(pair, { agent, model, schemaFor })));
  const steps = stepsOf(sequences, settings, `${recording.runId}/${agent.name}`);
  // 2. The steps, from the newest checkpoint on.
  const trainable = settings.trainable ?? parent?.settings ?? { kind: 'full' };
  const weights = await engine.begin({ adapter: parent, trainable, objective: { kind: 'negative-log-likelihood' } });
  try {
    const { adapter, loss } = await takeSteps(weights, steps, settings, recording);
    // 3. The team with it.
    await recording.record?.([
      {
        type: 'AgentWarmedUp',
        meta: runMeta(recording.runId, `warmed-up/${agent.name}`, clock.now()),
        ...{ runId: recording.runId, agent: agent.name, slot: agent.slot, setDigest: settings.preferences! },
        ...{ pairs: pairs.length, steps: steps.length, loss },
        ...{ adapterDigest: adapter.digest, parent: parent?.digest ?? null },
      },
    ]);
    const members = team.agents.map(({ name, slot }, at) => ({
      ...{ agent: name, slot, adapter: at === place ? adapter : (present[at] ?? null) },
    }));
    const artefact = teamArtefact(members, teamBaseDigest(agents.map((each) => each.engine.baseModelDigest)));
    return { status: 'made', artefact, steps: steps.length, metrics: { loss, pairs: pairs.length } };
  } finally {
    await weights.close();
  }
}

async function takeSteps(
  weights: TrainingWeights,
  steps: readonly (readonly TrainingSequence[])[],
  { optimizer, learningRate }: WarmUpSettings,
  recording: Recording,
): Promise<{ readonly adapter: Adapter; readonly loss: number }> {
  await recording.resume(weights);
  let loss = Number.NaN;
  while (weights.steps < steps.length) {
    await leaveIfStopped(weights, recording);
    const figures = await weights.step(steps[weights.steps]!, { ...optimizer, learningRate });
    ({ loss } = figures);
    recording.report('training', weights.steps, steps.length, { loss, gradientNorm: figures.gradientNorm });
    const { saving } = recording;
    if (saving !== undefined && weights.steps < steps.length && weights.steps % saving.everySteps === 0)
      await saving.save(weights, { loss });
  }
  return { adapter: await weights.exportAdapter(), loss };
}

/** The agent is asked as in a rollout in which no other agent came before, and gives the preferred answer. */
async function sequenceOf(
  pair: TeamPreferencePublished,
  facts: { readonly agent: Agent; readonly model: GeneratorModel; readonly schemaFor: EntrySchemas },
): Promise<TrainingSequence> {
  const { agent, model, schemaFor } = facts;
  const { domain, prompt, chosen } = pair;
  const promptTokenIds = encodePrompt(model, askedOf(agent, { problem: asData(prompt), before: '' }));
  const schema = agent.field === null ? undefined : fieldSchema(agent.field, { domain, prompt }, schemaFor);
  const spelled = await model.spell?.(chosen, schema);
  if (spelled === undefined)
    throw unlearnable(
      pair,
      agent,
      agent.field === null ? 'a text' : `JSON with the field ${agent.field} alone`,
      chosen,
    );
  const continuationStart = promptTokenIds.length;
  const tokenIds = [...promptTokenIds, ...spelled.tokenIds];
  const { maxPositions } = model.config;
  if (tokenIds.length > maxPositions)
    throw unlearnable(pair, agent, `at most ${maxPositions} tokens`, `${tokenIds.length} with what it is asked`);
  const targets = spelled.forced.flatMap((isForced, at) =>
    isForced || continuationStart + at === 0 ? [] : [continuationStart + at],
  );
  return { tokenIds, targets, weights: [], ...(schema === undefined ? {} : { schema, continuationStart }) };
}

/** Each epoch has the pairs in another order; each token of a step weighs alike. Answers without a choice teach nothing. */
function stepsOf(
  sequences: readonly TrainingSequence[],
  { epochs, batchSize }: WarmUpSettings,
  seed: string,
): readonly (readonly TrainingSequence[])[] {
  const teaching = sequences.filter(({ targets }) => targets.length > 0);
  if (teaching.length === 0)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot warm up: expected an answer in which the agent has a choice, got none. Prefer answers that its schema leaves open.',
    );
  return Array.from({ length: epochs }, (_, epoch) => {
    const drawn = Random.of(seed, epoch).shuffled(teaching);
    return Array.from({ length: Math.ceil(drawn.length / batchSize) }, (__, step) => {
      const batch = drawn.slice(step * batchSize, (step + 1) * batchSize);
      const tokens = batch.reduce((sum, { targets }) => sum + targets.length, 0);
      return batch.map((sequence) => ({ ...sequence, weights: sequence.targets.map(() => 1 / tokens) }));
    });
  }).flat();
}

function unlearnable({ row }: TeamPreferencePublished, { name }: Agent, expected: string, got: string): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot warm up agent ${name}: expected row ${row} to prefer ${expected}, got ${got.slice(0, 200)}. Publish a file without it.`,
  );
}
