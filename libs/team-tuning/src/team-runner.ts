/** Carries out a stage: for one agent after the other, sample the team as it is by then, update the agent, let the gate decide; then the team. */
import type { Environment } from '@seamstream/environments';
import type { EventLog } from '@seamstream/event-log';
import type { AdapterPublished, EngineIdentity } from '@seamstream/events';
import type { EntrySchemas } from '@seamstream/experience';
import { type Clock, SeamError } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import { effectiveSampleRatio } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type AdapterEvaluation,
  type JobResult,
  JobRunner,
  type Recording,
  type RunPlan,
  runMeta,
  type StoredArtefact,
} from '@seamstream/training-runs';
import type { Verifiers } from '@seamstream/verifiers';
import { agentOrder } from './agent-order.js';
import { certificateFigures, certificateOf } from './formulas/certificate.js';
import { truncatedTeamWeight } from './formulas/sequence-ratio.js';
import { problemShares } from './problem-shares.js';
import { StageState } from './stage-state.js';
import { swapAgent } from './swap/swap-agent.js';
import type { Team } from './team.js';
import {
  type AgentEngines,
  assertMembers,
  loadTeam,
  ofOtherModels,
  storeTeam,
  type TeamArtefact,
  teamArtefact,
  teamBaseDigest,
  teamFingerprint,
} from './team-artefact.js';
import { type BatchDependencies, sampledBatch } from './team-batch.js';
import type { StageJob, TeamJob } from './team-method.js';
import type { TeamRollout } from './team-rollout.js';
import { advantagesOf, comparedRollouts, sampledLogProbs, trainedTurns, turnSequence } from './trained-turns.js';
import { type AgentUpdate, type PassTried, updateAgent } from './update-agent.js';
import { warmUpAgent } from './warm-up/warm-up-agent.js';

interface TeamRunnerDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly team: Team;
  /** In the order of the team; agents of one folder share theirs. */
  readonly agents: readonly AgentEngines[];
  readonly environment: Environment;
  readonly schemaFor: EntrySchemas;
  /** Default: the built-in ones, without a model that judges. */
  readonly verifiers?: Verifiers | undefined;
  readonly evaluation: AdapterEvaluation<TeamArtefact>;
  /** Receives now and then how far an agent is with its turns of a batch. */
  readonly onTurns?: NonNullable<BatchDependencies['onTurns']>;
  /** Receives every pass of an update. */
  readonly onPass?: (agent: string, pass: PassTried) => void;
}

const JUDGED_APART =
  'different revisions of the judge gave the rewards that would be compared, and no rollout counts; a stage that one revision judges alone counts again';

/** A stage under way. */
interface Stage {
  readonly job: StageJob;
  readonly recording: Recording;
  readonly state: StageState;
  /** What the stage began with, in the order of the team. */
  readonly before: readonly (Adapter | null)[];
}

export class TeamRunner extends JobRunner<TeamJob, TeamArtefact> {
  override readonly kind = 'team';

  constructor(private readonly dependencies: TeamRunnerDependencies) {
    super();
  }

  override get engine(): EngineIdentity | null {
    return this.dependencies.agents[0]!.engine.identity;
  }

  override get baseModelDigest(): string {
    return teamBaseDigest(this.dependencies.agents.map(({ engine }) => engine.baseModelDigest));
  }

  override get evaluation(): AdapterEvaluation<TeamArtefact> {
    return this.dependencies.evaluation;
  }

  override async run(
    job: TeamJob,
    parent: TeamArtefact | null,
    recording: Recording,
  ): Promise<JobResult<TeamArtefact>> {
    switch (job.work) {
      case 'swap':
        return swapAgent(job, parent, recording, this.dependencies);
      case 'warm-up':
        return warmUpAgent(job, this.adaptersOf(parent), recording, this.dependencies);
      case 'stage':
        return this.runStage(job, parent, recording);
    }
  }

