/** Services without a configured model folder find the shipped ones, seen from the root of a clone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { executorConfigSchema } from '@seamstream/executor';
import { generatorConfigSchema } from '@seamstream/generator';
import { loadConfig } from '@seamstream/service-kit';
import { trainerConfigSchema } from '@seamstream/trainer';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the default model folders', () => {
  const { generator } = loadConfig(generatorConfigSchema, {});
  const { executor } = loadConfig(executorConfigSchema, {});
  const { trainer } = loadConfig(trainerConfigSchema, {});

  it.each([generator.modelFolder, executor.modelFolder, trainer.executorFolder])('%s holds a model', (folder) => {
    expect(existsSync(join(ROOT, folder, 'config.json'))).toBe(true);
    expect(existsSync(join(ROOT, folder, 'model.safetensors'))).toBe(true);
  });

  it('are one base model for generator and trainer', () => {
    expect(trainer.modelFolder).toBe(generator.modelFolder);
  });
});
