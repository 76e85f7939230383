/**
 * Offline GRPO: learns from recorded groups of candidates by their advantage over their siblings. The formula, where it
 * departs from the published one and what every figure means: docs/explanation/algorithms/grpo.md.
 */
import { mean } from '@seamstream/statistics';
import { z } from 'zod';
import { advantageKinds, groupAdvantages, isDead } from './advantage.js';
import { checkedLogProbs, defineAlgorithm } from './algorithm.js';
import { recordedExample, sequenceOf } from './example.js';
import { feedbackSchema, type HeardGroup, heardGroups } from './feedback.js';
import { type GroupMember, joinGroups, type ScoredGroup } from './groups.js';
import { effectiveSampleRatio, importanceRatios, k3, truncatedWeight } from './importance.js';
import type { Diagnostics, LearningContext, LogInput, TrainingExample, TrainingPlan } from './learning.types.js';
import { optimizerSchema, trainableSchema } from './optimizer.config.js';
import { overlongPunishment, overlongSchema } from './overlong.js';
import { plannedSteps } from './planned-steps.js';
import { drawEvenly, durationSchema, learningRateSchema, stepsOf } from './schedule.js';
import { lossAverages } from './token-weights.js';

const settingsSchema = z.strictObject({
  /** How a reward becomes an advantage, see advantage.ts. `mean` does not blow up groups that are nearly dead. */
  advantage: z.enum(advantageKinds).default('mean'),
  /** Whether every token counts alike or every entry. */
  lossAverage: z.enum(lossAverages).default('token-mean'),
  clip: z
    .strictObject({
      /** The ratio is clipped to 1 − low … 1 + high; the higher upper bound keeps rare tokens alive (DAPO, https://arxiv.org/abs/2503.14476). */
      low: z.number().min(0).max(1).default(0.2),
      high: z.number().nonnegative().default(0.28),
    })
    .prefault({}),
  importance: z
    .strictObject({
      /**
       * `truncate`: every entry by the capped ratio, and what is older than the window is left out. `taper` (TOPR,
       * https://arxiv.org/abs/2503.14286): entries better than their siblings by their likelihood, regardless of the writer;
       * worse ones by the ratio, at most 1. So an entry that the policy would no longer write can still teach it.
       */
      correction: z.enum(['truncate', 'taper']).default('truncate'),
      /**
       * What has one ratio: every `token`, or a whole `entry`, which is then the geometric mean of its tokens' ratios, as the sequence
       * likelihood of GSPO (https://arxiv.org/abs/2507.18071, equation 7). The clip of a step stays that of tokens.
       */
      unit: z.enum(['token', 'entry']).default('token'),
      /** Cap of the importance weight π_proximal / μ; 2 as TRL and verl (truncated importance sampling). */
      cap: z.number().positive().default(2),
      /**
       * A run whose tokens' raw weights have a smaller effective sample size (as a fraction of the tokens) is refused. That of whole
       * entries, whose weights are products, is smaller: `entryEffectiveSampleRatio` records it.
       */
      minEffectiveSampleRatio: z.number().min(0).max(1).default(0.3),
    })
    .prefault({}),
  kl: z
    .strictObject({
      /**
       * Weight of k3 between policy and reference. 0 as in DAPO; SEAM used 0.001. On replayed tokens it holds the policy by a
       * distance, not by the KL: that is an expectation over tokens of the policy itself, and no ratio corrects for who sampled.
       */
      coefficient: z.number().nonnegative().default(0),
      /** What the policy is held to: the adapter that training starts from, or the bare base model. */
      reference: z.enum(['parent', 'base']).default('parent'),
    })
    .prefault({}),
  /** Weight of the entropy of the masked distribution, in nats.: without it generators of a million parameters lost their variety within a few versions. */
  entropyCoefficient: z.number().nonnegative().default(0.02),
  window: z
    .strictObject({
      /** Entries of the last so many served adapters are used, the current one included. */
      versions: z.int().positive().default(4),
      /** Rounds of problems that are replayed. */
      rounds: z.int().positive().default(4),
    })
    .prefault({}),
  /**
   * Groups whose entries were all judged alike: `drop` them (DAPO), or `keep` them, as GRPO and SEAM do. Kept, they teach
   * nothing by their verdicts, but their tokens count in the loss's mean, in its KL and entropy terms, and in `overlong`.
   */
  deadGroups: z.enum(['drop', 'keep']).default('drop'),
  /**
   * DAPO's dynamic sampling, offline: while the replayed rounds hold fewer live groups, the replay reaches one round further
   * back. Null: window.rounds are replayed, regardless of their content.
   */
  dynamicSampling: z
    .strictObject({
      /** Groups with better and worse entries that a run wants to see. */
      liveGroups: z.int().positive(),
      /** Rounds at most; with fewer live groups in these a run takes what there is. 10 as DAPO's generation batches. */
      maxRounds: z.int().positive().default(10),
    })
    .nullable()
    .default(null),
  /** DAPO's soft punishment of length, part of the reward that advantages are formed of; null: none. Which groups are dead, verdicts alone decide. */
  overlong: overlongSchema.nullable().default(null),
  /** What people say of answers joins the reward that advantages are formed of; absent: it does not. Which groups are dead, verdicts alone decide. */
  feedback: feedbackSchema.optional(),
  /** Use only entries sampled at temperature 1 without top-k and top-p: the logged log-probabilities speak of that distribution. */
  plainSamplingOnly: z.boolean().default(true),
  /** A run with fewer live groups is refused. */
  minLiveGroups: z.int().positive().default(2),
  /** Entries per optimizer step. */
  batchSize: z.int().positive().default(64),
  duration: durationSchema.default({ unit: 'steps', steps: 10 }),
  learningRate: learningRateSchema.prefault({ peak: 3e-4 }),
  optimizer: optimizerSchema.prefault({}),
  trainable: trainableSchema.default({ kind: 'full' }),
});

