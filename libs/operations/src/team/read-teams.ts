/** Teams in log and object store: which there are, who is in the served one, and how it was tuned. */
import { onOneLine, SeamError } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import {
  adapterLineageProjection,
  teamEvaluationsProjection,
  teamStagesProjection,
  trainingProgressProjection,
} from '@seamstream/read-models';
import { readTeamManifest, type TeamManifest } from '@seamstream/team-tuning';
import { type KeptLog, type ReadingOptions, recordedRuns, withReading } from '../read-models/index.js';
import { type TeamFacts, type TunedTeam, tunedTeams } from './team-stages.js';

/** A team with its agents in their order. */
export interface ShownTeam extends TunedTeam {
  /** Of the served team; those of the last stage with their base models where none is served. */
  readonly members: TeamManifest['members'];
}

export interface ListedTeam {
  readonly slot: string;
  readonly served: string | null;
  readonly stages: number;
  readonly accepted: number;
  readonly takenBack: number;
  readonly givenUp: number;
  /** Success on validation problems of the last stage that was measured, and of what it began with. */
  readonly success: number | null;
  readonly parentSuccess: number | null;
}

/** @throws the signal's reason when it aborts */
export function readTeamFacts(kept: KeptLog, options: ReadingOptions): Promise<TeamFacts> {
  return withReading(kept, async (reading) => {
    const lineage = reading.of(adapterLineageProjection);
    const training = reading.of(trainingProgressProjection);
    const stages = reading.of(teamStagesProjection);
    const evaluations = reading.of(teamEvaluationsProjection);
    await reading.readOn(options);
    const runs = recordedRuns(training.answer(), lineage.answer(), { all: { quoting: 0, faithful: 0 }, adapters: [] });
    return { lineage: lineage.answer(), runs, stages: stages.answer(), evaluations: evaluations.answer() };
  });
}

export function listedTeams(facts: TeamFacts): readonly ListedTeam[] {
  return tunedTeams(facts).map(({ slot, served, stages }): ListedTeam => {
    const sum = (of: (stage: TunedTeam['stages'][number]) => number): number =>
      stages.reduce((total, stage) => total + of(stage), 0);
    const measured = stages.findLast(({ evaluation }) => evaluation !== null)?.evaluation;
    return {
      ...{ slot, served, stages: stages.length },
      accepted: sum(({ accepted }) => accepted),
      takenBack: sum(({ takenBack }) => takenBack),
      givenUp: sum(({ givenUp }) => givenUp),
      success: measured?.success ?? null,
      parentSuccess: measured?.parentSuccess ?? null,
    };
  });
}

/** @param slot of the team. @throws NOT_FOUND where no stage was for it; ADAPTER_INVALID where its manifest is another object */
export async function teamOn(
  facts: TeamFacts,
  slot: string,
  openObjects: () => Promise<Pick<ObjectStore, 'get'>>,
): Promise<ShownTeam> {
  const teams = tunedTeams(facts);
  const team = teams.find((each) => each.slot === slot);
  if (team === undefined) {
    const known = teams.map((each) => each.slot).join(', ') || 'there are none yet';
    throw new SeamError(
      'NOT_FOUND',
      `Cannot show team ${onOneLine(slot)}: expected the slot of a team that was tuned, got none of those in the log (${known}). Name one of them.`,
    );
  }
  const version = facts.lineage.versions.find(({ adapterDigest }) => adapterDigest === team.served);
  if (version !== undefined)
    return { ...team, members: (await readTeamManifest(await openObjects(), version)).members };
  const agents = team.stages.at(-1)?.agents ?? [];
  return { ...team, members: agents.map((each) => ({ agent: each.agent, slot: each.slot, adapterDigest: null })) };
}
