/**
 * ReST-EM (https://arxiv.org/abs/2312.06585) as SEAL uses it (https://arxiv.org/abs/2506.10943): of what the writer tried for each problem,
 * what did best is made more likely. Formula, departures and figures: docs/explanation/algorithms/rest-em.md.
 */
import { mean } from '@seamstream/statistics';
import { z } from 'zod';
import { defineAlgorithm } from './algorithm.js';
import { recordedExample } from './example.js';
import { asMeasured, feedbackSchema, type HeardGroup, heardGroups } from './feedback.js';
import { controlRewards, gainsOf } from './gains.js';
import { type GroupMember, joinGroups } from './groups.js';
import { imitation, imitationPlan } from './imitation.js';
import type { Diagnostics } from './learning.types.js';
import { optimizerSchema, trainableSchema } from './optimizer.config.js';
import { drawEvenly, durationSchema, learningRateSchema, stepsOf } from './schedule.js';
import { lossAverages } from './token-weights.js';

export const restEmConfigSchema = z.strictObject({
  /** Of each group: `best` keeps the entry with the greatest gain, `solved` all with reward 1. */
  keep: z.enum(['best', 'solved']).default('best'),
  /** Of the kept ones, only those whose gain is greater. */
  minimumGain: z.number().min(-1).max(1).default(0),
  /**
   * What a reward is compared with. `control`: the mean reward of the domain's problems without an entry, where any were recorded, and
   * otherwise as `group`. `group`: the mean of the group.
   */
  gainOver: z.enum(['control', 'group']).default('control'),
  /** What people say of answers joins the reward, of entries whose measured gain is greater than minimumGain; absent: it does not. */
  feedback: feedbackSchema.optional(),
  /** Rounds of problems that are replayed. Of all that they hold, only the present writer's entries count. */
  rounds: z.int().positive().default(1),
  /** A run with fewer kept entries is refused. */
  minExamples: z.int().positive().default(4),
  /** Use only entries sampled at temperature 1 without top-k and top-p. SEAL samples with top-p 0.95. */
  plainSamplingOnly: z.boolean().default(false),
  lossAverage: z.enum(lossAverages).default('token-mean'),
  /** Entries per optimizer step. */
  batchSize: z.int().positive().default(10),
  duration: durationSchema.default({ unit: 'epochs', epochs: 2 }),
  learningRate: learningRateSchema.prefault({ peak: 3e-4 }),
  optimizer: optimizerSchema.prefault({}),
  trainable: trainableSchema.prefault({ kind: 'lora', rank: 64, alpha: 128 }),
});

type RestEmConfig = z.infer<typeof restEmConfigSchema>;

export const restEm = defineAlgorithm({
  name: 'rest-em',
  reads: 'log',
  configSchema: restEmConfigSchema,

  replayedRounds: ({ rounds }) => ({ least: rounds, most: rounds }),
  hasEnoughSignal: () => true,
  hearsFeedback: ({ feedback }) => feedback !== undefined,

  prepare(input, config, context, seed) {
    // 1. The groups of the present writer: entries of an earlier one would be learned from twice.
    const { plainSamplingOnly } = config;
    const { groups, counts } = joinGroups(input, context, { maxStaleness: 0, plainSamplingOnly });
    // 2. What of them is kept.
    const { heard, figures } = heardGroups(groups, input.feedback ?? [], config.feedback);
    const controls = controlRewards(input.results);
    const scored = heard.map((each) => withGains(each, controls, config));
    const kept = scored.flatMap((each) => keptOf(each, config));
    const examples = kept
      .map(({ experience }) => recordedExample(experience, context))
      .filter(({ targets }) => targets.length > 0);
    const diagnostics: Diagnostics = {
      ...counts,
      ...figuresOf(scored, controls),
      ...figures,
      ...(config.feedback === undefined ? {} : { feedbackDecided: decidedBy(scored, config) }),
      keptEntries: kept.length,
      keptReward: mean(kept.map(({ reward }) => reward)),
      examples: examples.length,
      freeTokens: examples.reduce((sum, { targets }) => sum + targets.length, 0),
    };
    if (examples.length < config.minExamples)
      return { status: 'refused', reason: whyTooFew(groups.length, examples.length, config), diagnostics };
    // 3. In which order it is imitated.
    const steps = stepsOf(config.duration, examples.length, config.batchSize);
    const draws = drawEvenly(examples.length, { steps, batchSize: config.batchSize, seed });
    return { status: 'ready', plan: imitationPlan({ examples, diagnostics }, draws, config) };
  },

  ...imitation,
});

/** A group with the gain of each of its members: with feedback, and as it was measured. */
interface GainingGroup extends HeardGroup {
  readonly gains: readonly number[];
  readonly measuredGains: readonly number[];
}

function withGains(
  { group, rewards }: HeardGroup,
  controls: ReadonlyMap<string, number>,
  { gainOver }: RestEmConfig,
): GainingGroup {
  const { domain } = group.members[0]!.experience.problem;
  const control = gainOver === 'control' ? controls.get(domain) : undefined;
  const gains = gainsOf(rewards, control);
  return { group, rewards, gains, measuredGains: gainsOf(asMeasured(group).rewards, control) };
}

/**
 * People rank what the measurement let pass, and may speak against it: they lift nothing over the bar. Of equal ones the first counts. What
 * could not act is not imitated, also where a gain below 0 is asked for.
 */
function keptOf(
  { group: { members }, rewards, gains, measuredGains }: GainingGroup,
  { keep, minimumGain }: RestEmConfig,
): GroupMember[] {
  const passed = members.map(
    ({ isRefused }, index) => !isRefused && measuredGains[index]! > minimumGain && gains[index]! > minimumGain,
  );
  const most = Math.max(...gains.filter((_, index) => passed[index]));
  const best = members.findIndex((_, index) => passed[index] && gains[index] === most);
  return members.filter(
    ({ reward }, index) => passed[index] && (keep === 'solved' ? reward === 1 && rewards[index]! >= 1 : index === best),
  );
}

/** Groups of which something else is kept than without feedback. */
function decidedBy(scored: readonly GainingGroup[], config: RestEmConfig): number {
  const namesOf = (kept: readonly GroupMember[]): string =>
    kept.map(({ experience }) => experience.candidateIndex).join();
  return scored.filter((each) => {
    const measured = { ...each, ...asMeasured(each.group), gains: each.measuredGains };
    return namesOf(keptOf(each, config)) !== namesOf(keptOf(measured, config));
  }).length;
}

function figuresOf(scored: readonly GainingGroup[], controls: ReadonlyMap<string, number>): Diagnostics {
  const rewards = scored.flatMap(({ group }) => group.members.map(({ reward }) => reward));
  const gains = scored.flatMap((each) => each.gains);
  const meanReward = mean(rewards);
  return {
    scoredGroups: scored.length,
    attempts: rewards.length,
    meanReward,
    rewardStd: Math.sqrt(mean(rewards.map((reward) => (reward - meanReward) ** 2))),
    gainingShare: mean(gains.map((gain) => Number(gain > 0))),
    meanGain: mean(gains),
    controlDomains: controls.size,
  };
}

function whyTooFew(groups: number, kept: number, { minExamples, keep, minimumGain }: RestEmConfig): string {
  const what = keep === 'best' ? `did best with a gain above ${minimumGain}` : 'had reward 1';
  return groups === 0
    ? 'no complete group of the present writer is in the replayed records: explore problems with it, or replay more'
    : `of ${groups} groups of the present writer, ${kept} entries ${what}; expected at least ${minExamples}: explore more problems, or with larger groups`;
}