/** Configuration of GRPO, with what of it excludes each other. */
export const grpoConfigSchema = settingsSchema
  .refine(({ advantage, overlong }) => advantage !== 'maxrl' || overlong === null, {
    path: ['overlong'],
    error: 'expected null with the advantage "maxrl", which divides by the mean of rewards of 0 or more',
  })
  .refine(({ window, dynamicSampling }) => dynamicSampling === null || dynamicSampling.maxRounds >= window.rounds, {
    path: ['dynamicSampling', 'maxRounds'],
    error: 'expected at least window.rounds',
  });

type GrpoConfig = z.infer<typeof grpoConfigSchema>;

export const grpo = defineAlgorithm({
  name: 'grpo',
  reads: 'log',
  configSchema: grpoConfigSchema,

  replayedRounds: ({ window, dynamicSampling }) => ({
    least: window.rounds,
    most: dynamicSampling?.maxRounds ?? window.rounds,
  }),

  hearsFeedback: ({ feedback }) => feedback !== undefined,

  hasEnoughSignal(input, config, context) {
    const { dynamicSampling } = config;
    return dynamicSampling === null || usableGroups(input, config, context).live.length >= dynamicSampling.liveGroups;
  },

  prepare(input, config, context, seed) {
    const { groups, live, counts } = usableGroups(input, config, context);
    const used = config.deadGroups === 'keep' ? groups : live;
    const { heard, figures } = heardGroups(groups, input.feedback ?? [], config.feedback);
    const isUsed = new Set(used);
    const examples = heard
      .filter(({ group }) => isUsed.has(group))
      .flatMap((group) => examplesOf(group, config, context));
    const diagnostics: Diagnostics = {
      ...counts,
      ...figuresOf(groups, live),
      ...figures,
      ...overlongFigures(used, config),
      examples: examples.length,
      freeTokens: sum(examples.map(({ targets }) => targets.length)),
    };
    if (live.length < config.minLiveGroups || examples.length === 0) {
      return { status: 'refused', reason: whyNothingToLearn(groups, live, counts.groups), diagnostics };
    }
    const steps = stepsOf(config.duration, examples.length, config.batchSize);
    const draws = drawEvenly(examples.length, { steps, batchSize: config.batchSize, seed });
    const plan: TrainingPlan = {
      examples,
      steps: plannedSteps(draws, examples, config),
      objective: {
        kind: 'clipped-policy-gradient',
        clipLow: config.clip.low,
        clipHigh: config.clip.high,
        klCoefficient: config.kl.coefficient,
        entropyCoefficient: config.entropyCoefficient,
      },
      needs: {
        proximalLogProbs: true,
        referenceLogProbs: config.kl.coefficient === 0 ? null : config.kl.reference,
      },
      optimizer: { ...config.optimizer, learningRate: config.learningRate.peak },
      trainable: config.trainable,
      diagnostics,
    };
    return { status: 'ready', plan };
  },

  review(plan, config, computed) {
    const proximal = checkedLogProbs(plan, 'proximal', computed);
    const ratios: number[] = [];
    /** ln of π₀/μ of whole entries, in nats. */
    const entryRatios: number[] = [];
    let truncated = 0;
    let klNats = 0;
    plan.examples.forEach((example, index) => {
      const behaviours = behaviourOf(example);
      entryRatios.push(sum(proximal[index]!) - sum(behaviours));
      for (const ratio of importanceRatios(proximal[index]!, behaviours, config.importance.unit)) {
        ratios.push(ratio);
        if (ratio > config.importance.cap) truncated++;
      }
      behaviours.forEach((behaviour, token) => {
        klNats += k3(behaviour, proximal[index]![token]!);
      });
    });
    const effective = effectiveSampleRatio(ratios);
    // Relative to the largest: of long entries the products themselves overflow.
    const largest = entryRatios.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const diagnostics: Diagnostics = {
      effectiveSampleRatio: effective,
      entryEffectiveSampleRatio: effectiveSampleRatio(entryRatios.map((nats) => Math.exp(nats - largest))),
      truncatedRatio: truncated / ratios.length,
      behaviourKlNats: klNats / ratios.length,
      importanceWeightMax: ratios.reduce((a, b) => Math.max(a, b), 0),
    };
    if (isTapered(config) || effective >= config.importance.minEffectiveSampleRatio)
      return { status: 'ready', diagnostics };
    return {
      status: 'refused',
      reason: `the recorded entries are too far from the present policy: the effective sample size of their tokens is ${percent(effective)} of the tokens' number, expected at least ${percent(config.importance.minEffectiveSampleRatio)}; explore again or shorten window.versions`,
      diagnostics,
    };
  },

  complete(plan, config, step, computed) {
    const proximal = checkedLogProbs(plan, 'proximal', computed);
    const { referenceLogProbs } = plan.needs;
    const reference = referenceLogProbs === null ? proximal : checkedLogProbs(plan, 'reference', computed);
    const { examples, tokenWeights: shares } = plan.steps[step]!;
    return examples.map((index, position) => {
      const example = plan.examples[index]!;
      const behaviour = behaviourOf(example);
      const proximalLogProbs = proximal[index]!;
      const advantage = example.policy?.advantage ?? 0;
      const isImitated = isTapered(config) && advantage > 0;
      return {
        ...sequenceOf(example, shares[position]!),
        policy: {
          advantages: behaviour.map(() => (isImitated ? 0 : advantage)),
          imitationWeights: behaviour.map(() => (isImitated ? advantage : 0)),
          proximalLogProbs,
          importanceWeights: importanceRatios(proximalLogProbs, behaviour, config.importance.unit).map((ratio) =>
            truncatedWeight(ratio, isTapered(config) ? 1 : config.importance.cap),
          ),
          referenceLogProbs: reference[index]!,
        },
      };
    });
  },
});

