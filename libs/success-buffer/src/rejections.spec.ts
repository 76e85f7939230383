import { commit, evolve } from './index.js';
import { bytesOf, commitOf, group, keptIds, said, told, validateEntry } from './told-groups.fake.js';

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
