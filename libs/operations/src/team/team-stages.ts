/** The stages of sequential tuning by the slot of their team: who was updated in which order, what the gate did, what promotion said. Pure. */
import type {
  AdapterAct,
  AdapterLineage,
  AgentUpdate,
  SampledBatch,
  StageProgress,
  SwappedAgent,
  TeamEvaluation,
  WarmedUpAgent,
} from '@seamstream/read-models';
import {
  AGENT_SWAP,
  AGENT_WARM_UP,
  type Certificate,
  certificateIn,
  certificateText,
  SEQUENTIAL_TUNING,
  teamSettings,
  tuningSettings,
} from '@seamstream/team-tuning';
import type { RecordedRun } from '../read-models/recorded-runs.js';

export interface TeamStage {
  /** 1, 2, 3, … in the order of their starts. */
  readonly stage: number;
  readonly runId: string;
  /** Milliseconds since the Unix epoch; null while it continues. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly stands: string;
  readonly reason: string | null;
  /** What it began with, and what it made; null is the bare base models, or nothing yet. */
  readonly parent: string | null;
  readonly made: string | null;
  readonly updates: 'sequential' | 'simultaneous';
  /** How the order was chosen. */
  readonly order: 'static' | 'random' | 'information';
  /** Whether the team was sampled again before each agent. */
  readonly resamples: boolean;
  /** Null: every pass is kept. */
  readonly gate: {
    readonly target: number;
    readonly quantile: number;
    readonly maxBacktracks: number;
    readonly mostLost: number | null;
  } | null;
  readonly batches: readonly SampledBatch[];
  /** In the order in which the agents were updated. */
  readonly agents: readonly AgentUpdate[];
  readonly accepted: number;
  readonly takenBack: number;
  readonly givenUp: number;
  /** Rollouts that count nowhere: different revisions of a judge gave the rewards that they would be compared with. */
  readonly judgedApart: number;
  /** Null before its end. */
  readonly certificate: (Omit<Certificate, 'constants'> & { readonly says: string }) | null;
  readonly evaluation: RecordedRun['evaluation'];
}

/** Stage 0: another base model or adapter takes an agent's place. */
export interface TeamSwap {
  readonly runId: string;
  readonly startedAt: number;
  readonly stands: string;
  readonly reason: string | null;
  /** Null until what joins is near enough to what it replaces. */
  readonly swapped: SwappedAgent | null;
}

/** Before the first stage: an agent learns preferred answers. */
export interface TeamWarmUp {
  readonly runId: string;
  readonly startedAt: number;
  readonly stands: string;
  readonly reason: string | null;
  /** Null until it has learned. */
  readonly warmedUp: WarmedUpAgent | null;
}

export interface TunedTeam {
  readonly slot: string;
  /** Digest of the team that is served; null: the bare base models. */
  readonly served: string | null;
  readonly stages: readonly TeamStage[];
  /** In the order of their starts. */
  readonly swaps: readonly TeamSwap[];
  readonly warmUps: readonly TeamWarmUp[];
  /** That people put on record, in the order of the log. */
  readonly evaluations: readonly TeamEvaluation[];
  /** What was decided on its versions, in the order of time. */
  readonly acts: readonly (AdapterAct & { readonly adapterDigest: string })[];
}

export interface TeamFacts {
  readonly lineage: AdapterLineage;
  readonly runs: readonly RecordedRun[];
  readonly stages: readonly StageProgress[];
  readonly evaluations: readonly TeamEvaluation[];
}

/** By slot, those whose first stage began first before others. */
export function tunedTeams({ lineage, runs, stages, evaluations }: TeamFacts): readonly TunedTeam[] {
  const progress = new Map(stages.map((stage) => [stage.runId, stage]));
  const ofTeams = runs.filter(({ algorithm }) => Object.hasOwn(teamSettings, algorithm));
  const bySlot = Map.groupBy(ofTeams, ({ slot }) => slot);
  const slots = new Set([...bySlot.keys(), ...evaluations.map(({ slot }) => slot)]);
  return [...slots].map((slot): TunedTeam => {
    const all = bySlot.get(slot) ?? [];
    const own = all.filter(({ algorithm }) => algorithm === SEQUENTIAL_TUNING);
    const versions = lineage.versions.filter((version) => version.slot === slot);
    return {
      slot,
      served: lineage.otherSlots[slot] ?? null,
      stages: own.map((run, at) => stageOf(run, at + 1, progress.get(run.runId))),
      swaps: all
        .filter(({ algorithm }) => algorithm === AGENT_SWAP)
        .map((run) => ({ ...standOf(run), swapped: progress.get(run.runId)?.swapped ?? null })),
      warmUps: all
        .filter(({ algorithm }) => algorithm === AGENT_WARM_UP)
        .map((run) => ({ ...standOf(run), warmedUp: progress.get(run.runId)?.warmedUp ?? null })),
      evaluations: evaluations.filter((each) => each.slot === slot),
      acts: versions
        .flatMap(({ acts, adapterDigest }) => acts.map((act) => ({ ...act, adapterDigest })))
        .sort((a, b) => a.at - b.at),
    };
  });
}

const standOf = ({ runId, startedAt, decision, status, reason }: RecordedRun): Omit<TeamSwap, 'swapped'> => ({
  ...{ runId, startedAt, stands: decision ?? status, reason },
});

function stageOf(run: RecordedRun, stage: number, progress: StageProgress | undefined): TeamStage {
  const { runId, startedAt, endedAt, status, decision, reason, parentAdapter, adapterDigest, evaluation } = run;
  const { algorithm } = JSON.parse(run.configuration) as { readonly algorithm?: unknown };
  const { updates, order, resample, gate } = tuningSettings(algorithm);
  const agents = [...(progress?.updates ?? [])].sort((a, b) => placeOf(a) - placeOf(b));
  const decided = (as: string): number =>
    agents.reduce((sum, { passes }) => sum + passes.filter((pass) => pass.decision === as).length, 0);
  const certificate = certificateIn(run.metrics);
  return {
    ...{ stage, runId, startedAt, endedAt, reason, evaluation, updates, order, gate, agents },
    ...{ stands: decision ?? status, parent: parentAdapter, made: adapterDigest, resamples: resample },
    batches: progress?.batches ?? [],
    ...{ accepted: decided('accepted'), takenBack: decided('taken back'), givenUp: decided('given up') },
    judgedApart: run.metrics.judgedApart ?? 0,
    certificate: certificate === null ? null : { ...certificate, says: certificateText(certificate) },
  };
}

/** The agent whose passes are tried now is the last one. */
const placeOf = ({ result }: AgentUpdate): number => result?.position ?? Number.MAX_SAFE_INTEGER;
