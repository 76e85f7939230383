/** Another base model or adapter takes an agent's place, aligned with what the others know of that agent. The team is then as good as its comparison says. */
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { type Adapter, decodeAdapter } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import { type JobResult, type Recording, runMeta } from '@seamstream/training-runs';
import { placeOf } from '../team.js';
import {
  type AgentEngines,
  adapterKey,
  assertMembers,
  enginesOf,
  type TeamArtefact,
  teamArtefact,
  teamBaseDigest,
} from '../team-artefact.js';
import { type BatchDependencies, sampledBatch } from '../team-batch.js';
import type { SwapJob } from '../team-method.js';
import { sampledLogProbs, turnSequence } from '../trained-turns.js';
import { type Alignment, alignAgent } from './align-agent.js';

interface SwapDependencies extends BatchDependencies {
  readonly objects: ObjectStore;
  /** In the order of the team. */
  readonly agents: readonly AgentEngines[];
}

export async function swapAgent(
  job: SwapJob,
  parent: TeamArtefact | null,
  recording: Recording,
  dependencies: SwapDependencies,
): Promise<JobResult<TeamArtefact>> {
  const { agents, team, clock, schemaFor, objects } = dependencies;
  const { settings, problems } = job;
  // 1. Who leaves, who joins.
  const place = placeOf(team, settings.agent, 'swap an agent');
  const present = presentTeam(parent, dependencies);
  assertComparable(place, present, dependencies);
  const joining = await joiningAdapter(settings.adapter, agents[place]!, objects);
  const agent = team.agents[place]!;
  // 2. What the one that leaves says, sampled from the team as it is.
  const rollouts = await sampledBatch(dependencies, {
    ...{ recording, batch: 0, of: 1, problems, groupSize: settings.groupSize },
    sampling: { ...settings.sampling, topK: 0, topP: 1 },
    agents: team.agents.map((each, at) => {
      const { model, engine } = present.engines[at]!;
      return { agent: each, model, baseModelDigest: engine.baseModelDigest, adapter: present.adapters[at]! };
    }),
  });
  // 3. The one that joins comes within reach of it.
  const aligned = await alignAgent({
    ...{ engine: agents[place]!.engine, adapter: joining, settings, signal: recording.signal },
    turns: rollouts.map((rollout) => {
      const turn = rollout.turns[place]!;
      const sequence = turnSequence({ agent, turn, rollout }, { schemaFor, maxTokens: settings.sampling.maxTokens });
      return { state: turn.promptTokenIds.join(), sequence, currentLogProbs: sampledLogProbs(turn) };
    }),
    trainable: settings.trainable ?? joining?.settings ?? { kind: 'full' },
    seed: `${recording.runId}/${agent.name}`,
    onPass: (passes, distance) =>
      recording.report('training', passes, settings.maxPasses, { distance, target: settings.target }),
  });
  const metrics = figuresOf(aligned);
  if (!aligned.isWithin) {
    const reason = `after ${metrics.passes} passes what joins as ${agent.name} is ${metrics.distance} nats from what it replaces, more than ${settings.target}`;
    return { status: 'refused', reason, metrics };
  }
  // 4. The team with it.
  await recording.record?.([
    {
      type: 'AgentSwapped',
      meta: runMeta(recording.runId, `swapped/${agent.name}`, clock.now()),
      ...{ runId: recording.runId, agent: agent.name, slot: agent.slot, batch: 0, target: settings.target },
      ...{ joinedBaseModelDigest: agents[place]!.engine.baseModelDigest, joinedAdapterDigest: joining?.digest ?? null },
      replacedBaseModelDigest: present.engines[place]!.engine.baseModelDigest,
      replacedAdapterDigest: present.adapters[place]?.digest ?? null,
      adapterDigest: aligned.adapter.digest,
      ...{ distanceBefore: metrics.distanceBefore, distance: metrics.distance, passes: metrics.passes },
      states: aligned.states,
    },
  ]);
  const members = team.agents.map(({ name, slot }, at) => ({
    ...{ agent: name, slot, adapter: at === place ? aligned.adapter : present.adapters[at]! },
  }));
  const artefact = teamArtefact(members, teamBaseDigest(agents.map(({ engine }) => engine.baseModelDigest)));
  return { status: 'made', artefact, steps: aligned.steps, metrics };
}

interface PresentTeam {
  /** In the order of the team: what each agent was computed by before the swap. */
  readonly engines: readonly Pick<AgentEngines, 'model' | 'engine'>[];
  readonly adapters: readonly (Adapter | null)[];
}

function presentTeam(parent: TeamArtefact | null, { agents, team }: SwapDependencies): PresentTeam {
  // A team that never learned: each agent is the base model that it has had until now.
  if (parent === null)
    return { engines: agents.map((each) => each.replaced ?? each), adapters: agents.map(() => null) };
  assertMembers(parent, team);
  return { engines: enginesOf(parent, agents), adapters: parent.members.map(({ adapter }) => adapter) };
}

/** @throws INVALID_CONFIGURATION where no distance between what leaves and what joins can be measured, or others change as well */
function assertComparable(place: number, present: PresentTeam, { agents, team }: SwapDependencies): void {
  const other = team.agents.find((_, at) => at !== place && present.engines[at]!.engine !== agents[at]!.engine);
  if (other !== undefined)
    throw unswappable(
      `a team file that changes the base model of ${team.agents[place]!.name} alone`,
      `one that changes that of ${other.name} as well`,
      'Swap one agent after the other.',
    );
  const [before, after] = [present.engines[place]!.model.tokenizer, agents[place]!.model.tokenizer];
  if (before.digest !== after.digest || before.chatTemplateDigest !== after.chatTemplateDigest)
    throw unswappable(
      'a base model with the tokens of the one that it replaces',
      `other tokens (${after.digest})`,
      'Use a model of the same family.',
    );
}

/** What joins, null for the bare base model. @throws INVALID_CONFIGURATION where it is no adapter of that model */
async function joiningAdapter(
  digest: string | null,
  { engine }: AgentEngines,
  objects: ObjectStore,
): Promise<Adapter | null> {
  if (digest === null) return null;
  try {
    return decodeAdapter(await objects.get(adapterKey(digest)), { digest, baseModelDigest: engine.baseModelDigest });
  } catch (error) {
    if (!isSeamError(error, 'OBJECT_NOT_FOUND') && !isSeamError(error, 'ADAPTER_INVALID')) throw error;
    throw unswappable(`an adapter of the base model in the team file`, `${digest} (${messageOf(error)})`, 'Import it.');
  }
}

function unswappable(expected: string, got: string, remedy: string): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot swap an agent: expected ${expected}, got ${got}. ${remedy} docs/how-to/teams.md explains swaps.`,
  );
}

function figuresOf({ distances, steps, states }: Alignment) {
  return { distanceBefore: distances[0]!, distance: distances.at(-1)!, passes: distances.length - 1, steps, states };
}
