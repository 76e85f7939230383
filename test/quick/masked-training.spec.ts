/**
 * From the generator's log to the engine's loss with a real model: the distribution that an entry was sampled from, logged
 * under, and is trained under is one. Where a join loses the grammar, its budget or where the entry begins, fresh entries
 * look as if another policy had written them.
 */
import { rm } from 'node:fs/promises';
import { type ExperienceGenerated, promptOf } from '@seamstream/events';
import {
  domainEntrySchema,
  groundedSchema,
  isFaithful,
  sampledUnder,
  schemaDigest,
  withoutQuoteRules,
} from '@seamstream/experience';
import { LanguageModel, type TrainingSequence } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import {
  algorithms,
  bareSequences,
  type ComputedLogProbs,
  type LearningAlgorithm,
  type LearningContext,
  type LearningInput,
  type TrainingPlan,
} from '@seamstream/learning';
import { LanguageModelTraining } from '@seamstream/model-clients';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { bufferRow } from '@seamstream/testing/buffer-rows';
import type { TrainingWeights } from '@seamstream/training-contract';

const SCHEMA = domainEntrySchema({
  concepts: { words: ['cow', 'bee', 'hen'] },
  strategy: { words: ['swap order', 'keep order'] },
  pitfalls: { words: ['none', 'one less'] },
});
const SAMPLING = { temperature: 1, topK: 0, topP: 1, maxTokens: 90 };
const GROUPS = 3;
const GROUP_SIZE = 4;

let folder: string;
let model: LanguageModel;
let engine: LanguageModelTraining;
let experiences: ExperienceGenerated[];

beforeAll(async () => {
  folder = await writeRandomModel();
  model = await LanguageModel.load(folder, { threads: 1 });
  engine = new LanguageModelTraining(folder, model, { threads: 1, executionProvider: 'cpu' });
  experiences = await sampled();
});
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true });
});

const inputs: Readonly<Record<'grpo' | 'sft', () => LearningInput>> = {
  grpo: () => resultsOf(experiences),
  sft: () => ({
    reads: 'buffer',
    rows: experiences.map(({ experienceId, promptTokenIds, tokenIds, forced, entry }) =>
      bufferRow(experienceId, {
        ...{ experienceId, domain: 'farm', prompt: 'cow bee', entry, promptTokenIds, tokenIds, forced },
        baseModelDigest: model.digest,
      }),
    ),
  }),
};
const settings = {
  grpo: { batchSize: 6, duration: { unit: 'steps', steps: 2 }, kl: { coefficient: 0.01 } },
  sft: { minRows: 1, batchSize: 6, duration: { unit: 'steps', steps: 2 } },
};

const digestAfter = (plan: TrainingPlan, steps: readonly (readonly TrainingSequence[])[]): Promise<string> =>
  withWeights(plan, async (weights) => {
    for (const [index, sequences] of steps.entries())
      await weights.step(sequences, { ...plan.optimizer, learningRate: plan.steps[index]!.learningRate });
    return (await weights.exportAdapter()).digest;
  });

it('entries of this policy are found fresh: their ratios are one, however unlikely the model finds its grammar', async () => {
  // The model is random: most of what it would write is illegal, so a lost mask is a ratio far from one.
  const legal = experiences.flatMap(({ legalMass, forced }) => legalMass.filter((_, at) => !forced[at]));
  expect(Math.min(...legal)).toBeLessThan(0.5);
  const { algorithm, plan } = planOf('grpo');
  const { diagnostics } = algorithm.review(plan, settings.grpo, await computedFor(plan));
  // float32 on both sides, by different graphs.
  expect(diagnostics.effectiveSampleRatio).toBeCloseTo(1, 6);
  expect(diagnostics.importanceWeightMax).toBeCloseTo(1, 3);
  expect(diagnostics.behaviourKlNats).toBeCloseTo(0, 6);
});

it('entries that may only quote their problem are found fresh under the mask that it leaves them, and under no other', async () => {
  const quoting = domainEntrySchema({
    concepts: { words: ['cow', 'bee', 'hen', 'ant'], quotesBetween: ['', ''] },
    strategy: { words: ['swap order', 'keep order'] },
    pitfalls: { words: ['none', 'one less'] },
  });
  const statements = ['a cow and a bee', 'an ant and a hen', 'a hen and a bee and a cow'];
  const written = await sampled(quoting, statements);
  expect(written.map(({ entry, problem }) => isFaithful(entry, quoting, promptOf(problem)))).not.toContain(false);
  const review = async (entrySchemaOf: LearningContext['entrySchemaOf']): Promise<Readonly<Record<string, number>>> => {
    const algorithm = algorithms.get('grpo')!;
    const context = { baseModelDigest: model.digest, servedAdapters: [null], entrySchemaOf };
    const prepared = algorithm.prepare(resultsOf(written), settings.grpo, context, 'run');
    if (prepared.status === 'refused') throw new Error(prepared.reason);
    return algorithm.review(prepared.plan, settings.grpo, await computedFor(prepared.plan)).diagnostics;
  };
  const fresh = await review((_domain, each) => sampledUnder(each, quoting));
  expect(fresh.effectiveSampleRatio).toBeCloseTo(1, 6);
  expect(fresh.importanceWeightMax).toBeCloseTo(1, 3);
  // Under the mask of all problems a quoted word is less likely than it was.
  expect((await review(() => withoutQuoteRules(quoting))).behaviourKlNats).toBeGreaterThan(0.01);
});

