import { executorConfigSchema } from '@seamstream/executor';
import { generatorConfigSchema } from '@seamstream/generator';
import { presetNamed } from '@seamstream/learning';
import { RESTEM_PRESETS, resolveRestEm } from '@seamstream/operations/restem';
import { loadConfig } from '@seamstream/service-kit';
import { trainerConfigSchema } from '@seamstream/trainer';

const servicesSchema = generatorConfigSchema.extend(executorConfigSchema.shape).extend(trainerConfigSchema.shape);

describe.each(RESTEM_PRESETS)('the preset %s', (name) => {
  const { generator, executor, trainer, entrySchemas } = loadConfig(servicesSchema, { SEAM_PRESET: name });

  it('lets generator, executor and evaluations speak of the same entries', () => {
    const isArc = name.endsWith('arc');
    const environment = isArc ? 'few-shot-lora-update' : 'inner-lora-update';
    expect(entrySchemas).toMatch(isArc ? /^tool-configuration$/ : /^self-edit\//);
    const { innerUpdate, fewShot } = trainer.executor;
    expect(trainer.executor.environment).toBe(environment);
    expect(executor).toMatchObject({ environment, innerUpdate, fewShot });
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

it("seal-paper-arc has its authors' values", () => {
  const { generator, executor } = loadConfig(servicesSchema, { SEAM_PRESET: 'seal-paper-arc' });
  expect(generator).toMatchObject({ groupSize: 15, sampling: { temperature: 0.8, maxTokens: 128 } });
  expect(executor).toMatchObject({
    ...{ chatTemplate: 'none', innerUpdate: { rank: 128, alpha: 16 }, fewShot: { maxExamples: 250 } },
  });
  const trainer = presetNamed('seal-paper-arc').algorithms['rest-em']!;
  expect(resolveRestEm({ trainer, preset: 'seal-paper-arc' })).toMatchObject({
    ...{ iterations: 1, passages: 11 },
    algorithm: {
      ...{ keep: 'solved', batchSize: 5, duration: { unit: 'epochs', epochs: 8 }, learningRate: { peak: 5e-5 } },
      trainable: { kind: 'lora', rank: 16, alpha: 16 },
    },
  });
});
