import { executorConfigSchema } from '@seamstream/executor';
import { loadEntrySchemas, MEMORY_ITEM_SCHEMA } from '@seamstream/experience';
import { generatorConfigSchema } from '@seamstream/generator';
import { algorithms, mergeSettings, presetNamed } from '@seamstream/learning';
import { loadConfig } from '@seamstream/service-kit';
import { trainerConfigSchema } from '@seamstream/trainer';

const servicesSchema = generatorConfigSchema.extend(executorConfigSchema.shape).extend(trainerConfigSchema.shape);

describe('SEAM_PRESET=seam-paper', () => {
  it("configures every service with its authors' values", async () => {
    const config = loadConfig(servicesSchema, { SEAM_PRESET: 'seam-paper' });
    expect(config.generator).toMatchObject({
      groupSize: 4,
      scouts: 0,
      controlShare: 0,
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 4096 },
    });
    expect(config.executor).toMatchObject({ rollouts: 1, maxTokens: 8192 });
    expect(config.trainer).toMatchObject({
      preset: 'seam-paper',
      algorithm: 'grpo',
      trainEveryProblems: 128,
      entryMaxTokens: 4096,
      responseMaxTokens: 8192,
      promotion: { tolerance: 1 },
    });
    expect((await loadEntrySchemas(config.entrySchemas))('math')).toBe(MEMORY_ITEM_SCHEMA);
  });

  it('leaves every value to be overridden, those within an algorithm one by one', () => {
    const { generator, trainer } = loadConfig(servicesSchema, {
      SEAM_PRESET: 'seam-paper',
      SEAM_GENERATOR_GROUP_SIZE: '8',
      SEAM_TRAINER_ALGORITHMS: '{"grpo":{"batchSize":160,"clip":{"high":0.28}}}',
    });
    expect(generator.groupSize).toBe(8);
    const settings = mergeSettings(presetNamed(trainer.preset).algorithms.grpo!, trainer.algorithms.grpo!);
    expect(algorithms.get('grpo')?.resolveConfiguration(settings)).toMatchObject({
      batchSize: 160,
      clip: { low: 0.2, high: 0.28 },
      learningRate: { peak: 1e-6 },
    });
  });
});
