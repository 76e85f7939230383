import fc from 'fast-check';
import {
  curriculumConfigSchema,
  decideAlgorithm,
  evolveCurriculum,
  initialCurriculum,
  type ResultEvent,
} from './index.js';

const config = curriculumConfigSchema.parse({});

/** Results of a round as far as the curriculum reads them. */
const round = (
  rates: Readonly<Record<string, readonly [solved: number, judged: number]>>,
  arm = 'explore',
): ResultEvent[] =>
  Object.entries(rates).flatMap(([domain, [solved, judged]]) =>
    Array.from(
      { length: judged },
      (_, i) =>
        ({
          type: 'OutcomeRecorded',
          meta: { messageId: `${domain} ${arm} ${i}` },
          experienceId: `${domain} ${arm} ${i}`,
          arm,
          problem: { domain },
          success: i < solved,
        }) as ResultEvent,
    ),
  );

const after = (...rounds: readonly ResultEvent[][]) =>
  rounds.reduce((state, results) => evolveCurriculum(state, results, config), initialCurriculum);

describe('the curriculum', () => {
  it('R07: counts a result once, however often it is reported', () => {
    const results = round({ timber: [3, 10] });
    expect(after([...results, ...results.slice(0, 5)])).toEqual(after(results));
  });

  it('counts of an entry that was judged twice the verdict that is learned from', () => {
    const results = round({ timber: [5, 10] });
    const [first] = results;
    const again = { ...first, meta: { messageId: 'z' }, success: false } as ResultEvent;
    expect(after([...results, again])).toEqual(after(results));
    expect(after([again, ...results])).toEqual(after(results));
  });

  it('imitates before anything is known and while exploration mostly fails', () => {
    expect(decideAlgorithm(initialCurriculum, config, []).algorithm).toBe('sft');
    expect(decideAlgorithm(after(round({ timber: [1, 10] })), config, [])).toEqual({
      algorithm: 'sft',
      reason: 'explored success 10.0 % (overall), threshold 50.0 %: imitate successes',
    });
  });

  it('compares within groups once exploration succeeds often enough', () => {
    expect(decideAlgorithm(after(round({ timber: [6, 10] })), config, []).algorithm).toBe('grpo');
  });

  it('judges by a running mean, so that one lucky round decides nothing', () => {
    const state = after(round({ timber: [2, 10] }), round({ timber: [7, 10] }));
    expect(state.overall).toBeCloseTo(0.45, 12);
    expect(decideAlgorithm(state, config, []).algorithm).toBe('sft');
  });

  it('goes back to imitation when the stream shifts and success falls', () => {
    const state = after(round({ timber: [9, 10] }), round({ timber: [1, 10] }), round({ timber: [1, 10] }));
    expect(decideAlgorithm(state, config, []).algorithm).toBe('sft');
  });

  it('gives the other algorithm a turn after a run that brought nothing, and then comes back', () => {
    const good = after(round({ timber: [9, 10] }));
    const poor = after(round({ timber: [1, 10] }));
    const run = (algorithm: string, promoted: boolean) => [{ algorithm, promoted }];
    expect(decideAlgorithm(good, config, run('grpo', false))).toEqual({
      algorithm: 'sft',
      reason:
        'explored success 90.0 % (overall), threshold 50.0 %: imitate successes, since the last run of grpo was not promoted',
    });
    expect(decideAlgorithm(good, config, run('sft', false)).algorithm).toBe('grpo');
    expect(decideAlgorithm(good, config, run('grpo', true)).algorithm).toBe('grpo');
    expect(decideAlgorithm(poor, config, run('sft', false)).algorithm).toBe('grpo');
    expect(decideAlgorithm(poor, config, run('grpo', false)).algorithm).toBe('sft');
  });

  it('lets imitation rest that was refused so often, for as long as comparing is promoted', () => {
    const poor = after(round({ timber: [1, 10] }));
    const runs = (text: string) =>
      Array.from(text, (letter) => ({
        algorithm: letter.toLowerCase() === 's' ? 'sft' : 'grpo',
        promoted: letter !== letter.toLowerCase(),
      }));
    const chosen = (text: string, restAfter: number) =>
      decideAlgorithm(poor, { ...config, restAfter }, runs(text)).algorithm;
    // A capital letter is a promotion.
    for (const [history, next] of [
      ['SSsG', 'sft'],
      ['SSsGsG', 'grpo'],
      ['SSsGsGG', 'grpo'],
      ['SSsGsGGg', 'sft'],
      ['SSsGsGGgS', 'sft'],
      ['SSsGsGGgsG', 'grpo'],
      ['GG', 'sft'],
    ] as const)
      expect([history, chosen(history, 2)]).toEqual([history, next]);
    for (const history of ['SSsGsG', 'SSsGsGG', 'ssssG']) expect(chosen(history, 0)).toBe('sft');
    expect(decideAlgorithm(poor, { ...config, restAfter: 2 }, runs('ssG')).reason).toContain(
      'since the last 2 runs of sft were not promoted and the last one of grpo was',
    );
  });

  it('never tries an algorithm at once again that was just refused, and never leaves one out for good', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (verdicts, restAfter) => {
        const poor = after(round({ timber: [1, 10] }));
        const runs: { algorithm: string; promoted: boolean }[] = [];
        for (const promoted of verdicts) {
          const { algorithm } = decideAlgorithm(poor, { ...config, restAfter }, runs);
          const last = runs.at(-1);
          if (last !== undefined && !last.promoted) expect(algorithm).not.toBe(last.algorithm);
          runs.push({ algorithm, promoted });
        }
      }),
    );
  });

  it('can look at the domain that does worst', () => {
    const state = after(round({ timber: [9, 10], herbs: [2, 10] }));
    expect(decideAlgorithm(state, config, []).algorithm).toBe('grpo');
    expect(decideAlgorithm(state, { ...config, measure: 'worst-domain' }, []).reason).toContain(
      '20.0 % (worst-domain)',
    );
  });

  it('takes no notice of the base model once an adapter serves: its entries are scouts', () => {
    let told = 0;
    const by = (adapterDigest: string | null, success: boolean) =>
      ({
        type: 'OutcomeRecorded',
        meta: { messageId: `result ${told}` },
        experienceId: `experience ${told++}`,
        arm: 'explore',
        problem: { domain: 'timber' },
        adapterDigest,
        success,
      }) as ResultEvent;
    expect(after([by('a1', true), by('a1', false), by(null, false), by(null, false)]).overall).toBeCloseTo(0.5, 12);
    expect(after([by(null, true), by(null, false), by(null, false), by(null, false)]).overall).toBeCloseTo(0.25, 12);
  });

  it('takes no notice of control and deploy outcomes, nor of failures', () => {
    const failure = {
      type: 'ExecutionFailed',
      meta: { messageId: 'failure' },
      experienceId: 'experience',
      arm: 'explore',
      problem: { domain: 'timber' },
    } as ResultEvent;
    expect(after([...round({ timber: [9, 10] }, 'control'), ...round({ timber: [9, 10] }, 'deploy'), failure])).toEqual(
      { rounds: 1, rates: {}, overall: null },
    );
  });
});
