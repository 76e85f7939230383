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

  it('refuses unknown arms, bad lines and adapters that are not in the log', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from(FILE));
    world.files.set('bad.jsonl', Buffer.from('{"prompt":"x"}'));
    expect(await world.seam('eval', 'p.jsonl', '--arms', 'trained,magic')).toBe(2);
    expect(world.takeErrors()).toContain('expected names of noExperience, wrapperOnly');
    expect(await world.seam('eval', 'bad.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('line 1: reference: expected a text');
    expect(await world.seam('eval', 'p.jsonl', '--adapter', 'abcd1234')).toBe(2);
    expect(world.takeErrors()).toContain('Looking for adapter abcd1234');
  });
});