it('the first step finds the policy where it began: no distance to the reference, nothing clipped', async () => {
  const { algorithm, plan } = planOf('grpo');
  const computed = await computedFor(plan);
  const first = await withWeights(plan, (weights) =>
    weights.step(algorithm.complete(plan, settings.grpo, 0, computed), plan.optimizer),
  );
  expect(first.klNats).toBeCloseTo(0, 6);
  expect(first.clippedRatio).toBe(0);
});

it.each(['grpo', 'sft'] as const)('%s trains under the grammar: without it another adapter comes out', async (name) => {
  const { algorithm, plan } = planOf(name);
  const computed = name === 'grpo' ? await computedFor(plan) : {};
  const steps = plan.steps.map((_, step) => algorithm.complete(plan, settings[name], step, computed));
  const { maxTokens } = SAMPLING;
  const masked = steps.map((sequences) =>
    sequences.map((each) => ({ ...each, schema: SCHEMA, ...(name === 'grpo' ? { maxTokens } : {}) })),
  );
  const unmasked = steps.map((sequences) =>
    sequences.map(({ tokenIds, targets, weights, policy }) => ({
      tokenIds,
      targets,
      weights,
      ...(policy === undefined ? {} : { policy }),
    })),
  );
  const digest = await digestAfter(plan, steps);
  expect(digest).toBe(await digestAfter(plan, masked));
  expect(digest).not.toBe(await digestAfter(plan, unmasked));
});

/** Groups of entries as the generator writes and logs them. */
async function sampled(
  schema = SCHEMA,
  statements: readonly string[] = Array.from({ length: GROUPS }, (_, group) => `cow ${group} bee`),
): Promise<ExperienceGenerated[]> {
  const prompts = statements.map((statement) => model.tokenizer.encode(statement));
  const results = await model.generate(
    prompts.map((promptTokenIds, group) => ({
      promptTokenIds,
      seeds: Array.from({ length: GROUP_SIZE }, (_, index) => `${group}/${index}`),
      sampling: SAMPLING,
      schema: groundedSchema(schema, statements[group]!),
    })),
  );
  return results.flatMap((candidates, group) =>
    candidates.map(({ tokenIds, logProbs, legalMass, forced }, candidateIndex) => ({
      ...EXAMPLE_EVENTS.ExperienceGenerated,
      experienceId: `${group}-${candidateIndex}`,
      groupId: `g-${group}`,
      candidateIndex,
      groupSize: GROUP_SIZE,
      arm: 'explore' as const,
      entry: model.tokenizer.decode(tokenIds),
      problem: { ...EXAMPLE_EVENTS.ExperienceGenerated.problem, prompt: statements[group]! },
      entrySchema: schemaDigest(schema),
      promptTokenIds: prompts[group]!,
      tokenIds,
      logProbs,
      legalMass,
      forced,
      sampling: { ...SAMPLING, seed: `${group}/${candidateIndex}` },
      baseModelDigest: model.digest,
      adapterDigest: null,
    })),
  );
}

/** One of each group is right. */
function resultsOf(written: readonly ExperienceGenerated[]): LearningInput {
  return {
    reads: 'log',
    experiences: written,
    results: written.map((experience, index) => ({
      ...EXAMPLE_EVENTS.OutcomeRecorded,
      ...{ experienceId: experience.experienceId, groupId: experience.groupId, groupSize: GROUP_SIZE },
      candidateIndex: experience.candidateIndex,
      arm: 'explore' as const,
      success: index % GROUP_SIZE === 1,
      reward: index % GROUP_SIZE === 1 ? 1 : 0,
    })),
  };
}

function planOf(name: 'grpo' | 'sft'): { readonly algorithm: LearningAlgorithm; readonly plan: TrainingPlan } {
  const algorithm = algorithms.get(name)!;
  const context: LearningContext = {
    baseModelDigest: model.digest,
    servedAdapters: [null],
    entrySchemaOf: () => SCHEMA,
  };
  const prepared = algorithm.prepare(inputs[name](), settings[name], context, 'run');
  if (prepared.status === 'refused') throw new Error(prepared.reason);
  return { algorithm, plan: prepared.plan };
}

async function withWeights<T>(plan: TrainingPlan, use: (weights: TrainingWeights) => Promise<T>): Promise<T> {
  const { trainable, objective } = plan;
  const weights = await engine.begin({ adapter: null, trainable, objective });
  try {
    return await use(weights);
  } finally {
    await weights.close();
  }
}

/** ln π of all examples as training starts, as the trainer asks for them. */
async function computedFor(plan: TrainingPlan): Promise<ComputedLogProbs> {
  return withWeights(plan, async (weights) => {
    const ofParent = await weights.logProbabilities(bareSequences(plan));
    return { proximal: ofParent, reference: ofParent };
  });
}
