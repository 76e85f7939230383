/** Measures teams before they may serve: every agent greedily, on problems that decided nothing before. */
import type { Environment } from '@seamstream/environments';
import { type GradedProblem, isGraded, type Problem } from '@seamstream/events';
import type { EntrySchemas } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type { GeneratorModel } from '@seamstream/rollout';
import {
  type EvaluationTerms,
  type ProblemResult,
  ProblemSetEvaluation,
  type Stretch,
} from '@seamstream/training-runs';
import type { Verifiers } from '@seamstream/verifiers';
import type { Team } from './team.js';
import { type TeamArtefact, teamBaseDigest } from './team-artefact.js';
import { rollOutTeam, type TeamRollout, whyUnasked } from './team-rollout.js';

interface TeamEvaluationSettings {
  readonly team: Team;
  /** In the order of the team. */
  readonly models: readonly GeneratorModel[];
  /** Those of the base models that they replace, where a team of before is to be measured. */
  readonly replacedModels?: readonly GeneratorModel[];
  /** The environment over an executor whose responses have so many tokens at most. */
  readonly environmentOf: (responseMaxTokens: number) => Promise<Environment>;
  readonly schemaFor: EntrySchemas;
  readonly verifiers?: Verifiers | undefined;
  readonly terms: Pick<EvaluationTerms, 'responseMaxTokens' | 'entryMaxTokens'>;
  /** What events call the set. */
  readonly problemSet: string;
  /** With references. */
  readonly problems: readonly Problem[];
}

/** Problems that are asked at once. */
const ASKED_AT_ONCE = 256;

export class TeamEvaluation extends ProblemSetEvaluation<TeamArtefact> {
  constructor(private readonly settings: TeamEvaluationSettings) {
    super(settings);
  }

  override under(terms: EvaluationTerms): Promise<TeamEvaluation> {
    return Promise.resolve(new TeamEvaluation({ ...this.settings, terms }));
  }

  override async measure(
    team: TeamArtefact | null,
    domains: readonly string[],
    stretch: Stretch,
    onProgress: (done: number, total: number) => void,
  ): Promise<readonly ProblemResult[]> {
    const problems = this.problemsOf(domains, stretch);
    const rollouts = await this.greedy(team, problems, onProgress);
    return rollouts.map((rollout) => ({
      domain: rollout.problem.domain,
      solved: whyUnasked([rollout]) === null ? rollout.success : null,
      judgedBy: rollout.judgedBy ?? null,
    }));
  }

  /** Those that the team was tuned with; of a team that never learned, those that its agents have had until now. */
  private modelsOf(team: TeamArtefact | null): readonly GeneratorModel[] {
    const { models, replacedModels = models } = this.settings;
    const digest = teamBaseDigest(models.map((model) => model.digest));
    return team?.baseModelDigest === digest ? models : replacedModels;
  }

  /**
   * One greedy rollout of each problem, in their order.
   * @param team null: every agent has its base model
   */
  async greedy(
    team: TeamArtefact | null,
    problems: readonly Problem[],
    onProgress: (done: number, total: number) => void = () => undefined,
  ): Promise<readonly TeamRollout[]> {
    const { environmentOf, schemaFor, verifiers, terms } = this.settings;
    const models = this.modelsOf(team);
    const environment = await environmentOf(terms.responseMaxTokens);
    const rollouts: TeamRollout[] = [];
    for (let at = 0; at < problems.length; at += ASKED_AT_ONCE) {
      const asked = problems.slice(at, at + ASKED_AT_ONCE).map(withReference);
      const done = await rollOutTeam(asked, {
        ...{ team: this.settings.team, environment, schemaFor, verifiers, groupSize: 1, seed: this.problemSetDigest },
        // A problem that is too long for an agent says something about it, and must not end the stage that is measured.
        tooLong: 'no answer',
        agents: this.settings.team.agents.map((agent, place) => ({
          agent,
          model: models[place]!,
          adapter: team?.members[place]?.adapter ?? null,
        })),
        sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: terms.entryMaxTokens },
      });
      rollouts.push(...done);
      onProgress(rollouts.length, problems.length);
    }
    return rollouts;
  }
}

function withReference(problem: Problem): GradedProblem {
  if (isGraded(problem)) return problem;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot measure a team: expected problems with a reference, got ${problem.problemId} without one. Leave it out.`,
  );
}
