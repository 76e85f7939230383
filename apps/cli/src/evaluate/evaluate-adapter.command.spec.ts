import { fakeWorld } from '../command-runtime.fake.js';

/** Of four problems the entry of the fake generator solves two; without it none is solved. */
const FILE = ['1', '1', '2', '3']
  .map((reference, index) =>
    JSON.stringify({
      domain: index < 2 ? 'easy' : 'hard',
      prompt: `Question ${index}?`,
      reference,
      verifier: 'numeric',
    }),
  )
  .join('\n');

describe('seam eval', () => {
  it('shows every arm with its interval, the domains, and what was rescued and broken', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    expect(await world.seam('eval', 'p.jsonl', '--adapter', 'base')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^noExperience +0\.0 % +0\.0 % … 49\.0 % +0\/4 +the question alone$/m);
    expect(output).toMatch(/^trained +50\.0 % +15\.0 % … 85\.0 % +2\/4 +the adapter's entry$/m);
    expect(output).toMatch(/^easy +0\.0 % +0\.0 % +0\.0 % +100\.0 % +100\.0 % +100\.0 %$/m);
    expect(output).toContain('Rescued 50.0 %, broken 0.0 %, lift 50.0 %.');
    expect(output).toMatch(/4 problems \(set [0-9a-f]{8}\), adapter none: the base model, greedy decoding\.\n$/);
  });

  it('measures the arms that are asked for only, and as JSON', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    expect(await world.seam('eval', 'p.jsonl', '--arms', 'trained,noExperience', '--limit', '2', '--json')).toBe(0);
    const [result] = world.takeJson() as { arms: Record<string, { success: number }>; rescued: number }[];
    expect(Object.keys(result!.arms)).toEqual(['noExperience', 'trained']);
    expect(result!.arms.trained!.success).toBe(1);
    expect(result!.rescued).toBe(1);
  });

  it('measures on the held-out problems of the demonstration when no file is given', async () => {
    const world = await fakeWorld();
    expect(await world.seam('eval', '--arms', 'trained', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ problems: 3, arms: { trained: { successes: 1 } } }]);
    await world.seam('eval', '--set', 'shifted', '--limit', '1', '--arms', 'trained', '--json');
    expect(world.takeJson()).toMatchObject([{ problems: 1 }]);
    expect(await world.seam('eval', '--set', 'train')).toBe(2);
  });

  it('draws several answers per problem: pass@k, mean@k and majority@k by domain and overall, with intervals', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    const options = ['p.jsonl', '--adapter', 'base', '--arms', 'noExperience,trained', '--samples', '4'];
    expect(await world.seam('eval', ...options)).toBe(0);
    const output = world.takeOutput();
    // Of each problem's answers 0, 1, 1, 1 the two easy problems take 1: mean 3/4, pass@2 = 1, majority right.
    expect(output).toMatch(/^ARM +PROBLEMS +PASS@2 +PASS@4 +PASS@1 = MEAN@4 +MAJORITY@4 +TIES$/m);
    expect(output).toMatch(
      /^trained +4 +50\.0 % \(15\.0 … 85\.0\) +50\.0 % \(.*\) +37\.5 % \(12\.5 … 74\.8\) +50\.0 % \(.*\) +0$/m,
    );
    expect(output).toMatch(/^easy +noExperience +2 +100\.0 % \(29\.0 … 100\.0\) +.* +75\.0 % \(24\.3 … 92\.8\) /m);
    expect(output).toContain('Lift of mean@4: 0.0 % (-49.0 … 49.0).');
    expect(output).toMatch(/adapter none: the base model, 4 answers each at temperature 1, top-p 1\.\n$/);

    expect(await world.seam('eval', ...options, '--temperature', '0.6', '--top-p', '0.95', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        samples: 4,
        drawing: { temperature: 0.6, topP: 0.95 },
        arms: { trained: { meanAt: { value: 0.375 }, passAt: { 1: { value: 0.375 }, 4: { value: 0.5 } }, ties: 0 } },
      },
    ]);
    expect(await world.seam('eval', ...options, '--temperature', '0')).toBe(2);
    expect(world.takeErrors()).toContain('expected a number above 0, at most 10, got "0"');
  });

  it('says how many answers could not be judged, and why', async () => {
    const world = await fakeWorld();
    const long = [10_000, 10_001].map((n) => JSON.stringify({ prompt: 'x'.repeat(n), reference: 'x' })).join('\n');
    world.files.set('p.jsonl', Buffer.from(`${FILE}\n${long}`));
    const options = ['p.jsonl', '--adapter', 'base', '--arms', 'noExperience,untrained,trained'];
    expect(await world.seam('eval', ...options)).toBe(0);
    expect(world.takeOutput()).toContain(
      '\n4 answers could not be judged and count for no arm:\n  4 × PROMPT_TOO_LONG, such as: Cannot write an experience: expected prompt and entry within 10000 tokens, got 10000 tokens and up to 64. Shorten the problem.\n',
    );
    expect(await world.seam('eval', ...options, '--samples', '4')).toBe(0);
    expect(world.takeOutput()).toContain(
      '\n4 problems could not be judged and count for no arm:\n  4 × PROMPT_TOO_LONG',
    );
    for (const samples of ['1', '4']) {
      expect(await world.seam('eval', ...options, '--samples', samples, '--json')).toBe(0);
      const unjudged = [{ code: 'PROMPT_TOO_LONG', reason: expect.stringContaining('10000 tokens'), problems: 2 }];
      expect(world.takeJson()).toMatchObject([
        { arms: { noExperience: { failed: 0, unjudged: [] }, trained: { failed: 2, unjudged } } },
      ]);
    }
  });

  it('says so where nothing at all could be judged', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(JSON.stringify({ prompt: 'x'.repeat(10_000), reference: 'x' })));
    for (const [command, arms] of [
      [['eval'], ['--arms', 'untrained,trained']],
      [['eval'], ['--arms', 'untrained,trained', '--samples', '4']],
      [
        ['study', 'controls'],
        ['--rows', 'untrained,trained', '--candidates', '0'],
      ],
    ] as const) {
      await world.seam(...command, 'p.jsonl', '--adapter', 'base', ...arms);
      expect(world.takeOutput()).toContain(
        'NOTHING could be judged: no arm has a result, and nothing was measured.\n2 ',
      );
    }
  });

  it('refuses options without effect: a set with a file, a temperature of greedy answers, how to read no file', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    for (const [args, message] of [
      [
        ['p.jsonl', '--set', 'held-out'],
        'expected FILE or --set, got both (p.jsonl and --set held-out). Leave one out',
      ],
      [['p.jsonl', '--temperature', '0.6'], 'expected --samples of 2 or more with --temperature 0.6, got 1 answer'],
      [['--top-p', '1'], 'expected --samples of 2 or more with --top-p 1'],
      [['--samples', '1', '--temperature', '1'], 'expected --samples of 2 or more with --temperature 1'],
      [['--dataset', 'gsm8k'], 'expected FILE with --dataset gsm8k, got none'],
      [['--split', 'test'], 'expected FILE with --split test, got none'],
    ] as const) {
      expect(await world.seam('eval', ...args)).toBe(2);
      expect(world.takeErrors()).toContain(message);
      expect(world.takeOutput()).toBe('');
    }
    expect(await world.seam('eval', 'p.jsonl', '--set', 'held-out', '--json')).toBe(2);
    expect(world.takeJson()).toMatchObject([{ error: { code: 'INVALID_INPUT' } }]);
    expect(await world.seam('eval', '--help')).toBe(0);
    expect(world.takeOutput()).toMatch(
      /--set <name>[^]*\(default: +"held-out"\)[^]*--temperature <t>[^]*\(default: 1\)/,
    );
  });

  it('reads datasets as they are published', async () => {
    const world = await fakeWorld();
    world.files.set('aime.jsonl', Buffer.from('{"ID":"2024-I-1","Problem":"P?","Answer":"001"}'));
    expect(await world.seam('eval', '--dataset', 'aime', 'aime.jsonl', '--arms', 'trained', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ problems: 1, arms: { trained: { success: 1 } } }]);
  });

  it('refuses unknown arms, bad lines and adapters that are not in the log', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    world.files.set('bad.jsonl', Buffer.from('{"prompt":"x"}'));
    expect(await world.seam('eval', 'p.jsonl', '--arms', 'trained,magic')).toBe(2);
    expect(world.takeErrors()).toContain('expected names of noExperience, wrapperOnly');
    expect(await world.seam('eval', 'bad.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('line 1: reference: expected a text');
    expect(await world.seam('eval', 'p.jsonl', '--adapter', 'abcd1234')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot find adapter abcd1234');
    expect(await world.seam('eval', 'p.jsonl', '--samples', '100000000')).toBe(2);
    expect(world.takeErrors()).toContain('expected a whole number from 1 to 1024, got "100000000"');
    const nested = `{"prompt":"x","reference":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
    world.files.set('nested.jsonl', Buffer.from(nested));
    expect(await world.seam('eval', 'nested.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('got a value in thousands of brackets');
  });
});
