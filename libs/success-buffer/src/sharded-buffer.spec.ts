import fc from 'fast-check';
import { config, history } from './arbitrary-history.fake.js';
import {
  bufferConfigSchema,
  commit,
  evolve,
  initialState,
  inputRanges,
  isGroupComplete,
  shardOf,
  shardsOf,
} from './index.js';
import { bufferOf, group, restarted, said, validateEntry } from './told-groups.fake.js';

describe('a buffer in shards', () => {
  // Each of these domains is in a different shard of three.
  const domains = ['sums', 'words', 'fractions', 'timber'];
  const divided = history.map((events) =>
    events.map(({ event, position }) => {
      const domain = domains[Number(event.groupId.slice(1)) % domains.length]!;
      return { event: { ...event, problem: { ...event.problem, domain } }, position };
    }),
  );
  const rules = { ...config, maxRowsPerSubject: 0 };

  it('keeps together what one buffer keeps, and announces the same of each success', () => {
    expect(new Set(domains.map((domain) => shardOf(domain, 3))).size).toBe(3);
    fc.assert(
      fc.property(divided, fc.constantFrom('entry' as const, 'domain' as const), (events, scope) => {
        const parsed = bufferConfigSchema.parse({ ...rules, nearDuplicates: { ...rules.nearDuplicates, scope } });
        const made = [1, 2, 3].map((of) =>
          shardsOf(of).map((shard) => {
            let state = initialState(parsed, shard);
            for (const [index, { event, position }] of events.entries()) {
              state = evolve(state, event, position);
              if (index % 5 === 4) state = restarted(state);
            }
            return commit(state, { validateEntry });
          }),
        );
        const [whole, ...parts] = made.map((commits) => ({
          rows: commits.flatMap(({ rows }) => rows).sort((a, b) => (a.outcomeId < b.outcomeId ? -1 : 1)),
          decisions: commits.flatMap(said).sort(),
          strata: Object.assign({}, ...commits.map(({ rowsPerStratum }) => rowsPerStratum)) as unknown,
        }));
        for (const part of parts) expect(part).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  it('counts a group of another shard as complete exactly when its own shard does', () => {
    fc.assert(
      fc.property(divided, (events) => {
        const states = shardsOf(3).map((shard) => initialState(bufferConfigSchema.parse(rules), shard));
        const whole = bufferOf([], rules);
        for (const { event, position } of [...events, ...events]) {
          evolve(whole, event, position);
          for (const state of states) {
            evolve(state, event, position);
            expect(isGroupComplete(state, event.groupId)).toBe(isGroupComplete(whole, event.groupId));
          }
        }
        expect(states.map((state) => inputRanges(state))).toEqual(states.map(() => inputRanges(whole)));
      }),
      { numRuns: 60 },
    );
  });

  it('forgets the groups of others when they are too old, as it forgets its own', () => {
    const state = initialState(bufferConfigSchema.parse({ maxAgeRecords: 10 }), { index: 0, of: 3 });
    for (const offset of [0, 20]) {
      const [one] = group(`g${offset}`, '+-', { domain: 'sums', offset });
      evolve(state, one!.event, one!.position);
    }
    expect([...commit(state, { validateEntry }).state.elsewhere.keys()]).toEqual(['g20']);
  });
});
