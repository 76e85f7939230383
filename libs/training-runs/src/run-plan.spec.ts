import { metaOf } from '@seamstream/testing/log-of';
import { plannedEvent, planOf, planRun, type RunConfiguration, type RunPlan, startedEvent } from './run-plan.js';

const META = metaOf('c');
const CONFIGURATION: RunConfiguration = {
  ...{ algorithm: { steps: 3 }, reason: 'there are results', window: null },
  servedAdapters: [null],
  curriculum: { rounds: 0, rates: {}, overall: null },
  domains: ['arithmetic'],
  promotion: { rule: 'tolerance', tolerance: 0, minProblems: 1, floor: 0 },
  evaluation: { responseMaxTokens: 8, entryMaxTokens: 8 },
};
const FACTS: Omit<RunPlan, 'runId'> = {
  ...{ method: 'seam', slot: 'generator', algorithm: 'sft', configuration: CONFIGURATION, inputs: [], manifests: [] },
  ...{ baseModelDigest: 'base', parentAdapter: null, seed: 's', codeVersion: '1' },
};
const BETTER: RunConfiguration['promotion'] = {
  ...{ rule: 'better' as const, risk: 0.05, look: 1, promoted: 0, level: 0.01, asked: {}, portion: 8, most: 64 },
  minProblems: 8,
};

describe('a plan', () => {
  it.each([
    ['of no version of the buffer', []],
    ['of one', [version(0)]],
    ['of one per shard', [version(0), version(1)]],
  ])('is what its records state, %s', (_, manifests) => {
    for (const promotion of [CONFIGURATION.promotion, BETTER]) {
      const plan = planRun({ ...FACTS, manifests, configuration: { ...CONFIGURATION, promotion } }, ['r']);
      expect(planOf(plannedEvent(plan, 'all', META))).toEqual(plan);
      expect(planOf(startedEvent(plan, META))).toEqual(plan);
    }
  });

  it('of an older release names no rule of promotion', () => {
    const { rule: _, ...promotion } = CONFIGURATION.promotion as { rule?: 'tolerance'; tolerance: number } & object;
    const plan = { ...planRun(FACTS, []), configuration: { ...CONFIGURATION, promotion } as RunConfiguration };
    expect(planOf(startedEvent(plan, META)).configuration.promotion).toEqual(promotion);
  });

  it('is another one for every fact but the version of the code and the place of its comparison', () => {
    const idOf = (changes: Partial<RunPlan>, results = ['a', 'b']) => planRun({ ...FACTS, ...changes }, results).runId;
    const changed: Partial<RunPlan>[] = [
      { method: 'program' },
      { slot: 'library' },
      { algorithm: 'grpo' },
      { configuration: { ...CONFIGURATION, domains: [] } },
      { configuration: { ...CONFIGURATION, promotion: BETTER } },
      { configuration: { ...CONFIGURATION, promotion: { ...BETTER, risk: 0.01 } } },
      { inputs: [{ topic: 't', partition: 0, from: 0, to: 1 }] },
      { manifests: [version(0)] },
      { manifests: [version(0), version(1)] },
      { baseModelDigest: 'another' },
      { parentAdapter: 'p' },
      { seed: 't' },
    ];
    const ids = [idOf({}), idOf({}, ['a']), ...changed.map((changes) => idOf(changes))];
    expect(new Set(ids).size).toBe(ids.length);
    expect(idOf({ codeVersion: '2' })).toBe(idOf({}));
    expect(idOf({}, ['b', 'a', 'b'])).toBe(idOf({}));
    const later = { ...BETTER, look: 4, promoted: 2, level: 0.002, asked: { arithmetic: 9 } };
    expect(idOf({ configuration: { ...CONFIGURATION, promotion: later } })).toBe(
      idOf({ configuration: { ...CONFIGURATION, promotion: BETTER } }),
    );
  });
});

function version(shard: number) {
  return { key: `buffer/${shard}`, digest: `d${shard}` };
}
