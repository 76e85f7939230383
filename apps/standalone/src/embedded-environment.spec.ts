import { executorConfigSchema } from '@seamstream/executor';
import { variableNames } from '@seamstream/service-kit';
import { trainerConfigSchema } from '@seamstream/trainer';
import { embeddedEnvironment, shippedModels } from './embedded-environment.js';

const settings = { dataFolder: 'data', seed: 3, roundSize: 8, algorithm: 'sft' };

describe('the settings of the embedded loop', () => {
  it('are the shipped models’ where nothing is said', () => {
    expect(embeddedEnvironment(settings, {})).toMatchObject({
      SEAM_TRAINER_SEED: 'seamstream/3',
      SEAM_EXECUTOR_MAX_TOKENS: '40',
      SEAM_TRAINER_RESPONSE_MAX_TOKENS: '40',
      SEAM_TRAINER_VALIDATION_PROBLEMS: 'data/world/validation.jsonl',
    });
    expect(shippedModels({})).toEqual({ generator: true, executor: true });
  });

  it('hands the trainer the settings of generator and executor, unless the trainer has other values', () => {
    const said = {
      SEAM_GENERATOR_MODEL_FOLDER: '/models/qwen',
      SEAM_EXECUTOR_DRIVER: 'endpoint',
      SEAM_EXECUTOR_ENDPOINT_URL: 'http://localhost:8000/v1',
      SEAM_EXECUTOR_JUDGE_MODEL: 'words-judge',
      SEAM_EXECUTOR_MAX_TOKENS: '512',
    };
    expect(embeddedEnvironment(settings, said)).toMatchObject({
      SEAM_TRAINER_MODEL_FOLDER: '/models/qwen',
      SEAM_TRAINER_EXECUTOR_DRIVER: 'endpoint',
      SEAM_TRAINER_EXECUTOR_ENDPOINT_URL: 'http://localhost:8000/v1',
      SEAM_TRAINER_EXECUTOR_JUDGE_MODEL: 'words-judge',
      SEAM_TRAINER_RESPONSE_MAX_TOKENS: '512',
    });
    const own = { ...said, SEAM_TRAINER_MODEL_FOLDER: '/models/other' };
    expect(embeddedEnvironment(settings, own).SEAM_TRAINER_MODEL_FOLDER).toBe('/models/other');
    expect(shippedModels(said)).toEqual({ generator: false, executor: false });
  });

  it('hands the trainer each setting of the executor that both have', () => {
    const trainers = new Set(variableNames(trainerConfigSchema));
    const both = variableNames(executorConfigSchema).filter(
      (name) => name.startsWith('SEAM_EXECUTOR_') && trainers.has(name.replace('SEAM_', 'SEAM_TRAINER_')),
    );
    expect(both).toContain('SEAM_EXECUTOR_TOOLS_SERVERS');
    const environment = embeddedEnvironment(
      settings,
      Object.fromEntries(both.map((name) => [name, `value of ${name}`])),
    );
    for (const name of both) expect(environment[name.replace('SEAM_', 'SEAM_TRAINER_')]).toBe(`value of ${name}`);
  });

  it('leave other executors their own limit of tokens', () => {
    const environment = embeddedEnvironment(settings, { SEAM_EXECUTOR_MODEL_FOLDER: '/models/own' });
    expect(environment.SEAM_EXECUTOR_MAX_TOKENS).toBeUndefined();
    expect(environment.SEAM_TRAINER_RESPONSE_MAX_TOKENS).toBeUndefined();
    expect(environment.SEAM_TRAINER_EXECUTOR_FOLDER).toBe('/models/own');
  });

  it('compare adapters on one’s own file where there is one', () => {
    const own = embeddedEnvironment({ ...settings, validation: '/mine/v.jsonl' }, {});
    expect(own.SEAM_TRAINER_VALIDATION_PROBLEMS).toBe('/mine/v.jsonl');
  });
});
