import { canonicalJson, sha256 } from '@seamstream/kernel';
import fc from 'fast-check';
import { config, history } from './arbitrary-history.fake.js';
import {
  afterVersion,
  type BufferCommit,
  type BufferState,
  bufferConfigSchema,
  commit,
  decodeSnapshot,
  evolve,
  initialState,
  withRules,
} from './index.js';
import { keptAtOnce } from './kept-at-once.fake.js';
import {
  bufferOf,
  bytesOf,
  commitOf,
  group,
  keptIds,
  restarted,
  said,
  type Told,
  told,
  validateEntry,
} from './told-groups.fake.js';

describe('the kept set', () => {
  it('is a function of the set of results: not of their order, nor of redeliveries, nor of commits in between', () => {
    const scenario = history.chain((events) =>
      fc.record({
        events: fc.constant(events),
        order: fc.shuffledSubarray(events, { minLength: events.length }),
        again: fc.subarray(events),
        commitAfter: fc.array(fc.boolean(), { minLength: events.length * 2, maxLength: events.length * 2 }),
        restartAfter: fc.array(fc.boolean(), { minLength: events.length * 2, maxLength: events.length * 2 }),
      }),
    );
    fc.assert(
      fc.property(scenario, ({ events, order, again, commitAfter, restartAfter }) => {
        const expected = commitOf(events, config);
        const told = new Map<string, string>();
        let state = bufferOf([], config);
        const commitNow = (): BufferCommit => {
          const made = commit(state, { validateEntry });
          state = made.state;
          for (const { type, outcomeId } of made.decisions) told.set(outcomeId, type);
          return made;
        };
        [...order, ...again].forEach(({ event, position }, index) => {
          state = evolve(state, event, position);
          if (commitAfter[index]) commitNow();
          if (restartAfter[index]) state = restarted(state);
        });
        const result = commitNow();
        expect(bytesOf({ ...result.state, sequence: 1 })).toEqual(bytesOf(expected.state));
        expect(result.bufferDigest).toBe(expected.bufferDigest);
        expect(result.rows).toEqual(expected.rows);
        expect(result.rowsPerStratum).toEqual(expected.rowsPerStratum);
        // What was said adds up to what is kept.
        expect(
          [...told]
            .filter(([, type]) => type === 'SuccessAdmitted')
            .map(([id]) => id)
            .sort(),
        ).toEqual(keptIds(expected));
      }),
      { numRuns: 150 },
    );
  });

  it('is what comes out when every rule is applied to all successes at once, one rule after the other', () => {
    const rules = fc.record({
      capacityPerStratum: fc.integer({ min: 1, max: 3 }),
      maxRowsPerSubject: fc.integer({ min: 0, max: 2 }),
      scope: fc.constantFrom('entry' as const, 'domain' as const, 'off' as const),
    });
    fc.assert(
      fc.property(history, rules, fc.array(fc.nat(), { maxLength: 4 }), (events, { scope, ...caps }, commits) => {
        const parsed = bufferConfigSchema.parse({
          ...config,
          ...caps,
          maxAgeRecords: 0,
          nearDuplicates: { ...config.nearDuplicates, scope },
        });
        let state = initialState(parsed);
        for (const [index, { event, position }] of events.entries()) {
          state = evolve(state, event, position);
          if (commits.some((at) => at % events.length === index)) state = commit(state, { validateEntry }).state;
        }
        const result = commit(state, { validateEntry });
        expect(keptIds(result)).toEqual(keptAtOnce(result.state));
        expect(result.bufferDigest).toBe(sha256(result.rows.map((row) => `${canonicalJson(row)}\n`).join('')));
      }),
      { numRuns: 200 },
    );
  });

  // A restarted state must say the same as one that was never disturbed.
  it('has the same decisions, bytes and rows when it is restarted after every commit, or from an old snapshot and a version’s rows', () => {
    const rules = fc.record({
      capacityPerStratum: fc.integer({ min: 1, max: 3 }),
      maxRowsPerSubject: fc.integer({ min: 0, max: 2 }),
      maxAgeRecords: fc.constantFrom(0, 8, 15, 25),
      scope: fc.constantFrom('entry' as const, 'domain' as const, 'off' as const),
      arms: fc.constantFrom(['explore' as const], ['explore' as const, 'deploy' as const]),
      maxEntryTokens: fc.constantFrom(3, 4),
    });
    type Rules = typeof rules extends fc.Arbitrary<infer Value> ? Value : never;
    const parsed = ({ scope, maxEntryTokens, ...others }: Rules): BufferState['config'] =>
      bufferConfigSchema.parse({
        ...others,
        lengths: { maxEntryTokens },
        nearDuplicates: { shingleWords: 2, threshold: 0.5, scope },
      });
    const result = fc.record({
      of: fc.integer({ min: 0, max: 7 }),
      member: fc.nat(2),
      result: fc.constantFrom('solved' as const, 'solved' as const, 'unsolved' as const, 'failed' as const),
      prefix: fc.constantFrom('', 'a', 'z'),
      prompt: fc.constantFrom(
        'oak ash yew teak oak ash',
        'oak ash yew teak oak yew',
        'pine ash yew teak oak yew',
        'pine oak',
      ),
      entry: fc.constantFrom('{"a":1,"b":2}', '{ "b":2,"a":1}', '{"a":2}', 'bad'),
      gap: fc.integer({ min: 1, max: 3 }),
    });
    const step = fc.oneof(
      { weight: 8, arbitrary: result },
      { weight: 3, arbitrary: fc.constant('commit' as const) },
      { weight: 1, arbitrary: rules },
    );
    const arms = ['explore', 'explore', 'deploy', 'control', 'explore', 'explore', 'deploy', 'control'] as const;
    const sizes = [1, 2, 3, 1, 2, 1, 2, 2];
    fc.assert(
      fc.property(rules, fc.array(step, { minLength: 5, maxLength: 90 }), fc.nat(2), (first, steps, at) => {
        const shard = at === 2 ? undefined : { index: at, of: 2 };
        let undisturbed = initialState(parsed(first), shard);
        let disturbed = undisturbed;
        disturbed = restarted(undisturbed);
        let snapshot = bytesOf(undisturbed);
        let since: Told[] = [];
        const offsets = [0, 0];
        const kept = new Map<string, boolean>();
        const commitBoth = (): BufferCommit => {
          const one = commit(undisturbed, { validateEntry });
          const other = commit(disturbed, { validateEntry });
          undisturbed = one.state;
          disturbed = restarted(other.state);
          expect({ ...other, state: undefined }).toEqual({ ...one, state: undefined });
          expect(bytesOf(other.state)).toEqual(bytesOf(one.state));
          for (const { type, outcomeId } of one.decisions) kept.set(outcomeId, type === 'SuccessAdmitted');
          expect([...kept].flatMap(([id, isKept]) => (isKept ? [id] : [])).sort()).toEqual(keptIds(one));
          return one;
        };
        for (const each of steps) {
          if (each === 'commit') {
            const { state, rows } = commitBoth();
            const old = decodeSnapshot(snapshot).state;
            for (const { event, position } of since) evolve(old, event, position);
            expect(bytesOf(afterVersion(old, { sequence: state.sequence, rows }))).toEqual(bytesOf(state));
          } else if ('scope' in each) {
            undisturbed = withRules(undisturbed, parsed(each));
            disturbed = withRules(disturbed, parsed(each));
            snapshot = bytesOf(commitBoth().state);
            since = [];
          } else {
            const { of, gap, prefix, ...facts } = each;
            const member = facts.member % sizes[of]!;
            offsets[of % 2]! += gap;
            const options = { ...facts, group: `g${of}`, member, size: sizes[of]!, arm: arms[of]! };
            const come = told({
              ...options,
              domain: of % 3 === 0 ? 'herbs' : 'timber',
              id: `${prefix}g${of}-${member}`,
              offset: offsets[of % 2]!,
              partition: of % 2,
              ...(of % 4 === 0 ? {} : { subject: `s${of % 3}` }),
            });
            undisturbed = evolve(undisturbed, come.event, come.position);
            disturbed = evolve(disturbed, come.event, come.position);
            since.push(come);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('cannot be continued when a row has no outcome', () => {
    const { rows, state } = commitOf([...group('g1', '+-'), ...group('g2', '+-')]);
    const without = bufferOf(group('g1', '+-'));
    expect(() => afterVersion(without, { sequence: state.sequence, rows })).toThrow(
      /Cannot continue from buffer version 1: .* got none for 1 of 2 \(g2-0 the first\)/,
    );
  });

  it('says each thing once of two outcomes under one id, and the same after a restart', () => {
    const twice = [
      told({ group: 'g1', member: 0, size: 2, id: 'x', entry: '{"a":1}' }),
      told({ group: 'g1', member: 1, size: 2, id: 'x', entry: '{"a":1}', offset: 1 }),
    ];
    const first = commitOf(twice);
    expect(said(first)).toEqual(['x admitted to timber/easy', 'x rejected: exact_duplicate of x']);
    expect(said(commit(restarted(first.state), { validateEntry }))).toEqual([]);
    expect(said(commit(first.state, { validateEntry }))).toEqual([]);
  });

  it('is chosen again, and the difference said, when entries are validated otherwise', () => {
    const first = commitOf([...group('g1', '+-'), ...group('g2', '+-', { entry: 'bad' })]);
    expect(keptIds(first)).toEqual(['g1-0']);
    const later = commit(first.state, { validateEntry: () => undefined });
    expect(said(later)).toEqual(['g2-0 admitted to timber/medium']);
  });

  it('has a decision for every success of every complete group', () => {
    fc.assert(
      fc.property(history, (records) => {
        const events = records.filter(
          ({ event, position }) => position.offset < Number(event.groupId.slice(1)) * 4 + 23,
        );
        const result = commitOf(events, { ...config, maxAgeRecords: 0 });
        const admitted = result.decisions.filter(({ type }) => type === 'SuccessAdmitted').length;
        expect(admitted).toBe(result.rows.length);
        const groups = Map.groupBy(events, ({ event }) => event.groupId);
        const successes = [...groups.values()]
          .filter((members) => members.length === members[0]!.event.groupSize && members[0]!.event.arm !== 'control')
          .flat()
          .filter(({ event }) => event.type === 'OutcomeRecorded' && event.success);
        expect(result.decisions).toHaveLength(successes.length);
      }),
      { numRuns: 100 },
    );
  });

  it('says nothing when nothing changed', () => {
    const first = commitOf(group('g1', '+--+'));
    const second = commit(first.state, { validateEntry });
    expect(second.decisions).toEqual([]);
    expect(second.bufferDigest).toBe(first.bufferDigest);
    expect(second.state.sequence).toBe(2);
  });

  it('has a digest that is pinned', () => {
    expect(commitOf([...group('g1', '+--+'), ...group('g2', '+')]).bufferDigest).toBe(
      'd8bf3c5490730df9b6d1aeab01083e770d4e3f6cf988f68d2315ba7b75ad8efe',
    );
  });
});