  private async runStage(
    job: StageJob,
    parent: TeamArtefact | null,
    recording: Recording,
  ): Promise<JobResult<TeamArtefact>> {
    const { team } = this.dependencies;
    const before = this.adaptersOf(parent);
    const state = new StageState(before);
    const stage: Stage = { job, recording, state, before };
    // 1. From the newest checkpoint on.
    await recording.resume(state);
    // 2. The order, which the first batch may decide.
    const first = await this.batch(stage, 0);
    const order = agentOrder(job.settings.order, team, { rollouts: first, seed: recording.runId });
    // 3. One agent after the other.
    while (state.steps < team.agents.length) {
      const position = state.steps;
      heed(recording);
      const place = order[position]!;
      const { rollouts, compared, update, ratio } = await this.update(stage, { position, place, order });
      const { gate } = job.settings;
      await this.tell(stage, { place, position, update, ratio });
      state.accept(place, update, { rollouts: compared, reward: meanReward(rollouts) });
      recording.report('training', state.steps, team.agents.length, {
        loss: -(update.passes.at(-1)?.gain ?? 0),
        distance: update.distance,
        ...(gate === null ? {} : { target: gate.target }),
      });
      if (recording.saving !== undefined && state.steps < team.agents.length)
        await recording.saving.save(state, { distance: update.distance });
    }
    // 4. The team, as one.
    const metrics = this.figuresOf(stage);
    if (state.updates.every(({ rollouts }) => rollouts === 0))
      return { status: 'refused', reason: JUDGED_APART, metrics };
    const members = team.agents.map(({ name, slot }, place) => ({
      agent: name,
      slot,
      adapter: state.adapters[place]!,
    }));
    const artefact = teamArtefact(members, this.baseModelDigest);
    return { status: 'made', artefact, steps: state.steps, metrics };
  }

  /**
   * The team's adapters, null where an agent has its base model.
   * @throws ADAPTER_INVALID where the parent is another team, or has other base models
   */
  private adaptersOf(parent: TeamArtefact | null): readonly (Adapter | null)[] {
    const { team } = this.dependencies;
    if (parent === null) return team.agents.map(() => null);
    assertMembers(parent, team);
    if (parent.baseModelDigest !== this.baseModelDigest) throw ofOtherModels(parent);
    const members = new Map(parent.members.map((member) => [member.agent, member.adapter]));
    return team.agents.map(({ name }) => members.get(name)!);
  }

  private async update(
    stage: Stage,
    {
      position,
      place,
      order,
    }: { readonly position: number; readonly place: number; readonly order: readonly number[] },
  ): Promise<{
    readonly rollouts: readonly TeamRollout[];
    /** How many of them count. */
    readonly compared: number;
    readonly update: AgentUpdate;
    readonly ratio: number;
  }> {
    const { job, recording, state, before } = stage;
    const { team, agents, schemaFor, onPass } = this.dependencies;
    const { settings } = job;
    const agent = team.agents[place]!;
    const batch = samplesAnew(settings) ? position : 0;
    const rollouts = await this.batch(stage, batch);
    const isStale = settings.updates === 'sequential' && batch !== position;
    const weights = isStale
      ? await this.truncatedWeights(stage, rollouts, order.slice(0, position))
      : rollouts.map(() => 1);
    const earlier: (readonly TeamRollout[])[] = [];
    if (settings.advantage.kind === 'gae') for (let at = 0; at < batch; at++) earlier.push(await this.batch(stage, at));
    const compared = comparedRollouts(rollouts, settings);
    const update = await updateAgent({
      engine: agents[place]!.engine,
      // Simultaneous updates each begin, and are sampled, with the team as the stage found it. No other update has changed this agent either.
      adapter: before[place]!,
      turns: trainedTurns(rollouts, {
        ...{ agent, place, weights, compared, schemaFor, maxTokens: settings.sampling.maxTokens },
        advantages: advantagesOf(rollouts, place, settings, earlier),
      }),
      settings,
      seed: `${recording.runId}/${agent.name}`,
      signal: recording.signal,
      onPass: (pass) => onPass?.(agent.name, pass),
    });
    state.note(batch, rollouts.length - compared.length);
    return { rollouts, compared: compared.length, update, ratio: effectiveSampleRatio(weights) };
  }

  /** c = min(1, ρ) of each rollout, for the agents that were updated since it was sampled. */
  private async truncatedWeights(
    { state, job }: Stage,
    rollouts: readonly TeamRollout[],
    updated: readonly number[],
  ): Promise<readonly number[]> {
    const { team, agents, schemaFor } = this.dependencies;
    const { settings } = job;
    const others: { logProbs: readonly number[]; sampledLogProbs: readonly number[] }[][] = rollouts.map(() => []);
    for (const place of updated) {
      const agent = team.agents[place]!;
      const weights = await agents[place]!.engine.begin({
        adapter: state.adapters[place]!,
        trainable: settings.trainable,
        objective: { kind: 'negative-log-likelihood' },
      });
      try {
        const sequences = rollouts.map((rollout) =>
          turnSequence(
            { agent, rollout, turn: rollout.turns[place]! },
            { schemaFor, maxTokens: settings.sampling.maxTokens },
          ),
        );
        const asked = sequences.flatMap((sequence, at) => (sequence.targets.length === 0 ? [] : [at]));
        const scored = asked.length === 0 ? [] : await weights.logProbabilities(asked.map((at) => sequences[at]!));
        asked.forEach((at, index) =>
          others[at]!.push({ logProbs: scored[index]!, sampledLogProbs: sampledLogProbs(rollouts[at]!.turns[place]!) }),
        );
      } finally {
        await weights.close();
      }
    }
    return others.map(truncatedTeamWeight);
  }

