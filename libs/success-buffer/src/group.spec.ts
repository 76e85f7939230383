import { type BufferInput, bufferConfigSchema, commit, evolve, withRules } from './index.js';
import { commitOf, group, keptIds, said, told, validateEntry } from './told-groups.fake.js';

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
