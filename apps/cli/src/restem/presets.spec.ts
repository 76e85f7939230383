import { executorConfigSchema } from '@seamstream/executor';
import { generatorConfigSchema } from '@seamstream/generator';
import { presetNamed } from '@seamstream/learning';
import { RESTEM_PRESETS, resolveRestEm } from '@seamstream/operations/restem';
import { loadConfig } from '@seamstream/service-kit';
import { trainerConfigSchema } from '@seamstream/trainer';

const servicesSchema = generatorConfigSchema.extend(executorConfigSchema.shape).extend(trainerConfigSchema.shape);

describe.each(RESTEM_PRESETS)('the preset %s', (name) => {
  const { generator, executor, trainer, entrySchemas } = loadConfig(servicesSchema, { SEAM_PRESET: name });

  it('lets generator, executor and evaluations speak of the same self-edits', () => {
    expect(entrySchemas).toMatch(/^self-edit\//);
    expect(executor).toMatchObject({ environment: 'inner-lora-update', innerUpdate: trainer.executor.innerUpdate });
    expect(trainer.executor.environment).toBe('inner-lora-update');
    expect(trainer.entryMaxTokens).toBe(generator.sampling.maxTokens);
    expect(trainer.responseMaxTokens).toBe(executor.maxTokens);
  });

  it('learns by rest-em, with settings of its name', () => {
    expect(trainer).toMatchObject({ algorithm: 'rest-em', preset: name });
    const own = presetNamed(name).algorithms['rest-em']!;
    expect(resolveRestEm({ trainer: own, preset: name }).algorithm).toMatchObject(own);
  });
});

it("seal-paper-knowledge has its authors' values", () => {
  const { generator, executor } = loadConfig(servicesSchema, { SEAM_PRESET: 'seal-paper-knowledge' });
  expect(generator).toMatchObject({ groupSize: 5, sampling: { temperature: 1, topP: 0.95, maxTokens: 8192 } });
  expect(executor).toMatchObject({
    rollouts: 3,
    innerUpdate: { rank: 32, alpha: 64, epochs: 10, learningRate: 1e-3, batchSize: 1, maxDocumentTokens: 2048 },
  });
  const trainer = presetNamed('seal-paper-knowledge').algorithms['rest-em']!;
  expect(resolveRestEm({ trainer, preset: 'seal-paper-knowledge' })).toMatchObject({
    ...{ iterations: 2, passages: 50 },
    algorithm: {
      keep: 'best',
      batchSize: 10,
      duration: { unit: 'epochs', epochs: 2 },
      learningRate: { peak: 3e-4 },
      trainable: { kind: 'lora', rank: 64, alpha: 128 },
    },
  });
});