/** The groups that can be learned from, and those of them with better and worse entries. */
function usableGroups(
  input: LogInput,
  config: GrpoConfig,
  context: Omit<LearningContext, 'entrySchemaOf'>,
): ReturnType<typeof joinGroups> & { readonly live: readonly ScoredGroup[] } {
  const joined = joinGroups(input, context, {
    // Tapered, an entry of any age teaches; one by an adapter that was never served stays out.
    maxStaleness: isTapered(config) ? Number.MAX_SAFE_INTEGER : config.window.versions - 1,
    plainSamplingOnly: config.plainSamplingOnly,
  });
  const live = joined.groups.filter(
    (group) => !isDead(group.members.map(({ reward }) => reward)) && !(isTapered(config) && isMastered(group)),
  );
  return { ...joined, live };
}

/** Its newest adapter's entries all did best, only scouts did worse: they would drown the groups that teach something. */
function isMastered({ members }: ScoredGroup): boolean {
  const newest = Math.min(...members.map(({ age }) => age));
  const best = Math.max(...members.map(({ reward }) => reward));
  return members.every(({ age, reward }) => age > newest || reward === best);
}

function isTapered({ importance }: GrpoConfig): boolean {
  return importance.correction === 'taper';
}

function examplesOf(
  { group: { members }, rewards }: HeardGroup,
  config: GrpoConfig,
  context: LearningContext,
): TrainingExample[] {
  const advantages = groupAdvantages(
    members.map((member, index) => rewards[index]! + punishmentOf(member, config)),
    config.advantage,
  );
  return members.flatMap(({ experience }, index) => {
    const example = recordedExample(experience, context, experience.sampling.maxTokens);
    if (example.targets.length === 0) return []; // All forced: nothing was chosen.
    const behaviourLogProbs = example.targets.map((target) => experience.logProbs[target - example.continuationStart]!);
    return [{ ...example, policy: { advantage: advantages[index]!, behaviourLogProbs } }];
  });
}

