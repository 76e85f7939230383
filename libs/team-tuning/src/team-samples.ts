/**
 * What a team is worth on problems that it answers several times. The answers that count are pooled, as the protocol of sequential agent
 * tuning does: in a vote those of all agents, in a chain what the team came to. Each is judged; avg@k is their mean, pass@k the unbiased
 * estimate from all of them, majority@k what most of them agree on.
 */
import { answerClasses, judgeOf, type SampledResult, sampledResultOf } from '@seamstream/evaluation';
import type { GradedProblem, JudgeTally } from '@seamstream/events';
import { groupUnjudged, type JudgedBy, tallyJudges, type Unjudged, type UnjudgedGroup } from '@seamstream/rollout';
import { boundedMean, type Estimate, majorityVote } from '@seamstream/statistics';
import type { Team } from './team.js';
import { type RolloutSettings, rollOutTeam, type TeamRollout, whyUnasked } from './team-rollout.js';

interface TeamSamplesSettings extends Omit<RolloutSettings, 'groupSize'> {
  /** Answers of each agent to a problem. */
  readonly samples: number;
  /** Problems that are asked together. */
  readonly batchSize: number;
  /** Receives what was answered, in the order of the problems. */
  readonly onPrediction?: (prediction: TeamPrediction) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

/** One answer that counts. */
interface TeamAnswer {
  /** Who gave it in a vote; null: the team. */
  readonly agent: string | null;
  /** Null where none was stated. */
  readonly answer: string | null;
  readonly success: boolean;
  /** The model whose opinion that is. */
  readonly judgedBy?: JudgedBy;
}

/** What became of a problem. */
export interface TeamPrediction {
  /** Its index. */
  readonly problem: number;
  /** What most answers agree on, as the first of them has it; null where none was stated. */
  readonly predicted: string | null;
  /** Sample by sample, in each as the team lists its agents. */
  readonly answers: readonly TeamAnswer[];
  readonly majorityIsRight: boolean;
  readonly tied: boolean;
  /** Why it was not asked; it counts nowhere. */
  readonly unjudged: Unjudged | null;
}

export interface TeamSamples extends SampledResult {
  /** Answers that count, of each problem: the k of avg@k and majority@k. */
  readonly answers: number;
  /** In a vote the mean of each agent's own answers; null where no problem was judged. */
  readonly perAgent: Readonly<Record<string, Estimate | null>>;
  /** Problems that could not be asked. */
  readonly failed: number;
  readonly unjudged: readonly UnjudgedGroup[];
  /** Models whose opinions the verdicts are; several revisions of one: its server changed it meanwhile. */
  readonly judges: readonly JudgeTally[];
}

/**
 * A sample in which an agent's prompt leaves no room for its turn is one without an answer. A problem of which no agent could be asked is
 * not judged. @throws as `rollOutTeam`, but for prompts that are too long
 */
export async function sampleTeam(
  problems: readonly GradedProblem[],
  settings: TeamSamplesSettings,
): Promise<TeamSamples> {
  const { team, samples, batchSize, onPrediction, onProgress } = settings;
  const predictions: TeamPrediction[] = [];
  for (let at = 0; at < problems.length; at += batchSize) {
    const answered = await answersTo(problems.slice(at, at + batchSize), settings);
    for (const each of answered) {
      const prediction = { ...each, problem: predictions.length };
      predictions.push(prediction);
      onPrediction?.(prediction);
    }
    onProgress?.(predictions.length, problems.length);
  }
  return samplesOf(predictions, team, samples);
}

type Answered = Omit<TeamPrediction, 'problem'>;

async function answersTo(problems: readonly GradedProblem[], settings: TeamSamplesSettings): Promise<Answered[]> {
  const { samples } = settings;
  const rollouts = await rollOutTeam(problems, { ...settings, groupSize: samples, tooLong: 'no answer' });
  return Promise.all(
    problems.map((problem, at) => predictionOf(problem, rollouts.slice(at * samples, (at + 1) * samples), settings)),
  );
}

async function predictionOf(
  problem: GradedProblem,
  rollouts: readonly TeamRollout[],
  { team, verifiers }: TeamSamplesSettings,
): Promise<Answered> {
  const reason = whyUnasked(rollouts);
  if (reason !== null)
    return {
      ...{ predicted: null, answers: [], majorityIsRight: false, tied: false },
      unjudged: { code: 'PROMPT_TOO_LONG', reason },
    };
  const answers = await Promise.all(
    rollouts
      .flatMap((rollout) => countedTexts(team, rollout))
      .map(async ({ agent, text, finished }): Promise<TeamAnswer> => {
        const judgement = await judgeOf('the team', problem, { text, finished }, verifiers);
        const { extractedAnswer: answer, success, judgedBy = null } = judgement;
        return { agent, answer, success, judgedBy };
      }),
  );
  const classes = await answerClasses(
    answers.map(({ answer }) => answer),
    problem.verifier,
    verifiers,
  );
  const { winner, tied } = majorityVote(classes);
  const won = winner === null ? undefined : answers[winner];
  return {
    predicted: won?.answer ?? null,
    answers,
    majorityIsRight: won?.success ?? false,
    tied,
    unjudged: null,
  };
}

/** Texts that hold an answer: every turn of a vote, and what a chain came to. */
function countedTexts(
  { topology, agents }: Team,
  { turns, finished = [], response }: TeamRollout,
): readonly { readonly agent: string | null; readonly text: string; readonly finished: boolean }[] {
  if (topology === 'vote') return turns.map(({ agent, text }, at) => ({ agent, text, finished: finished[at] ?? true }));
  const isText = agents.every(({ field }) => field === null);
  return [{ agent: null, text: response, finished: !isText || (finished.at(-1) ?? true) }];
}

/** The figures of what was answered. @param samples answers of each agent to a problem */
export function samplesOf(
  predictions: readonly TeamPrediction[],
  team: Pick<Team, 'topology' | 'agents'>,
  samples: number,
): TeamSamples {
  const asked = predictions.filter(({ unjudged }) => unjudged === null);
  const voters = team.topology === 'vote' ? team.agents : [];
  const answers = samples * Math.max(1, voters.length);
  const rightOf = (of: readonly TeamAnswer[]): number => of.filter(({ success }) => success).length;
  return {
    ...sampledResultOf(
      asked.map((each) => ({ ...each, right: rightOf(each.answers) })),
      answers,
    ),
    answers,
    perAgent: Object.fromEntries(
      voters.map(({ name }) => [
        name,
        boundedMean(
          asked.map((each) => rightOf(each.answers.filter(({ agent }) => agent === name)) / samples),
          [0, 1],
        ),
      ]),
    ),
    failed: predictions.length - asked.length,
    unjudged: groupUnjudged(predictions.flatMap(({ unjudged }) => (unjudged === null ? [] : [unjudged]))),
    judges: tallyJudges(asked.flatMap((each) => each.answers.map(({ judgedBy }) => judgedBy ?? null))),
  };
}
