import { checkJsonSchema, isWritten, type JsonSchema } from '@seamstream/token-grammar';
import fc from 'fast-check';
import {
  familiesOf,
  plannedSteps,
  readToolConfiguration,
  STRATEGIES,
  type ToolConfiguration,
  toolConfigurationJsonSchema,
} from './tool-configuration.js';

const SCHEMA = toolConfigurationJsonSchema() as JsonSchema;
const CONFIGURATION: ToolConfiguration = {
  data_generation: {
    use_basic_augmentations: true,
    use_size_augmentations: false,
    use_chain_augmentations: false,
    use_repeat_augmentations: true,
  },
  training: { strategy: 'train_using_output_tokens', learning_rate: 1e-4, num_train_epochs: 2 },
};

const withTraining = (training: object): string =>
  JSON.stringify({ ...CONFIGURATION, training: { ...CONFIGURATION.training, ...training } });

describe('a tool configuration', () => {
  it('is read from the text of a model', () => {
    expect(readToolConfiguration(` ${JSON.stringify(CONFIGURATION, null, 2)}\n`)).toEqual({ value: CONFIGURATION });
    expect(familiesOf(CONFIGURATION)).toEqual(['basic', 'repeat']);
  });

  it('can be written under its JSON Schema with all values within the bounds', () => {
    checkJsonSchema(SCHEMA);
    const configurations = fc.record({
      data_generation: fc.record({
        use_basic_augmentations: fc.boolean(),
        use_size_augmentations: fc.boolean(),
        use_chain_augmentations: fc.boolean(),
        use_repeat_augmentations: fc.boolean(),
      }),
      training: fc.record({
        strategy: fc.constantFrom(...STRATEGIES),
        learning_rate: fc.constantFrom(1e-6, 0.00002, 1e-4, 0.0035, 0.01),
        num_train_epochs: fc.integer({ min: 1, max: 375 }),
      }),
    });
    fc.assert(
      fc.property(configurations, (configuration) => {
        const text = JSON.stringify(configuration);
        expect(isWritten(SCHEMA, text)).toBe(true);
        expect(readToolConfiguration(text).value).toEqual(configuration);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['Use all of them!', 'not-json', 'expected one JSON object, got "Use all of them!"'],
    ['', 'not-json', 'got ""'],
    ['[]', 'invalid-configuration', 'expected object'],
    ['{}', 'invalid-configuration', 'data_generation'],
    [withTraining({ strategy: 'train_using_input_tokens' }), 'unknown-strategy', 'training.strategy'],
    [withTraining({ strategy: undefined }), 'unknown-strategy', 'training.strategy'],
    [withTraining({ strategy: 'none', num_train_epochs: 0 }), 'invalid-configuration', 'training.num_train_epochs'],
    [withTraining({ num_train_epochs: 0 }), 'invalid-configuration', 'training.num_train_epochs'],
    [withTraining({ num_train_epochs: 376 }), 'invalid-configuration', 'training.num_train_epochs'],
    [withTraining({ num_train_epochs: 1.5 }), 'invalid-configuration', 'training.num_train_epochs'],
    [withTraining({ learning_rate: 0 }), 'invalid-configuration', 'training.learning_rate'],
    [withTraining({ learning_rate: 0.1 }), 'invalid-configuration', 'training.learning_rate'],
    [withTraining({ learning_rate: '1e-4' }), 'invalid-configuration', 'training.learning_rate'],
    [withTraining({ batch_size: 8 }), 'invalid-configuration', 'batch_size'],
  ])('%j is a failure of the edit: %s', (text, reason, detail) => {
    const { failure } = readToolConfiguration(text);
    expect(failure).toMatchObject({ reason });
    expect(failure!.detail).toContain(detail);
    expect(isWritten(SCHEMA, text)).toBe(false);
  });
});

it('a failure is described on one line of bounded length', () => {
  const { failure } = readToolConfiguration(JSON.stringify({ [`new\nfield ${'x'.repeat(10_000)}`]: 1 }));
  expect(failure!.detail).not.toContain('\n');
  expect(failure!.detail).toHaveLength(300);
});

describe('the steps of a training', () => {
  const epochs = (num_train_epochs: number): ToolConfiguration => ({
    ...CONFIGURATION,
    training: { ...CONFIGURATION.training, num_train_epochs },
  });

  it('are whole batches of two, once per epoch', () => {
    expect(plannedSteps(10, epochs(3))).toEqual({ value: 15 });
    expect(plannedSteps(11, epochs(3))).toEqual({ value: 18 });
    expect(plannedSteps(1, epochs(1))).toEqual({ value: 1 });
  });

  it('may be 375; one more is a failure of the edit, and so is a training without an example', () => {
    expect(plannedSteps(250, epochs(3))).toEqual({ value: 375 });
    expect(plannedSteps(2, epochs(375))).toEqual({ value: 375 });
    expect(plannedSteps(250, epochs(4)).failure).toEqual({
      reason: 'too-many-steps',
      detail: 'expected at most 375 steps, got 500: 4 epochs of 250 examples, 2 per step',
    });
    expect(plannedSteps(94, epochs(8)).failure).toMatchObject({ reason: 'too-many-steps' });
    expect(plannedSteps(0, epochs(1)).failure).toMatchObject({ reason: 'no-example' });
  });
});
