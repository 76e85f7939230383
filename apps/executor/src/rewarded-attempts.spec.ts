/** What outcomes record under a configured reward, from the service's handler down to an environment that is counted. */
import { type AttemptRequest, Environment, type ExecutorAnswer } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { configuredReward, judgeAll, type RewardChoice } from '@seamstream/rollout';
import { builtInVerifiers, type Verifiers } from '@seamstream/verifiers';
import { RewardedAttempts, type TriedEntry } from './rewarded-attempts.js';

describe('attempts under a reward', () => {
  it('ask the frozen model once a problem, and not at all for a reward that compares with nothing', async () => {
    const environment = new Counted();
    const attempts = of(environment, { kind: 'accuracy-gain', form: 'continuous' });
    await attempts.attempt([edit('a', 0), edit('a', 1), edit('b', 0)], {});
    await attempts.attempt([edit('a', 2)], {});
    expect(environment.asked.filter(({ entry }) => entry === null).map(({ problem }) => problem.problemId)).toEqual([
      'a',
      'b',
    ]);
    const alone = new Counted();
    await of(alone, { kind: 'accuracy', form: 'binary' }).attempt([edit('a', 0)], {});
    expect(alone.asked).toHaveLength(1);
  });

  it('earn the gain over the frozen model, which the record states', async () => {
    const attempts = of(new Counted(), { kind: 'accuracy-gain', form: 'continuous' });
    expect(await measured(attempts, edit('a', 1))).toMatchObject({
      ...{ reward: 'accuracy-gain@1', form: 'continuous', threshold: 0 },
      ...{ value: 0.5, earned: 0.5, accuracyBefore: 0.5, accuracyAfter: 1, lossBefore: null },
    });
    // The frozen model itself, in the control arm, has gained nothing.
    expect(await measured(attempts, { ...edit('a', 1), entry: null })).toMatchObject({ value: 0, earned: 0 });
  });

  it('measure losses by an examination that shows the environment no reference', async () => {
    const environment = new Counted();
    const attempts = of(environment, { kind: 'perplexity', form: 'binary' });
    expect(await measured(attempts, edit('a', 1))).toMatchObject({ earned: 1, lossBefore: 3, lossAfter: 1 });
    for (const { problem, examination } of environment.asked) {
      expect(Object.keys(problem)).not.toContain('reference');
      expect(JSON.stringify(examination)).not.toContain('one');
    }
  });

  it('are not rewarded for a gain of which two revisions of a judge say before and after', async () => {
    const attempts = of(new Counted(), { kind: 'accuracy-gain', form: 'continuous' }, verifiersOf('fp_1'));
    expect(await measured(attempts, edit('a', 1), verifiersOf('fp_1'))).toMatchObject({ value: 0.5 });
    await expect(measured(attempts, edit('a', 1), verifiersOf('fp_2'))).rejects.toMatchObject({
      code: 'VERIFIER_FAILED',
      message: expect.stringContaining('expected one revision of the model that judges'),
    });
    // A verdict for which no model was asked goes with any.
    expect(await measured(attempts, edit('a', 1))).toMatchObject({ value: 0.5 });
    // One that rests on several revisions goes with none: its equal may rest on other shares of them.
    const mixed = verifiersOf('fp_1, fp_2');
    const mixes = of(new Counted(), { kind: 'accuracy-gain', form: 'continuous' }, mixed);
    for (const verifiers of [mixed, builtInVerifiers])
      await expect(measured(mixes, edit('a', 1), verifiers)).rejects.toMatchObject({ code: 'VERIFIER_FAILED' });
  });

  it('fail with the frozen attempt, which is asked again, and earn no reward of 0 by it', async () => {
    const environment = new Counted();
    environment.fails = true;
    const attempts = of(environment, { kind: 'accuracy-gain', form: 'binary' });
    expect(await attempts.attempt([edit('a', 1)], {})).toMatchObject([[{ status: 'failed', code: 'SESSION_FAILED' }]]);
    environment.fails = false;
    expect(await measured(attempts, edit('a', 1))).toMatchObject({ earned: 1 });
  });

  it('earn 0 where the edit could not be trained on', async () => {
    const attempts = of(new Counted(), { kind: 'validation-loss', form: 'continuous' });
    expect(await measured(attempts, edit('a', 9))).toMatchObject({ value: null, earned: 0, lossBefore: 3 });
  });

  it('keep the frozen answers to a thousand problems, and forget the oldest', async () => {
    const environment = new Counted();
    const attempts = of(environment, { kind: 'accuracy-gain', form: 'binary' });
    const frozen = () => environment.asked.filter(({ entry }) => entry === null).length;
    for (let at = 0; at < 1_024; at += 256)
      await attempts.attempt(
        Array.from({ length: 256 }, (_, i) => edit(`p${at + i}`, 1)),
        {},
      );
    await attempts.attempt([edit('p1024', 1)], {});
    await attempts.attempt([edit('p1023', 2)], {});
    expect(frozen()).toBe(1_025);
    await attempts.attempt([edit('p0', 2)], {});
    expect(frozen()).toBe(1_026);
  });

  it('keep what a batch needs, however many problems it has', async () => {
    const environment = new Counted();
    const attempts = of(environment, { kind: 'accuracy-gain', form: 'binary' });
    const many = Array.from({ length: 1_500 }, (_, at) => edit(`p${at}`, 1));
    for (const batch of [many, many.slice(0, 700)]) {
      const answers = await attempts.attempt(batch, {});
      for (const at of [0, batch.length - 1])
        expect(await rewardOf(attempts, batch[at]!, answers[at]!)).toMatchObject({ earned: 1 });
    }
    expect(environment.asked.filter(({ entry }) => entry === null)).toHaveLength(many.length);
  });
});