  /** A batch of the stage, from the team as it is by then. */
  private async batch(stage: Stage, batch: number): Promise<readonly TeamRollout[]> {
    const { job, recording, state } = stage;
    const known = state.batches.get(batch);
    if (known !== undefined) return known;
    const { team, agents } = this.dependencies;
    const { settings } = job;
    const count = samplesAnew(settings) ? team.agents.length : 1;
    const problems = problemShares(job.problems, count, settings.division)[batch]!;
    const rollouts = await sampledBatch(this.dependencies, {
      ...{ recording, batch, of: count, problems },
      ...{ groupSize: settings.groupSize, sampling: { ...settings.sampling, topK: 0, topP: 1 } },
      agents: team.agents.map((agent, place) => ({
        agent,
        model: agents[place]!.model,
        baseModelDigest: agents[place]!.engine.baseModelDigest,
        adapter: state.adapters[place]!,
      })),
    });
    return state.keep(batch, rollouts);
  }

  /** Every pass, and what the agent came to. */
  private async tell(
    { recording, job, before, state }: Stage,
    { place, position, update, ratio }: { place: number; position: number; update: AgentUpdate; ratio: number },
  ): Promise<void> {
    const { team, clock } = this.dependencies;
    const { name: agent, slot } = team.agents[place]!;
    const { runId } = recording;
    const at = clock.now();
    const common = { runId, agent, slot, batch: state.newestBatch };
    await recording.record?.([
      ...update.passes.map((tried, index) => {
        const { clipped: _clipped, ...measured } = tried;
        const attempt = update.passes.slice(0, index).filter((each) => each.pass === tried.pass).length;
        return {
          type: 'AgentUpdateTried' as const,
          meta: runMeta(runId, `tried/${agent}/${tried.pass}/${attempt}`, at),
          ...common,
          ...measured,
          ...{ attempt, target: job.settings.gate?.target ?? null },
        };
      }),
      {
        type: 'AgentUpdated' as const,
        meta: runMeta(runId, `updated/${agent}`, at),
        ...common,
        ...{ position, adapterDigest: update.adapter.digest, parent: before[place]?.digest ?? null },
        ...{ effectiveSampleRatio: ratio, distance: update.distance, beta: update.beta },
      },
    ]);
  }

  private figuresOf({ state, job }: Stage): Record<string, number> {
    const { team } = this.dependencies;
    const { updates } = state;
    const apart = [...state.apart.values()].reduce((sum, count) => sum + count, 0);
    const certificate = certificateOf(
      // An agent without rollouts that count stays as it was.
      updates.filter(({ rollouts }) => rollouts > 0),
      job.settings.certificate,
    );
    return {
      rollouts: [...state.sampled.values()].reduce((sum, count) => sum + count, 0),
      backtracks: updates.reduce((sum, each) => sum + each.backtracks, 0),
      givenUp: updates.filter((each) => each.isGivenUp).length,
      ...(apart === 0 ? {} : { judgedApart: apart }),
      meanReward: updates.at(-1)!.reward,
      ...Object.fromEntries(updates.map(({ place, distance }) => [`distance_${team.agents[place]!.name}`, distance])),
      ...certificateFigures(certificate),
    };
  }

  override store(team: TeamArtefact, plan: RunPlan): Promise<StoredArtefact> {
    return storeTeam(this.dependencies.objects, team, plan);
  }

  override load(published: Pick<AdapterPublished, 'key' | 'adapterDigest'>): Promise<TeamArtefact> {
    return loadTeam(this.dependencies.objects, published);
  }

  override fingerprint({ members }: TeamArtefact): Promise<string> {
    return teamFingerprint(members, ({ adapter }, place) =>
      this.dependencies.agents[place]!.engine.fingerprint(adapter),
    );
  }
}

/** Whether the team is sampled before each agent's update. */
function samplesAnew({ updates, resample }: StageJob['settings']): boolean {
  return updates === 'sequential' && resample;
}

function heed({ runId, signal }: Recording): void {
  if (signal.aborted)
    throw new SeamError(
      'ABORTED',
      `Cannot finish training run ${runId}: it was stopped between two agents. It is resumed from there.`,
    );
}

function meanReward(rollouts: readonly TeamRollout[]): number {
  return rollouts.reduce((sum, { reward }) => sum + reward, 0) / Math.max(1, rollouts.length);
}
