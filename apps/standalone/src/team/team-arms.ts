/** The team of the demonstration, and the ways of tuning it that are compared: each on the same problems, in a separate slot. */
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { ENTRY_FIELDS } from '@seamstream/experience';
import { isSeamError } from '@seamstream/kernel';
import {
  ofNewStage,
  type Team,
  type TeamEvaluation,
  type TeamRunner,
  teamOf,
  tuningSettings,
} from '@seamstream/team-tuning';

const MODEL = new URL('../../../../models/generator-base', import.meta.url);

/**
 * Small steps for small models: what the authors use for models of billions of parameters moves these by nothing. Without the entropy's share
 * agents settle on words before those of others are right, and stay there. Chosen on seeds 4 to 7 (docs/experiments/LOG.md, 2026-11-27).
 */
const TUNING = {
  order: 'information',
  entropyCoefficient: 0.1,
  groupSize: 8,
  sampling: { maxTokens: 32 },
  clip: { low: 0.2, high: 0.28 },
  batchSize: 96,
  learningRate: 3e-4,
  optimizer: { weightDecay: 0 },
  kl: { beta: 0.1 },
} as const;

/** Distance at the quantile that an update may have, and what successful turns of a state may lose, in nats. Chosen on seeds 4 to 7 as well. */
const GATE = { target: 1, quantile: 0.9, maxBacktracks: 5, mostLost: 1 };

export interface TeamArm {
  /** Name of the method that its runs are planned for, and of its slot. */
  readonly name: string;
  readonly title: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A way of tuning, ready to do stages. */
export interface OpenArm extends TeamArm {
  readonly evaluation: TeamEvaluation;
  readonly runner: TeamRunner;
  /** Does a stage, or leaves one alone that was done. */
  tune(stage: number, signal: AbortSignal): Promise<void>;
}

/**
 * One batch of a stage serves all agents, with truncated weights (the authors' released shortcut). Sampled again before each, an agent
 * learns from a third of the rollouts: then all at once ends higher (docs/experiments/LOG.md, 2026-11-27).
 */
const IN_TURN = { ...TUNING, resample: false } as const;

/** The first is what is shown; the others are its controls. */
export const TEAM_ARMS: readonly [TeamArm, ...TeamArm[]] = [
  { name: 'team', title: 'one after the other, gated', settings: { ...IN_TURN, gate: GATE } },
  {
    name: 'team-simultaneous',
    title: 'all at once, gated',
    settings: { ...TUNING, gate: GATE, updates: 'simultaneous' },
  },
  { name: 'team-ungated', title: 'one after the other, ungated', settings: { ...IN_TURN, gate: null } },
];

/** What a study may compare as well: the team is sampled again before each agent, as the authors' paper has it. */
const RESAMPLED: TeamArm = {
  name: 'team-resampled',
  title: 'one after the other, sampled again before each, gated',
  settings: { ...TUNING, gate: GATE },
};

/** Of a study, by name. */
export const TEAM_STUDY_ARMS: readonly TeamArm[] = [...TEAM_ARMS, RESAMPLED];

/**
 * Whether stages with the recorded settings were tuned otherwise than the arm's are now: a release may change what it has chosen. Settings
 * that this version cannot read are others.
 */
export function areOtherSettings({ settings }: TeamArm, recorded: unknown): boolean {
  try {
    return !isDeepStrictEqual(tuningSettings(recorded), tuningSettings(ofNewStage(settings)));
  } catch (error) {
    if (isSeamError(error, 'INVALID_CONFIGURATION')) return true;
    throw error;
  }
}

/** Three agents, each of which writes one field of the entry and reads what those before it wrote. */
export function demonstrationTeam({ name }: Pick<TeamArm, 'name'>): Team {
  return teamOf(
    {
      topology: 'chain',
      slot: name,
      agents: ENTRY_FIELDS.map((field) => ({
        ...{ name: field, field },
        path: fileURLToPath(MODEL),
        role: '{problem}\nExperience:\n{before}',
      })),
    },
    'of the demonstration',
  );
}