/** The frozen model has the first answer right; with an entry of 1 both, with one of 9 nothing can be trained. */
class Counted extends Environment {
  override readonly examines = true;
  readonly asked: AttemptRequest[] = [];
  fails = false;
  readonly identity = { model: 'fake', revision: '1', decoding: '{}', template: 't' };

  override async attempt(requests: readonly AttemptRequest[]) {
    this.asked.push(...requests);
    return Promise.all(requests.map(async (request) => [await this.answer(request)]));
  }

  override drawn(): null {
    return null;
  }

  override givesAnswerAway(): boolean {
    return false;
  }

  private async answer({ entry, examination }: AttemptRequest): Promise<ExecutorAnswer> {
    if (entry === null && this.fails)
      return { status: 'failed', code: 'SESSION_FAILED', reason: 'lost', retryable: true };
    const common = { status: 'answered', finished: true, promptTokens: 0, responseTokens: 0 } as const;
    if (entry?.includes('9'))
      return { ...common, text: '', refused: { reason: 'untrainable', detail: 'too many steps' } };
    const isTrained = entry?.includes('1') === true;
    const figures = await examination?.figures((texts) =>
      Promise.resolve(texts.map(() => ({ logLikelihood: isTrained ? -1 : -3, tokens: 1 }))),
    );
    const text = isTrained ? '1: one\n2: two' : '1: one\n2: three';
    return { ...common, text, ...(figures === undefined ? {} : { figures }) };
  }
}

function of(environment: Environment, choice: RewardChoice, verifiers = builtInVerifiers): RewardedAttempts {
  return new RewardedAttempts(environment, verifiers, configuredReward(choice, { environment }));
}

/** Verdicts as this revision of a model gives them. */
function verifiersOf(revision: string): Verifiers {
  const verify: Verifiers['verify'] = async (...asked) => ({
    ...(await builtInVerifiers.verify(...asked)),
    judgedBy: { model: 'judge', revision },
  });
  return Object.assign(Object.create(builtInVerifiers) as Verifiers, { verify });
}

function edit(problemId: string, n: number): TriedEntry {
  const problem = {
    ...{ problemId, domain: 'd', prompt: 'p', reference: '["one","two"]' },
    verifier: { kind: 'passage', version: '1', options: { answers: 'exact' } },
  } as unknown as Problem;
  return { problem, entry: JSON.stringify({ edit: `edit ${n}` }), seed: `${problemId}/${n}` };
}

async function measured(attempts: RewardedAttempts, tried: TriedEntry, verifiers = builtInVerifiers) {
  const [answers] = await attempts.attempt([tried], {});
  return rewardOf(attempts, tried, answers!, verifiers);
}

async function rewardOf(
  attempts: RewardedAttempts,
  tried: TriedEntry,
  answers: readonly ExecutorAnswer[],
  verifiers = builtInVerifiers,
) {
  const responses = answers.filter((answer) => answer.status === 'answered');
  return attempts.measure(tried, responses, await judgeAll(tried.problem, responses, verifiers));
}