function punishmentOf({ experience, responseTokens }: GroupMember, { overlong }: GrpoConfig): number {
  if (overlong === null) return 0;
  return overlongPunishment(overlong.of === 'entry' ? experience.tokenIds.length : responseTokens, overlong);
}

function overlongFigures(groups: readonly ScoredGroup[], config: GrpoConfig): Diagnostics {
  if (config.overlong === null) return {};
  const punishments = groups.flatMap(({ members }) => members.map((member) => punishmentOf(member, config)));
  return {
    overlongMembers: punishments.filter((punishment) => punishment < 0).length,
    meanPunishment: mean(punishments),
  };
}

function figuresOf(groups: readonly ScoredGroup[], live: readonly ScoredGroup[]): Diagnostics {
  const rewards = groups.flatMap(({ members }) => members.map(({ reward }) => reward));
  const ages = groups.map(({ age }) => age);
  const isLive = new Set(live);
  const dead = groups.filter((group) => !isLive.has(group));
  return {
    scoredGroups: groups.length,
    liveGroups: live.length,
    deadGroups: dead.length,
    deadSolvedGroups: dead.filter(({ members }) => members[0]!.reward > 0).length,
    meanReward: mean(rewards),
    ageMean: mean(ages),
    ageMax: ages.reduce((a, b) => Math.max(a, b), 0),
  };
}

function whyNothingToLearn(groups: readonly ScoredGroup[], live: readonly ScoredGroup[], found: number): string {
  if (found === 0)
    return 'no explored group is in the replayed records; publish problems in the mode "explore", or replay more';
  if (groups.length === 0)
    return `none of the ${found} explored groups can be used (see the counts of incomplete, small, stale, foreign and other-sampling groups)`;
  const solved = groups.filter(
    ({ members }) => isDead(members.map(({ reward }) => reward)) && members[0]!.reward > 0,
  ).length;
  const unsolved = groups.length - live.length - solved;
  return `no variance: only ${live.length} of ${groups.length} groups have both better and worse entries (${solved} were solved by every entry, ${unsolved} by none); ${unsolved > solved ? 'warm up with sft, or explore with larger groups' : 'the problems are mastered, or the verifier accepts anything'}`;
}

function behaviourOf({ policy }: TrainingExample): readonly number[] {
  return policy?.behaviourLogProbs ?? [];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
