/** Which setting to correct where a folder has no model: every service has a setting for its model, and the trainer two. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryEventLog } from '@seamstream/event-log';
import { executorConfigSchema, executorService } from '@seamstream/executor';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { InMemoryObjectStore } from '@seamstream/object-store';
import {
  type CommonConfig,
  type Environment,
  loadConfig,
  type ServiceDefinition,
  startService,
} from '@seamstream/service-kit';
import { trainerConfigSchema, trainerService } from '@seamstream/trainer';

let folder: string;
let problems: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-folders-'));
  problems = join(folder, 'problems.jsonl');
  // As many as a promotion can be decided on.
  await writeFile(problems, '{"prompt":"2+3?","reference":"5"}\n'.repeat(12));
});
afterAll(() => rm(folder, { recursive: true }));

const generator = (environment: Environment) =>
  start(generatorService(), loadConfig(generatorConfigSchema, environment));
const executor = (environment: Environment) => start(executorService(), loadConfig(executorConfigSchema, environment));
const trainer = (environment: Environment) => start(trainerService(), loadConfig(trainerConfigSchema, environment));

describe('a folder without a model', () => {
  it.each([
    ['SEAM_GENERATOR_MODEL_FOLDER', generator],
    ['SEAM_EXECUTOR_MODEL_FOLDER', executor],
    ['SEAM_TRAINER_MODEL_FOLDER', trainer],
    ['SEAM_TRAINER_EXECUTOR_FOLDER', trainer],
  ] as const)('is named with its setting: %s', async (setting, serve) => {
    await expect(
      serve({
        SEAM_LOGGING_LEVEL: 'silent',
        SEAM_TRAINER_VALIDATION_PROBLEMS: problems,
        [setting]: folder,
      }),
    ).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: `Cannot load a checkpoint: config.json is missing in ${folder}: expected a model folder as Hugging Face publishes it. Correct ${setting}, or the folder that it names: ${folder}.`,
      details: { file: 'config.json', setting },
    });
  });
});

async function start<C extends CommonConfig>(service: ServiceDefinition<C>, config: C): Promise<void> {
  const drivers = { log: new InMemoryEventLog(), objects: new InMemoryObjectStore() };
  const running = await startService(service, { config, drivers, serveHttp: false });
  await running.close();
}
