import { type Environment, type ExecutorResponse, PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import { loadPrompts } from '@seamstream/experience';
import fc from 'fast-check';
import { configuredReward, examinationOf, measurementOf, type RewardChoice } from '../index.js';
import { REWARD_KINDS } from './reward.config.js';
import type { Measurement } from './reward.types.js';

const COMPUTED = REWARD_KINDS.filter((kind) => kind !== 'verdict' && kind !== 'http');
const ATTEMPT = { problemId: 'p', domain: 'd', entry: '{"edit":"x"}', response: '1: x' };
/** All that is asked of an environment before anything runs. */
const examining = { examines: true };
const rewardOf = (choice: RewardChoice) => configuredReward(choice, { environment: examining })!;
const earned = async (choice: RewardChoice, before: Measurement | null, after: Measurement | null): Promise<number> =>
  (await rewardOf(choice).measure({ before, after }, ATTEMPT)).earned;
const measured = (accuracy: number, loss: number): Measurement => ({ accuracy, loss });

const measurement = fc.record({
  accuracy: fc.double({ min: 0, max: 1, noNaN: true }),
  loss: fc.double({ min: 0, max: 300, noNaN: true }),
});
const choice = fc.record({
  kind: fc.constantFrom(...COMPUTED),
  form: fc.constantFrom('binary' as const, 'continuous' as const),
  threshold: fc.option(fc.oneof(fc.constant('auto' as const), fc.double({ min: 0.01, max: 20, noNaN: true })), {
    nil: undefined,
  }),
});

describe('a reward', () => {
  it('is from 0 to 1, and 0 or 1 where it is binary, for all measurements', () =>
    fc.assert(
      fc.asyncProperty(choice, measurement, measurement, async (chosen, before, after) => {
        const reward = await earned(chosen, before, after);
        expect(reward).toBeGreaterThanOrEqual(0);
        expect(reward).toBeLessThanOrEqual(1);
        if (chosen.form === 'binary') expect([0, 1]).toContain(reward);
      }),
    ));

  it('is never less for a better model, by the same threshold', () =>
    fc.assert(
      fc.asyncProperty(choice, measurement, measurement, measurement, async (chosen, before, one, other) => {
        const better = measured(Math.max(one.accuracy, other.accuracy), Math.min(one.loss, other.loss));
        const worse = measured(Math.min(one.accuracy, other.accuracy), Math.max(one.loss, other.loss));
        expect(await earned(chosen, before, better)).toBeGreaterThanOrEqual(await earned(chosen, before, worse));
      }),
    ));

  it('is 0 for a model that is as the frozen one, where that is the threshold', () =>
    fc.assert(
      fc.asyncProperty(choice, measurement, async (chosen, same) => {
        expect(await earned({ ...chosen, threshold: 'auto' }, same, same)).toBe(0);
        expect(await earned({ kind: 'accuracy-gain', form: 'continuous' }, same, same)).toBe(0);
      }),
    ));

  it('follows from its figures alone: the recorded ones give it again', () =>
    fc.assert(
      fc.asyncProperty(choice, measurement, measurement, async (chosen, before, after) => {
        const record = await rewardOf(chosen).measure({ before, after }, ATTEMPT);
        const again = await rewardOf({ ...chosen, threshold: chosen.threshold ?? undefined }).measure(
          {
            before: { accuracy: record.accuracyBefore!, loss: record.lossBefore },
            after: { accuracy: record.accuracyAfter!, loss: record.lossAfter },
          },
          ATTEMPT,
        );
        expect(again).toEqual(record);
      }),
    ));

  it.each<[RewardChoice['kind'], number | 'auto' | undefined, number, number]>([
    // Before: half is right, a loss of 2 nats. After: three quarters, 1 nat.
    ['accuracy-gain', undefined, 1, 0.25],
    ['accuracy-gain', 0.25, 0, 0],
    ['accuracy', undefined, 0, 0],
    ['accuracy', 0.75, 1, 0.75],
    ['accuracy', 'auto', 1, 0.75],
    ['validation-loss', undefined, 1, 0.5],
    ['validation-loss', 1, 0, 0],
    ['validation-loss', 4, 1, 0.75],
    ['perplexity', undefined, 1, 1 - Math.exp(-1)],
    ['perplexity', 2, 0, 0],
    ['perplexity', 2 * Math.E, 1, 0.5],
  ])('%s with threshold %s earns %s, continuously %s', async (kind, threshold, binary, continuous) => {
    const [before, after] = [measured(0.5, 2), measured(0.75, 1)];
    expect(await earned({ kind, threshold, form: 'binary' }, before, after)).toBe(binary);
    expect(await earned({ kind, threshold, form: 'continuous' }, before, after)).toBeCloseTo(continuous, 12);
  });

  it('is 0 for an edit that could not be trained on, and an error for what could not be measured', async () => {
    const frozen = measured(0.5, 2);
    for (const kind of COMPUTED) {
      expect(await earned({ kind, form: 'binary', threshold: 'auto' }, frozen, null)).toBe(0);
      for (const after of [measured(Number.NaN, 1), ...(kind.startsWith('acc') ? [] : [measured(1, Number.NaN)])])
        await expect(earned({ kind, form: 'continuous' }, frozen, after)).rejects.toMatchObject({
          code: 'VERIFIER_FAILED',
        });
    }
    for (const kind of ['validation-loss', 'perplexity'] as const)
      await expect(
        earned({ kind, form: 'binary', threshold: 'auto' }, measured(0.5, Number.NaN), frozen),
      ).rejects.toMatchObject({ code: 'VERIFIER_FAILED' });
    for (const accuracy of [1.5, -0.5])
      await expect(earned({ kind: 'accuracy', form: 'binary' }, frozen, measured(accuracy, 1))).rejects.toMatchObject({
        code: 'VERIFIER_FAILED',
      });
    for (const loss of [null, Number.POSITIVE_INFINITY, -1])
      await expect(earned({ kind: 'perplexity', form: 'binary' }, frozen, { accuracy: 1, loss })).rejects.toMatchObject(
        { code: 'VERIFIER_FAILED', retryable: true },
      );
  });

  it('is refused at the start where the environment cannot measure it, or a part of it is missing', async () => {
    const environment = new PromptInjection(new FakeExecutor(() => ''), await loadPrompts());
    const open =
      (choice: RewardChoice, of: Pick<Environment, 'examines'> = environment) =>
      () =>
        configuredReward(choice, { environment: of });
    expect(open({ kind: 'perplexity', form: 'binary' })).toThrow(/SEAM_EXECUTOR_ENVIRONMENT to inner-lora-update/);
    expect(open({ kind: 'http', form: 'binary' })).toThrow(/SEAM_EXECUTOR_REWARD_ENDPOINT_URL/);
    expect(open({ kind: 'validation-loss', form: 'binary', threshold: 0 }, examining)).toThrow(/above 0/);
    expect(open({ kind: 'verdict', form: 'binary' })()).toBeUndefined();
    expect(open({ kind: 'accuracy-gain', form: 'binary' })()).toBeDefined();
  });
});

describe('an examination', () => {
  const reference = JSON.stringify([['Paris', 'paris'], 'Rome']);

  it('measures the loss of gold answers over all of their tokens', async () => {
    const asked: string[][] = [];
    const figures = await examinationOf({ problemId: 'p', reference }).figures((texts) => {
      asked.push([...texts]);
      return Promise.resolve([
        { logLikelihood: -6, tokens: 3 },
        { logLikelihood: -2, tokens: 1 },
      ]);
    });
    expect(asked).toEqual([['Paris', 'Rome']]);
    expect(measurementOf([answered({ figures })], 0.5)).toEqual({ accuracy: 0.5, loss: 2 });
  });

  it('is refused for a problem without gold answers', () => {
    for (const text of ['4', null, '[]'])
      expect(() => examinationOf({ problemId: 'p', reference: text })).toThrow(/expected a passage with a gold answer/);
  });

  it('counts answers of trained models alone; an experience that could not act has no measurement', () => {
    const [good, refused] = [
      answered({ figures: { goldLoss: 1 } }),
      answered({ refused: { reason: 'untrainable', detail: 'too many steps' } }),
    ];
    expect(measurementOf([good, refused], 0.5)).toEqual({ accuracy: 0.5, loss: 1 });
    expect(measurementOf([refused], 0)).toBeNull();
    expect(measurementOf([answered({})], 1)).toEqual({ accuracy: 1, loss: null });
  });
});

function answered(more: Partial<ExecutorResponse>): ExecutorResponse {
  return { status: 'answered', text: '', finished: true, promptTokens: 0, responseTokens: 0, ...more };
}
