/** A batch of a run: as the log has it, or sampled now and recorded. What was sampled once is asked of no model again. */
import type { Environment } from '@seamstream/environments';
import type { EventLog } from '@seamstream/event-log';
import type { GradedProblem } from '@seamstream/events';
import type { EntrySchemas } from '@seamstream/experience';
import type { Clock } from '@seamstream/kernel';
import type { SamplingSettings } from '@seamstream/language-model';
import type { Recording } from '@seamstream/training-runs';
import type { Verifiers } from '@seamstream/verifiers';
import type { Team } from './team.js';
import { batchEvents, batchSeed, recordedBatch } from './team-records.js';
import { type AgentModel, rollOutTeam, type TeamRollout, type TurnProgress } from './team-rollout.js';

export interface BatchDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly team: Team;
  readonly environment: Environment;
  readonly schemaFor: EntrySchemas;
  /** Default: the built-in ones, without a model that judges. */
  readonly verifiers?: Verifiers | undefined;
  /** Receives now and then how far an agent is with its turns of a batch, which is one of so many. */
  readonly onTurns?: (progress: TurnProgress & { readonly batch: number; readonly of: number }) => void;
}

interface BatchToSample {
  readonly recording: Recording;
  /** Which of the run's batches, from 0, and how many it has. */
  readonly batch: number;
  readonly of: number;
  readonly problems: readonly GradedProblem[];
  /** Rollouts of a problem. */
  readonly groupSize: number;
  readonly sampling: SamplingSettings;
  /** In the order of the team, as they are by then. */
  readonly agents: readonly (AgentModel & { readonly baseModelDigest: string })[];
}

export async function sampledBatch(
  { log, clock, team, environment, schemaFor, verifiers, onTurns }: BatchDependencies,
  { recording, batch, of, problems, groupSize, sampling, agents }: BatchToSample,
): Promise<readonly TeamRollout[]> {
  const facts = { runId: recording.runId, batch };
  const recorded = await recordedBatch(log, facts, problems);
  if (recorded !== undefined) return recorded;
  recording.report('preparing', batch, of);
  const rollouts = await rollOutTeam(problems, {
    ...{ team, groupSize, sampling, schemaFor, environment, verifiers, agents },
    seed: batchSeed(recording.runId, batch),
    signal: recording.signal,
    onTurns: (progress) => onTurns?.({ ...progress, batch, of }),
  });
  const events = batchEvents(rollouts, {
    ...facts,
    ...{ team, groupSize, sampling, executor: environment.identity, at: clock.now() },
    agents: team.agents.map(({ name }) => name),
    isResampled: batch > 0,
    baseModelDigests: new Map(agents.map(({ agent, baseModelDigest }) => [agent.name, baseModelDigest])),
  });
  await recording.record?.(events);
  return rollouts;
}
