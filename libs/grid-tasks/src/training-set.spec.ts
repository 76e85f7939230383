import fc from 'fast-check';
import type { GridPair } from './grid-task.js';
import { anyPairs } from './testing.js';
import type { ToolConfiguration } from './tool-configuration.js';
import { leaveOut, type TrainingSetSettings, trainingSet } from './training-set.js';

const pair = (input: number, output: number): GridPair => ({ input: [[input]], output: [[output]] });
const PAIRS = [pair(1, 2), pair(3, 4), pair(5, 6)];
const SETTINGS: TrainingSetSettings = { seed: 'a', countTokens: (text) => text.length };

function configured(families: string, strategy: ToolConfiguration['training']['strategy']): ToolConfiguration {
  return {
    data_generation: {
      use_basic_augmentations: families.includes('basic'),
      use_size_augmentations: families.includes('size'),
      use_chain_augmentations: families.includes('chain'),
      use_repeat_augmentations: families.includes('repeat'),
    },
    training: { strategy, learning_rate: 1e-4, num_train_epochs: 1 },
  };
}
const PLAIN = configured('', 'train_using_output_tokens');
const ALL = configured('basic size chain repeat', 'train_using_output_tokens');

describe('leaving out', () => {
  it('asks for each pair with all others shown, and with all others but one', () => {
    const tasks = leaveOut(PAIRS).map(({ shown, asked }) => [
      shown.map(({ input }) => input[0]![0]),
      asked.input[0]![0],
    ]);
    expect(tasks).toEqual([
      [[3, 5], 1],
      [[5], 1],
      [[3], 1],
      [[1, 5], 3],
      [[5], 3],
      [[1], 3],
      [[1, 3], 5],
      [[3], 5],
      [[1], 5],
    ]);
  });

  it('shows at least one pair', () => {
    expect(leaveOut(PAIRS.slice(0, 1))).toEqual([]);
    expect(leaveOut(PAIRS.slice(0, 2))).toHaveLength(2);
    expect(leaveOut([])).toEqual([]);
  });
});

describe('a training set', () => {
  it('has the tasks as text, in an order of its seed, and once more with the order of pairs changed', () => {
    const { examples, left } = trainingSet(PAIRS, PLAIN, SETTINGS);
    const plain = examples.filter(({ isPermuted }) => !isPermuted).map(({ text }) => text);
    // Where one pair is shown, there is one order; colours of a permuted copy change, and so most copies differ.
    expect(plain).toContain('Input:\n3\nOutput:\n4\n\nInput:\n5\nOutput:\n6\n\nInput:\n1\nOutput:\n2\n\n');
    expect(plain.length + left.duplicates).toBeGreaterThanOrEqual(9);
    expect(examples.length + left.duplicates).toBe(18);
    expect(new Set(examples.map(({ text }) => text)).size).toBe(examples.length);
    expect(examples.every(({ augmentation }) => augmentation === 'identity')).toBe(true);
  });

  it('puts the loss on the answer, or on everything, as the strategy says', () => {
    const losses = (strategy: ToolConfiguration['training']['strategy']) =>
      trainingSet(PAIRS, configured('', strategy), SETTINGS).examples.map(({ text, loss }) =>
        text.slice(loss.begin, loss.end),
      );
    for (const answer of losses('train_using_output_tokens')) expect(answer).toMatch(/^\d\n\n$/);
    const whole = trainingSet(PAIRS, PLAIN, SETTINGS).examples.map(({ text }) => text);
    expect(losses('train_using_all_tokens')).toEqual(whole);
  });

  it('uses each augmentation of a family that is on, and no other', () => {
    const names = (families: string) =>
      new Set(
        trainingSet(PAIRS, configured(families, 'train_using_output_tokens'), {
          ...SETTINGS,
          maxExamples: 10_000,
        }).examples.map(({ augmentation }) => augmentation),
      );
    expect(names('size')).toEqual(new Set(['identity', 'double-resolution', 'double-height', 'double-width']));
    expect(names('repeat')).toEqual(new Set(['identity', 'repeat-down', 'repeat-right', 'repeat-both']));
  });

  it('has equal examples once', () => {
    const basic = configured('basic', 'train_using_output_tokens');
    const { examples, left } = trainingSet(PAIRS, basic, { ...SETTINGS, maxExamples: 1e6 });
    const texts = examples.filter(({ isPermuted }) => !isPermuted).map(({ text }) => text);
    // Of one cell, turns and the shift change nothing, and mirrors to either side are equal: 9 tasks, plain, taller and wider.
    expect(texts).toHaveLength(27);
    expect(new Set(texts).size).toBe(27);
    expect(examples.length + left.duplicates).toBe(9 * 12 * 2);
  });

  it('has at most so many examples, each with at most so many tokens', () => {
    const pairs = Array.from({ length: 6 }, (_, index) => pair(index, index + 1));
    const full = trainingSet(pairs, ALL, SETTINGS);
    expect(full.examples).toHaveLength(250);
    expect(full.left.overCap).toBeGreaterThan(0);
    const short = trainingSet(pairs, ALL, { ...SETTINGS, maxTokens: 120, maxExamples: 1e6 });
    expect(short.examples.every(({ numTokens, text }) => numTokens === text.length && numTokens <= 120)).toBe(true);
    expect(short.left.tooLong).toBeGreaterThan(0);
  });

  it('leaves out what would have a side over 30', () => {
    const tall = Array.from({ length: 20 }, (_, row) => [row % 10]);
    const pairs = [pair(1, 2), pair(3, 4), { input: tall, output: [[5]] }];
    const { examples, left } = trainingSet(pairs, configured('size', 'train_using_all_tokens'), {
      ...SETTINGS,
      maxExamples: 1e6,
    });
    // Resolution and height, in 7 of the 9 tasks, permuted or not.
    expect(left.tooLarge).toBe(2 * 7 * 2);
    expect(examples.some(({ augmentation }) => augmentation === 'double-width')).toBe(true);
  });

  it('is the same for the same seed, and accounts for every candidate', () => {
    fc.assert(
      fc.property(anyPairs(0, 4), fc.string(), (pairs, seed) => {
        const settings = { ...SETTINGS, seed, maxExamples: 40 };
        const made = trainingSet(pairs, ALL, settings);
        expect(trainingSet(pairs, ALL, settings)).toEqual(made);
        const { tooLarge, tooLong, duplicates, overCap } = made.left;
        const numTasks = leaveOut(pairs).length;
        expect(made.examples.length + tooLarge + tooLong + duplicates + overCap).toBe(numTasks * 24 * 2);
        expect(made.examples.every(({ text, loss }) => 0 < loss.begin && loss.end === text.length)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('changes with its seed', () => {
    const of = (seed: string) => trainingSet(PAIRS, ALL, { ...SETTINGS, seed }).examples.map(({ text }) => text);
    expect(of('a')).not.toEqual(of('b'));
  });
});
