import { canonicalJson, sha256 } from '@seamstream/kernel';
import { NearDuplicateClusters } from '@seamstream/near-duplicates';
import fc from 'fast-check';
import {
  afterVersion,
  type BufferCommit,
  type BufferInput,
  type BufferState,
  bufferConfigSchema,
  commit,
  decodeSnapshot,
  type EntryValidator,
  encodeSnapshot,
  evolve,
  type InputPosition,
  initialState,
  inputRanges,
  isGroupComplete,
  shardOf,
  shardsOf,
  withRules,
} from './index.js';

interface Told {
  readonly event: BufferInput;
  readonly position: InputPosition;
}

interface ResultOptions {
  readonly group: string;
  readonly member?: number;
  readonly size?: number;
  readonly result?: 'solved' | 'unsolved' | 'failed';
  readonly arm?: 'explore' | 'deploy' | 'control';
  readonly domain?: string;
  readonly prompt?: string;
  readonly entry?: string;
  readonly subject?: string;
  readonly offset?: number;
  readonly partition?: number;
  readonly tokens?: number;
  readonly id?: string;
}

const meta = {
  correlationId: 'problem',
  causationId: null,
  occurredAt: 0,
  source: 'seam/executor',
  sourceClass: 'model',
  traceparent: null,
  tenant: null,
} as const;

