/** What an agent learns from: its turns of a batch, each with its advantage. */
import type { EntrySchemas } from '@seamstream/experience';
import type { TrainingSequence } from '@seamstream/language-model';
import { clippedGroupAdvantages, generalisedAdvantages, normalised } from './formulas/advantages.js';
import { alikeInGroups, judgedBy, mainJudge } from './judged-alike.js';
import type { Agent } from './team.js';
import { fieldSchema, type TeamRollout, type Turn } from './team-rollout.js';
import type { TuningSettings } from './tuning.config.js';
import type { TrainedTurn } from './update-agent.js';
import { ValueHead } from './value-head.js';

/** A turn as a sequence without a share in a loss; its targets are the tokens that were a choice. */
export function turnSequence(
  { agent, turn, rollout }: { readonly agent: Agent; readonly turn: Turn; readonly rollout: TeamRollout },
  { schemaFor, maxTokens }: { readonly schemaFor: EntrySchemas; readonly maxTokens: number },
): TrainingSequence {
  const continuationStart = turn.promptTokenIds.length;
  const targets = turn.forced.flatMap((isForced, at) =>
    isForced || continuationStart + at === 0 ? [] : [continuationStart + at],
  );
  const schema = agent.field === null ? undefined : fieldSchema(agent.field, rollout.problem, schemaFor);
  return {
    tokenIds: [...turn.promptTokenIds, ...turn.tokenIds],
    targets,
    weights: targets.map(() => 0),
    ...(schema === undefined ? {} : { schema, continuationStart, maxTokens }),
  };
}

/** ln of each target as it was sampled, in nats. */
export function sampledLogProbs({ forced, logProbs }: Turn): number[] {
  return logProbs.filter((_, at) => forced[at] === false);
}

/** Rollouts whose rewards are compared with one another, within their problems' groups or all together. */
export function comparedRollouts(
  rollouts: readonly TeamRollout[],
  { advantage }: Pick<TuningSettings, 'advantage'>,
): readonly TeamRollout[] {
  return advantage.kind === 'group' ? alikeInGroups(rollouts) : judgedBy(rollouts, mainJudge(rollouts));
}

/**
 * The advantage of every rollout, in their order: within its problem's group, or for the agent's turn by values. 0 for one that is not
 * compared with others, because another revision of the judge gave its reward.
 * @param earlier batches of the stage: what values are fitted to; in runs of the first release to this batch as well
 */
export function advantagesOf(
  rollouts: readonly TeamRollout[],
  place: number,
  settings: Pick<TuningSettings, 'advantage'>,
  earlier: readonly (readonly TeamRollout[])[],
): readonly number[] {
  const { advantage } = settings;
  const compared = comparedRollouts(rollouts, settings);
  const advantages = new Map<TeamRollout, number>();
  if (advantage.kind === 'group') {
    for (const group of Map.groupBy(compared, ({ problem }) => problem.problemId).values()) {
      const own = clippedGroupAdvantages(
        group.map(({ reward }) => reward),
        advantage.clip,
      );
      group.forEach((rollout, at) => advantages.set(rollout, own[at]!));
    }
    return rollouts.map((rollout) => advantages.get(rollout) ?? 0);
  }
  const { gamma, lambda, clip, valueRange: range, valueRate: rate, baseline } = advantage;
  const head = new ValueHead();
  const estimated = (batch: readonly TeamRollout[]) =>
    batch.map(({ turns, reward }) =>
      generalisedAdvantages(
        turns.map((_, at) => (at === turns.length - 1 ? reward : 0)),
        turns.map(({ promptTokenIds }) => head.valueOf(promptTokenIds)),
        { gamma, lambda },
      ),
    );
  const judge = mainJudge(rollouts);
  const fitted = earlier.map((each) => judgedBy(each, judge));
  for (const batch of baseline === 'before-fit' ? fitted : [...fitted, compared]) {
    const states = estimated(batch).flatMap(({ returns }, at) =>
      returns.map((value, turn) => ({ tokenIds: batch[at]!.turns[turn]!.promptTokenIds, return: value })),
    );
    head.fit(states, { range, rate });
  }
  normalised(
    estimated(compared).map((each) => each.advantages[place]!),
    clip,
  ).forEach((value, at) => advantages.set(compared[at]!, value));
  return rollouts.map((rollout) => advantages.get(rollout) ?? 0);
}

export function trainedTurns(
  rollouts: readonly TeamRollout[],
  facts: {
    readonly agent: Agent;
    readonly place: number;
    readonly advantages: readonly number[];
    /** Of the rollouts, those whose rewards are compared with others. */
    readonly compared: readonly TeamRollout[];
    readonly weights: readonly number[];
    readonly schemaFor: EntrySchemas;
    readonly maxTokens: number;
  },
): readonly TrainedTurn[] {
  const { agent, place, advantages, weights } = facts;
  const counted = new Set(facts.compared);
  return rollouts.map((rollout, at) => {
    const turn = rollout.turns[place]!;
    return {
      state: turn.promptTokenIds.join(),
      sequence: turnSequence({ agent, turn, rollout }, facts),
      advantage: advantages[at]!,
      weight: weights[at]!,
      success: rollout.success && counted.has(rollout),
    };
  });
}
