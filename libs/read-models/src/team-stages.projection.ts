/** What the stages of teams come to: batches of rollouts, and each agent's update pass by pass. All records of a run are in one partition. */
import { type EventOf, type JudgeTally, type SeamEvent, TOPIC } from '@seamstream/events';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

/** A pass of an agent's update, and what the gate decided on it. */
export type TriedPass = Omit<EventOf<'AgentUpdateTried'>, 'type' | 'meta' | 'runId' | 'agent' | 'slot' | 'batch'>;

export interface AgentUpdate {
  readonly agent: string;
  readonly slot: string;
  /** Its rollouts' batch. */
  readonly batch: number;
  readonly passes: readonly TriedPass[];
  /** Null while its passes are tried. */
  readonly result: Pick<
    EventOf<'AgentUpdated'>,
    'position' | 'adapterDigest' | 'parent' | 'effectiveSampleRatio' | 'distance' | 'beta'
  > | null;
}

/** Another base model or adapter took an agent's place. */
export type SwappedAgent = Omit<EventOf<'AgentSwapped'>, 'type' | 'meta' | 'runId' | 'batch'>;

/** An agent learned preferred answers. */
export type WarmedUpAgent = Omit<EventOf<'AgentWarmedUp'>, 'type' | 'meta' | 'runId'>;

export interface SampledBatch
  extends Pick<EventOf<'TeamBatchSampled'>, 'batch' | 'isResampled' | 'rollouts' | 'successes'> {
  /** Models whose opinions the verdicts are. */
  readonly judges: readonly JudgeTally[];
}

export interface StageProgress {
  readonly runId: string;
  /** By number. */
  readonly batches: readonly SampledBatch[];
  /** In the order in which the agents were updated. */
  readonly updates: readonly AgentUpdate[];
  /** Of a run that swaps an agent, once it is aligned. */
  readonly swapped: SwappedAgent | null;
  /** Of a run that warms an agent up, once it has learned. */
  readonly warmedUp: WarmedUpAgent | null;
}

type MutableUpdate = { -readonly [K in keyof AgentUpdate]: AgentUpdate[K] } & { passes: TriedPass[] };

interface MutableStage {
  readonly batches: Map<number, SampledBatch>;
  readonly updates: Map<string, MutableUpdate>;
  swapped: SwappedAgent | null;
  warmedUp: WarmedUpAgent | null;
}

export interface TeamStagesState {
  readonly folded: FoldedOffsets;
  readonly runs: Map<string, MutableStage>;
}

export const teamStagesProjection: KeptProjection<TeamStagesState, readonly StageProgress[]> = {
  name: 'team-stages',
  topics: [TOPIC.teams],

  initialState: () => ({ folded: new Map(), runs: new Map() }),

  evolve(state, event, position) {
    if (advance(state.folded, position)) evolveStage(state.runs, event);
    return state;
  },

  read({ runs }) {
    return sortedEntries(runs).map(([runId, { batches, updates, swapped, warmedUp }]) => ({
      runId,
      batches: [...batches.values()].sort((a, b) => a.batch - b.batch),
      updates: [...updates.values()].map((update) => ({ ...update, passes: [...update.passes] })),
      ...{ swapped, warmedUp },
    }));
  },
};

/** A stage that was killed records again what it had recorded: the first record counts. */
function evolveStage(runs: TeamStagesState['runs'], event: SeamEvent): void {
  if (event.type === 'TeamBatchSampled') {
    const { batch, isResampled, rollouts, successes, judges = [] } = event;
    const { batches } = stageOf(runs, event.runId);
    if (!batches.has(batch)) batches.set(batch, { batch, isResampled, rollouts, successes, judges });
  } else if (event.type === 'AgentUpdateTried') {
    const { type: _type, meta: _meta, runId, agent: _agent, slot: _slot, batch: _batch, ...tried } = event;
    const { passes } = updateIn(stageOf(runs, runId), event);
    if (!passes.some(({ pass, attempt }) => pass === tried.pass && attempt === tried.attempt)) passes.push(tried);
  } else if (event.type === 'AgentUpdated') {
    const { position, adapterDigest, parent, effectiveSampleRatio, distance, beta } = event;
    const update = updateIn(stageOf(runs, event.runId), event);
    update.result ??= { position, adapterDigest, parent, effectiveSampleRatio, distance, beta };
  } else if (event.type === 'AgentSwapped') {
    const { type: _type, meta: _meta, runId, batch: _batch, ...swapped } = event;
    stageOf(runs, runId).swapped ??= swapped;
  } else if (event.type === 'AgentWarmedUp') {
    const { type: _type, meta: _meta, runId, ...warmedUp } = event;
    stageOf(runs, runId).warmedUp ??= warmedUp;
  }
}

function stageOf(runs: TeamStagesState['runs'], runId: string): MutableStage {
  const known = runs.get(runId) ?? { batches: new Map(), updates: new Map(), swapped: null, warmedUp: null };
  runs.set(runId, known);
  return known;
}

function updateIn(
  { updates }: MutableStage,
  { agent, slot, batch }: Pick<AgentUpdate, 'agent' | 'slot' | 'batch'>,
): MutableUpdate {
  const known = updates.get(agent) ?? { agent, slot, batch, passes: [], result: null };
  updates.set(agent, known);
  return known;
}