/** One recorded result; ids are readable: outcome `g1-0` is member 0 of group g1. */
function told(options: ResultOptions): Told {
  const {
    group,
    member = 0,
    size = 1,
    result = 'solved',
    arm = 'explore',
    domain = 'timber',
    offset = 0,
    partition = 0,
    tokens = 4,
  } = options;
  const id = options.id ?? `${group}-${member}`;
  const facts = {
    meta: { messageId: id, subject: options.subject ?? null, ...meta },
    problem: {
      problemId: `problem-${group}`,
      domain,
      prompt: options.prompt ?? `statement of ${group}`,
      reference: '',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    experienceId: `experience-${group}-${member}`,
    attemptId: null,
    groupId: group,
    groupSize: size,
    arm,
    adapterDigest: null,
  };
  const position = { topic: 'seam.outcomes', partition, offset };
  if (result === 'failed') return { event: { type: 'ExecutionFailed', ...facts }, position };
  const outcome = {
    ...facts,
    entry: arm === 'control' ? null : (options.entry ?? `{"strategy":"${id}"}`),
    promptTokenIds: [1, 2, 3],
    tokenIds: Array.from({ length: tokens }, (_, i) => i),
    forced: Array.from({ length: tokens }, (_, i) => i % 2 === 0),
    baseModelDigest: 'base',
    success: result === 'solved',
    reward: result === 'solved' ? 1 : 0,
  };
  return { event: { type: 'OutcomeRecorded', ...outcome }, position };
}

/** A group of results written as + (solved), - (unsolved), x (failed). */
function group(name: string, results: string, options: Omit<ResultOptions, 'group'> = {}): Told[] {
  const kinds = { '+': 'solved', '-': 'unsolved', x: 'failed' } as const;
  return results.split('').map((sign, member) =>
    told({
      size: results.length,
      ...options,
      group: name,
      member,
      result: kinds[sign as keyof typeof kinds],
      offset: (options.offset ?? 0) + member,
    }),
  );
}

const validateEntry: EntryValidator = (_domain, entry, prompt) => {
  if (entry.includes('bad')) return { reason: 'invalid_entry', detail: 'entry/strategy must not be bad' };
  const isMisquote = entry.includes('quote') && !prompt.includes('quote');
  return isMisquote ? { reason: 'misquote', detail: 'at #/strategy it quotes "quote"' } : undefined;
};

function bufferOf(events: readonly Told[], config: Parameters<typeof bufferConfigSchema.parse>[0] = {}): BufferState {
  return events.reduce(
    (state, { event, position }) => evolve(state, event, position),
    initialState(bufferConfigSchema.parse(config)),
  );
}

const commitOf = (events: readonly Told[], config?: Parameters<typeof bufferConfigSchema.parse>[0]): BufferCommit =>
  commit(bufferOf(events, config), { validateEntry });

const keptIds = ({ rows }: BufferCommit): string[] => rows.map(({ outcomeId }) => outcomeId);

const said = ({ decisions }: BufferCommit): string[] =>
  decisions.map((decision) =>
    decision.type === 'SuccessAdmitted'
      ? `${decision.outcomeId} admitted to ${decision.stratum}`
      : `${decision.outcomeId} rejected: ${decision.reason}${decision.duplicateOf === null ? '' : ` of ${decision.duplicateOf}`}`,
  );

const bytesOf = (state: BufferState): Uint8Array => encodeSnapshot({ state, inputs: [], writtenAt: 7 });
const restarted = (state: BufferState): BufferState => decodeSnapshot(bytesOf(state)).state;

describe('groups', () => {
  it('keeps the successes of a complete group in the stratum of its success rate', () => {
    const result = commitOf([...group('g1', '+---'), ...group('g2', '++--'), ...group('g3', '+++-')]);
    expect(result.rowsPerStratum).toEqual({ 'timber/easy': 3, 'timber/hard': 1, 'timber/medium': 2 });
    expect(result.rows[0]).toMatchObject({ outcomeId: 'g1-0', stratum: 'timber/hard', helpfulness: 0.75, reward: 1 });
  });

  it('waits for the last result of a group', () => {
    const [first, second] = group('g1', '+-');
    const early = commitOf([first!]);
    expect(early.rows).toEqual([]);
    expect(early.decisions).toEqual([]);
    const late = commit(evolve(early.state, second!.event, second!.position), { validateEntry });
    expect(said(late)).toEqual(['g1-0 admitted to timber/medium']);
  });

  it('counts an infrastructure failure as an answer that says nothing about success', () => {
    const result = commitOf(group('g1', '++-x'));
    expect(result.rows.map(({ helpfulness }) => helpfulness)).toEqual([1 - 2 / 3, 1 - 2 / 3]);
  });

  it('takes a single verdict as no contrast: medium, half helpful', () => {
    const result = commitOf([...group('g1', '+', { arm: 'deploy' }), ...group('g2', '+xxx')]);
    expect(result.rows.map(({ stratum, helpfulness }) => [stratum, helpfulness])).toEqual([
      ['timber/medium', 0.5],
      ['timber/medium', 0.5],
    ]);
  });

  it('lets a verdict replace a failure of the same experience, whichever came first', () => {
    const failure = told({ group: 'g1', result: 'failed' });
    const verdict = told({ group: 'g1', offset: 5 });
    expect(keptIds(commitOf([failure, verdict]))).toEqual(['g1-0']);
    expect(keptIds(commitOf([verdict, failure]))).toEqual(['g1-0']);
  });

  it('counts the verdict with the smaller id where an experience was judged twice, whichever came first', () => {
    const solved = told({ group: 'g1', id: 'a' });
    const unsolved = told({ group: 'g1', id: 'b', result: 'unsolved', offset: 5 });
    expect(keptIds(commitOf([solved, unsolved]))).toEqual(['a']);
    expect(keptIds(commitOf([unsolved, solved]))).toEqual(['a']);
  });

  it('rejects an outcome whose forced flags do not match its tokens, and counts it as solved', () => {
    const [solved, unsolved] = group('g1', '+-');
    const broken = { ...solved!, event: { ...solved!.event, forced: [true] } as BufferInput };
    const result = commitOf([broken, unsolved!]);
    expect(said(result)).toEqual(['g1-0 rejected: invalid_entry']);
    expect(result.decisions[0]).toMatchObject({ detail: expect.stringContaining('got 1 flags for 4 tokens') });
  });

  it('rejects a success that earned no reward, and counts it as solved', () => {
    const [solved, unsolved] = group('g1', '+-');
    const unpaid = { ...solved!, event: { ...solved!.event, reward: 0 } as BufferInput };
    const result = commitOf([unpaid, unsolved!]);
    expect(said(result)).toEqual(['g1-0 rejected: invalid_entry']);
    expect(result.decisions[0]).toMatchObject({ detail: 'its success earned no reward' });
  });

  it('counts the first of two different results under one id', () => {
    const solved = told({ group: 'g1', id: 'a', offset: 3 });
    const otherwise = told({ group: 'g1', id: 'a', result: 'unsolved', offset: 9 });
    expect(keptIds(commitOf([solved, otherwise]))).toEqual(['a']);
    expect(keptIds(commitOf([otherwise, solved]))).toEqual(['a']);
    const first = commitOf([solved]);
    expect(said(commit(evolve(first.state, otherwise.event, otherwise.position), { validateEntry }))).toEqual([]);
  });

  it('are judged again under other rules', () => {
    const config = (changes: Parameters<typeof bufferConfigSchema.parse>[0]) => bufferConfigSchema.parse(changes);
    const events = group('g1', '+-', { tokens: 9 });
    const first = commitOf(events, { lengths: { maxEntryTokens: 4 } });
    expect(keptIds(first)).toEqual([]);
    const looser = withRules(first.state, config({}));
    expect(keptIds(commit(looser, { validateEntry }))).toEqual(['g1-0']);
    expect(commit(looser, { validateEntry }).bufferDigest).toBe(commitOf(events).bufferDigest);
    expect(withRules(looser, config({}))).toBe(looser);
  });
});

describe('helpfulness', () => {
  it('is scaled down by what the control arm solves in the same domain', () => {
    const controls = ['+', '+', '+', '-'].flatMap((sign, i) => group(`c${i}`, sign, { arm: 'control' }));
    const result = commitOf([...group('g1', '+---'), ...group('g2', '+---', { domain: 'herbs' }), ...controls]);
    expect(result.rows.map(({ domain, helpfulness }) => [domain, helpfulness])).toEqual([
      ['timber', 0.75 * 0.25],
      ['herbs', 0.75],
    ]);
  });

  it('never keeps a control outcome', () => {
    expect(commitOf(group('c1', '+', { arm: 'control' })).decisions).toEqual([]);
  });
});

describe('rejections', () => {
  it('keeps one of equal contents: that of the group that needed it most', () => {
    const result = commitOf([
      ...group('g1', '+++-', { prompt: 'same', entry: '{"a":1,"b":2}' }),
      ...group('g2', '+---', { prompt: 'same', entry: '{ "b": 2, "a": 1 }' }),
    ]);
    expect(said(result)).toEqual([
      'g1-0 rejected: exact_duplicate of g2-0',
      'g1-1 rejected: exact_duplicate of g2-0',
      'g1-2 rejected: exact_duplicate of g2-0',
      'g2-0 admitted to timber/hard',
    ]);
  });

  const statement =
    'the mill has oak 3 ash 7 yew 12 teak 5 pine 9 cedar 1 and we need for one barrel and one oar the boards in all';

  it('joins statements that differ by a word when their entries are equal', () => {
    const entry = '{"concepts":["oak","ash"]}';
    const result = commitOf([
      ...group('g1', '+-', { prompt: statement, entry }),
      ...group('g2', '+-', { prompt: `${statement} please`, entry }),
      ...group('g3', '+-', { prompt: statement.replace('oak 3', 'oak 8').replace('yew 12', 'yew 2'), entry }),
    ]);
    expect(said(result)).toEqual([
      'g1-0 admitted to timber/medium',
      'g2-0 rejected: near_duplicate of g1-0',
      'g3-0 admitted to timber/medium',
    ]);
  });

  it('parts what was joined only through a statement that aged out', () => {
    const entry = '{"concepts":["oak"]}';
    const [first, link, last] = ['a b c d e f g h', 'a b c d e f g x', 'z b c d e f g x'];
    const config = { maxAgeRecords: 10, nearDuplicates: { threshold: 0.6, shingleWords: 2 } };
    const early = commitOf(
      [
        ...group('g2', '+-', { prompt: link, entry, offset: 0 }),
        ...group('g1', '+-', { prompt: first, entry, offset: 6 }),
        ...group('g3', '+-', { prompt: last, entry, offset: 8 }),
      ],
      config,
    );
    expect(keptIds(early)).toEqual(['g1-0']);
    const [other] = group('g4', '-', { offset: 12 });
    const late = commit(evolve(early.state, other!.event, other!.position), { validateEntry });
    expect(keptIds(late)).toEqual(['g1-0', 'g3-0']);
  });

  it('keeps near-equal statements apart when they teach different entries, unless the domain is the scope', () => {
    const events = [
      ...group('g1', '+-', { prompt: statement, entry: '{"strategy":"add them"}' }),
      ...group('g2', '+-', { prompt: statement, entry: '{"strategy":"add all"}' }),
    ];
    expect(keptIds(commitOf(events))).toEqual(['g1-0', 'g2-0']);
    expect(keptIds(commitOf(events, { nearDuplicates: { scope: 'domain' } }))).toEqual(['g1-0']);
  });

  it('names what makes an entry invalid, untrue or too long', () => {
    const result = commitOf([
      ...group('g1', '+', { entry: 'bad' }),
      ...group('g2', '+', { tokens: 600 }),
      ...group('g3', '+', { entry: 'quote' }),
      ...group('g4', '+', { entry: 'quote', prompt: 'with a quote' }),
    ]);
    expect(
      result.decisions.map((decision) => ('detail' in decision ? [decision.reason, decision.detail] : [])),
    ).toEqual([
      ['invalid_entry', 'entry/strategy must not be bad'],
      ['length_out_of_bounds', 'entry of 600 tokens (expected 1 … 512), prompt of 3 (expected at most 2048)'],
      ['misquote', 'at #/strategy it quotes "quote"'],
      [],
    ]);
  });

  it('keeps the most helpful pairs of a full stratum and says which later pair displaced which', () => {
    const config = { capacityPerStratum: 1 };
    const first = commitOf(group('g1', '+--'), config);
    expect(said(first)).toEqual(['g1-0 admitted to timber/hard']);
    const better = group('g2', '+-------');
    const second = commit(
      better.reduce((state, { event, position }) => evolve(state, event, position), first.state),
      { validateEntry },
    );
    expect(said(second)).toEqual(['g1-0 rejected: displaced', 'g2-0 admitted to timber/hard']);
  });

  it('limits the rows of one subject across strata and leaves trusted rows without a subject alone', () => {
    const events = [
      ...['a', 'b', 'c'].flatMap((name) => group(name, '+-', { subject: 'mallory' })),
      ...group('d', '+----', { subject: 'mallory' }),
      ...['e', 'f', 'g'].flatMap((name) => group(name, '+-')),
    ];
    const result = commitOf(events, { maxRowsPerSubject: 2 });
    expect(keptIds(result).filter((id) => 'abcd'.includes(id[0]!))).toHaveLength(2);
    expect(keptIds(result)).toEqual(expect.arrayContaining(['d-0', 'e-0', 'f-0', 'g-0']));
    expect(said(result).filter((line) => line.endsWith('subject_cap'))).toHaveLength(2);
  });

  it('lets rows age out by their distance in records, even if the group was completed late', () => {
    const config = { maxAgeRecords: 10 };
    const first = commitOf(group('g1', '+-', { offset: 0 }), config);
    const [early, late] = group('g2', '+-', { offset: 3 });
    const events = [
      early!,
      ...group('g3', '+-', { offset: 11 }),
      { ...late!, position: { ...late!.position, offset: 14 } },
    ];
    const second = commit(
      events.reduce((state, { event, position }) => evolve(state, event, position), first.state),
      { validateEntry },
    );
    expect(keptIds(second)).toEqual(['g3-0']);
    expect(said(second)).toEqual(['g1-0 rejected: aged_out', 'g3-0 admitted to timber/medium']);
  });

  it('keep a group out whose first results have aged, whether its other results are recorded again before or after a commit', () => {
    const old = group('g1', '+--', { offset: 0 });
    const [newest] = group('g2', '-', { offset: 12 });
    const again = old.slice(1);
    const config = { maxAgeRecords: 11 };
    const inBetween = commitOf([...old, newest!], config);
    expect(keptIds(inBetween)).toEqual([]);
    const after = again.reduce((state, { event, position }) => evolve(state, event, position), inBetween.state);
    expect(bytesOf(commit(after, { validateEntry }).state)).toEqual(
      bytesOf({ ...commitOf([...old, newest!, ...again], config).state, sequence: 2 }),
    );
    expect(keptIds(commit(after, { validateEntry }))).toEqual([]);
  });

  it('take a group up again once each of its aged results has been recorded again', () => {
    const events = [...group('g1', '+-', { offset: 0 }), ...group('g2', '-', { offset: 20 })];
    const anew = group('g1', '+-', { offset: 21 });
    const config = { maxAgeRecords: 10 };
    const first = commitOf(events, config);
    const half = commit(evolve(first.state, anew[0]!.event, anew[0]!.position), { validateEntry });
    const whole = commit(evolve(half.state, anew[1]!.event, anew[1]!.position), { validateEntry });
    expect([first, half, whole].map(keptIds)).toEqual([[], [], ['g1-0']]);
    expect(keptIds(commitOf([...events, ...anew], config))).toEqual(['g1-0']);
  });

  it('let the younger of two verdicts count when the more definite one has aged', () => {
    const solved = told({ group: 'g1', id: 'b', offset: 20 });
    const unsolved = told({ group: 'g1', id: 'a', result: 'unsolved', offset: 0 });
    const config = { maxAgeRecords: 10 };
    for (const events of [
      [solved, unsolved],
      [unsolved, solved],
    ])
      expect(keptIds(commitOf(events, config))).toEqual(['b']);
    const first = commitOf([unsolved], config);
    expect(keptIds(commit(evolve(first.state, solved.event, solved.position), { validateEntry }))).toEqual(['b']);
  });

  it('say nothing of the ageing of pairs that were never admitted', () => {
    const first = commitOf(group('g1', '+', { entry: 'bad' }), { maxAgeRecords: 10 });
    const [later] = group('g2', '-', { offset: 50 });
    expect(commit(evolve(first.state, later!.event, later!.position), { validateEntry }).decisions).toEqual([]);
  });
});

// Small alphabets make collisions, duplicates and full strata common.
const words = ['oak', 'ash', 'yew', 'teak', 'pine'];
const arbitraryGroup = fc.record({
  results: fc.string({ unit: fc.constantFrom('+', '-', 'x'), minLength: 1, maxLength: 4 }),
  prompt: fc.array(fc.constantFrom(...words), { minLength: 6, maxLength: 9 }).map((chosen) => chosen.join(' ')),
  entry: fc.constantFrom('{"a":1}', '{"a":2}', 'bad'),
  arm: fc.constantFrom('explore', 'explore', 'deploy', 'control'),
  domain: fc.constantFrom('timber', 'herbs'),
  partition: fc.integer({ min: 0, max: 1 }),
  subject: fc.constantFrom(undefined, 'mallory'),
  incomplete: fc.boolean(),
  // Results of its first members that are recorded again later in the log.
  anew: fc.string({ unit: fc.constantFrom('+', '-', 'x'), maxLength: 4 }),
});
const history = fc.array(arbitraryGroup, { maxLength: 14 }).map((groups) =>
  groups.flatMap(({ results, anew, incomplete, subject, ...options }, index) => {
    const facts = {
      ...options,
      ...(subject === undefined ? {} : { subject }),
      size: results.length + (incomplete ? 1 : 0),
    };
    const first = group(`g${index}`, results, { ...facts, offset: index * 4 });
    const later = group(`g${index}`, anew.slice(0, results.length), { ...facts, offset: index * 4 + 23 });
    for (const { event } of later)
      Object.assign(event.meta, { messageId: `${['a', '', 'h', 'z'][index % 4]}${event.meta.messageId}` });
    return [...first, ...later];
  }),
);
const config = {
  capacityPerStratum: 2,
  maxRowsPerSubject: 3,
  maxAgeRecords: 30,
  nearDuplicates: { shingleWords: 2, threshold: 0.5 },
};

/** Ids of what a buffer keeps, found without remembering anything. */
function keptAtOnce({ groups, config: rules }: BufferState): string[] {
  const { scope, threshold, shingleWords } = rules.nearDuplicates;
  const all = [...groups.values()].flatMap((each) => {
    const results = [...each.members.values()].map(([counting]) => counting);
    if (each.arm === 'control' || results.length < each.groupSize) return [];
    const judged = results.filter(({ status }) => status !== 'failed').length;
    const solved = results.flatMap((result) => (result.status === 'solved' ? [result.pair!] : []));
    const rate = judged < 2 ? 0.5 : solved.length / judged;
    const difficulty = rate <= 1 / 3 ? 'hard' : rate >= 2 / 3 ? 'easy' : 'medium';
    return solved.map((pair) => ({
      pair,
      rate,
      stratum: `${each.domain}/${difficulty}`,
      classOfHelp: Math.min(7, Math.floor((judged < 2 ? 0.5 : (judged - solved.length) / judged) * 8)),
      priority: sha256(canonicalJson([rules.seed, pair.outcomeId])).slice(0, 16),
    }));
  });
  type Each = (typeof all)[number];
  const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const first = (alike: Each[]): Each =>
    alike.sort((a, b) => a.rate - b.rate || byText(a.pair.outcomeId, b.pair.outcomeId))[0]!;
  const best = (of: Each[], keyOf: (each: Each) => unknown): Each[] => [...Map.groupBy(of, keyOf).values()].map(first);
  const few = (of: Each[], keyOf: (each: Each) => string | null, capacity: number): Each[] =>
    [...Map.groupBy(of, keyOf)].flatMap(([key, alike]) =>
      key === null
        ? alike
        : alike.sort((a, b) => b.classOfHelp - a.classOfHelp || byText(a.priority, b.priority)).slice(0, capacity),
    );
  const valid = all.filter(({ pair }) => pair.entry !== 'bad');
  const unique = best(valid, ({ pair }) => canonicalJson([pair.domain, pair.prompt, pair.entry]));
  const bucketOf = ({ pair }: Each): string =>
    canonicalJson(scope === 'entry' ? [pair.domain, pair.entry] : [pair.domain]);
  const distinct =
    scope === 'off'
      ? unique
      : [...Map.groupBy(unique, bucketOf).values()].flatMap((bucket) => {
          const clusters = new NearDuplicateClusters({ threshold, shingleWords });
          const ids = new Map(
            bucket.map((each) => [
              each,
              clusters.add(scope === 'entry' ? each.pair.prompt : `${each.pair.prompt}\n${each.pair.entry}`),
            ]),
          );
          return best(bucket, (each) => clusters.clusterOf(ids.get(each)!));
        });
  const { maxRowsPerSubject: cap } = rules;
  const capped = few(distinct, ({ pair }) => (cap === 0 ? null : pair.subject), cap);
  return few(capped, ({ stratum }) => stratum, rules.capacityPerStratum)
    .map(({ pair }) => pair.outcomeId)
    .sort(byText);
}

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

describe('a snapshot', () => {
  it('has equal bytes for equal states, however they were reached', () => {
    const events = [
      ...group('g1', '+--x'),
      ...group('g2', '+-', { partition: 1 }),
      ...group('c', '-', { arm: 'control' }),
    ];
    expect(bytesOf(bufferOf([...events].reverse()))).toEqual(bytesOf(bufferOf(events)));
    expect(bytesOf(bufferOf(events.slice(1)))).not.toEqual(bytesOf(bufferOf(events)));
  });

  it('continues where the state stopped', () => {
    const { state } = commitOf(group('g1', '+-'));
    const restored = restarted(state);
    expect(bytesOf(restored)).toEqual(bytesOf(state));
    expect(canonicalJson(inputRanges(restored))).toBe('[{"from":0,"partition":0,"to":2,"topic":"seam.outcomes"}]');
    const again = commit(restored, { validateEntry });
    expect(again.decisions).toEqual([]);
    expect(again.rows.map(({ outcomeId }) => outcomeId)).toEqual(['g1-0']);
  });

  it('has as many pieces as its groups need', () => {
    const prompt = 'x'.repeat(400_000);
    const { state } = commitOf(
      ['a', 'b', 'c', 'd', 'e'].flatMap((name) => group(name, '+-', { prompt: prompt + name })),
    );
    const bytes = bytesOf(state);
    const again = decodeSnapshot(bytes);
    expect(bytesOf(again.state)).toEqual(bytes);
    expect([...again.state.groups.keys()]).toEqual(['a', 'b', 'c', 'd', 'e']);
    const firstPiece = bytes.slice(0, 4 + Buffer.from(bytes).readUInt32BE(0));
    expect(firstPiece.length).toBeLessThan(bytes.length);
    expect(() => decodeSnapshot(firstPiece)).toThrow(/with [1-4] of 5 groups/);
  });

  it('that is damaged is refused with what to do', () => {
    const bytes = bytesOf(bufferOf(group('g1', '+-')));
    expect(() => decodeSnapshot(bytes.slice(0, -1))).toThrow(/got \d+ bytes with .* Delete the snapshot/);
    expect(() => decodeSnapshot(new Uint8Array(0))).toThrow(/got 0 bytes with format undefined/);
    expect(() => decodeSnapshot(new Uint8Array([1, 2, 3]))).toThrow(
      /expected seamstream.success-buffer\/3, got 3 bytes .* Delete the snapshot/,
    );
  });
});
