import { fakeWorld } from '../command-runtime.fake.js';

/** Of four problems the entry of the fake generator solves two; without it none is solved. */
const FILE = ['1', '1', '2', '3']
  .map((reference, index) =>
    JSON.stringify({ domain: 'sums', prompt: `Question ${index}?`, reference, verifier: 'numeric' }),
  )
  .join('\n');

describe('seam study controls', () => {
  it('shows every row with what it rescues and breaks, what leaks, and the time to correct', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    const options = ['p.jsonl', '--adapter', 'base', '--candidates', '2', '--report', 'study.html'];
    expect(await world.seam('study', 'controls', ...options)).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^noExperience +4 +0\.0 % +0\.0 … 49\.0 +0 +0 +\+0\.0 \(\+0\.0 … \+0\.0\) +\+50\.0 \(/m);
    expect(output).toMatch(
      /^trained +4 +50\.0 % +15\.0 … 85\.0 +2 +0 +\+50\.0 \(−10\.2 … \+85\.0\) +– +1 +the adapter's entry$/m,
    );
    // The entry "add 1" holds the answer 1 of two problems, "Question 1?" states it; every entry is the same, so chance gives as many.
    expect(output).toContain(
      "2 of 4 entries hold their problem's answer (1 of them where the problem states it itself; by chance, with entries of other problems: 2). Of these problems 2 are solved with it and 0 with it taken out.",
    );
    expect(output).toMatch(/^answerRemoved +4 +0\.0 % /m);
    expect(output).toMatch(/^trained +50\.0 % +15\.0 … 85\.0 +50\.0 % +1\.50 /m);
    const page = Buffer.from(world.files.get('study.html')!).toString();
    expect(page).toContain('<title>Study of controls</title>');
    expect(page).toContain('<td>generatorAlone</td>');
    expect(page).not.toContain('http');
  });

  it('shows dashes where no problem was judged', async () => {
    const world = await fakeWorld();
    const line = { domain: 'marks', prompt: 'Which mark ends a question?', reference: '?', verifier: 'exact' };
    world.files.set('p.jsonl', Buffer.from(JSON.stringify(line)));
    const options = ['--rows', 'noExperience,trained,entryAlone', '--candidates', '0'];
    expect(await world.seam('study', 'controls', 'p.jsonl', '--adapter', 'base', ...options)).toBe(0);
    expect(world.takeOutput()).toMatch(/^entryAlone +0 +– +– +– +– +– +– +– +the adapter's entry, read as an answer$/m);
  });

  it('measures the rows that are asked for only, and as JSON', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    const options = ['--rows', 'trained,noExperience', '--limit', '2', '--candidates', '0', '--json'];
    expect(await world.seam('study', 'controls', 'p.jsonl', '--adapter', 'base', ...options)).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        problems: 2,
        rows: {
          trained: {
            successes: 2,
            rescued: 2,
            broken: 0,
            lift: { value: 1, interval95: [expect.closeTo(0.07, 3), 1] },
          },
        },
        timeToCorrect: null,
        adapterDigest: null,
        executor: { model: 'fake' },
      },
    ]);
    expect(await world.seam('study', 'controls', 'p.jsonl', '--set', 'shifted')).toBe(2);
    expect(world.takeErrors()).toContain('expected FILE or --set, got both');
    expect(await world.seam('study', 'controls', 'p.jsonl', '--rows', 'trained,magic')).toBe(2);
    expect(world.takeErrors()).toContain('expected names of noExperience');
  });

  it('chooses the fixed hint on problems that are not measured', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    world.files.set('v.jsonl', Buffer.from(FILE.replaceAll('Question', 'Other question')));
    const rows = ['--rows', 'fixedHint', '--candidates', '0', '--json', '--adapter', 'base'];
    await world.seam('study', 'controls', 'p.jsonl', '--hints-from', 'v.jsonl', ...rows);
    expect(world.takeJson()).toMatchObject([
      { fixedHints: { sums: '{"concepts":["sums"],"strategy":["add 1"],"pitfalls":[]}' } },
    ]);
    await world.seam('study', 'controls', 'p.jsonl', '--hints-from', 'p.jsonl', ...rows);
    expect(world.takeJson()).toMatchObject([{ fixedHints: {} }]);
  });
});
