import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const FILE = ['1', '1', '2']
  .map((reference, index) => JSON.stringify({ prompt: `Question ${index}?`, reference, verifier: 'numeric' }))
  .join('\n');
const linesOf = (world: FakeWorld, path: string): Line[] =>
  Buffer.from(world.files.get(path)!)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
  world.files.set('p.jsonl', Buffer.from(FILE));
});

describe('a file of predictions', () => {
  it('has a line per arm and problem, in that order, whose verdicts are the rates of the evaluation', async () => {
    const arms = ['--arms', 'trained,noExperience'];
    expect(await world.seam('eval', 'p.jsonl', ...arms, '--predictions', 'out.jsonl', '--json')).toBe(0);
    const [result] = world.takeJson() as [{ arms: Record<string, { solved: boolean[] }> }];
    const lines = linesOf(world, 'out.jsonl');
    expect(lines.map(({ arm }) => arm)).toEqual([
      ...Array<string>(3).fill('noExperience'),
      ...Array<string>(3).fill('trained'),
    ]);
    for (const [arm, { solved }] of Object.entries(result.arms))
      expect(lines.filter((line) => line.arm === arm).map(({ success }) => success)).toEqual(solved);
    expect(lines[3]).toMatchObject({ sample: 0, entry: { strategy: ['add 1'] }, answer: '1', seed: 'seam' });
    expect(lines[0]).toMatchObject({ entry: null, adapterDigest: null, reference: '1' });
  });

  it('has a line per drawn answer', async () => {
    const drawing = ['--arms', 'trained', '--samples', '4', '--predictions', 'out.jsonl'];
    expect(await world.seam('eval', 'p.jsonl', ...drawing)).toBe(0);
    const lines = linesOf(world, 'out.jsonl');
    expect(lines.map(({ sample }) => sample)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
    expect(lines.slice(0, 4).map(({ answer }) => answer)).toEqual(['0', '1', '1', '1']);
  });

  it('has every row of a study', async () => {
    const rows = ['--rows', 'noExperience,trained,entryAlone', '--candidates', '0'];
    expect(await world.seam('study', 'controls', 'p.jsonl', ...rows, '--predictions', 'out.jsonl', '--json')).toBe(0);
    const [study] = world.takeJson() as [{ rows: Record<string, { solved: (boolean | null)[] }> }];
    const lines = linesOf(world, 'out.jsonl');
    for (const [row, { solved }] of Object.entries(study.rows))
      expect(lines.filter(({ arm }) => arm === row).map(({ success }) => success)).toEqual(solved);
    expect(lines).toHaveLength(9);
  });

  it.each([[['eval']], [['study', 'controls']]])('holds what was known when it was stopped: %s', async (command) => {
    const { executor } = world.models;
    let asked = 0;
    const answer: typeof executor.answer = (prompts, options) => {
      if (++asked === 2) world.interrupt();
      return executor.answer(prompts, options);
    };
    world.models = { ...world.models, executor: { ...executor, answer } };
    expect(await world.seam(...command, 'p.jsonl', '--predictions', 'out.jsonl')).toBe(130);
    const part = [...world.files.keys()].find((name) => name.endsWith('.part'))!;
    const lines = linesOf(world, part);
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(world.takeErrors()).toContain(`${lines.length} predictions up to here are in ${part}.`);
    expect(world.files.has('out.jsonl')).toBe(false);
  });

  it('is refused where it would take another file’s place, before a model is asked', async () => {
    expect(await world.seam('eval', 'p.jsonl', '--predictions', 'p.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot write p.jsonl: expected no file of that name, got one.');
    expect(Buffer.from(world.files.get('p.jsonl')!).toString()).toBe(FILE);
  });

  it('replaces an existing file with --force, of an evaluation and of a study', async () => {
    for (const command of [['eval'], ['study', 'controls']]) {
      world.files.set('out.jsonl', Buffer.from('mine'));
      const asked = [...command, 'p.jsonl', '--predictions', 'out.jsonl'];
      expect(await world.seam(...asked)).toBe(2);
      expect(Buffer.from(world.files.get('out.jsonl')!).toString()).toBe('mine');
      expect(await world.seam(...asked, '--force')).toBe(0);
      expect(linesOf(world, 'out.jsonl').length).toBeGreaterThan(3);
    }
  });
});

interface Line {
  readonly problemId: string;
  readonly arm: string;
  readonly sample: number;
  readonly success: boolean | null;
  readonly entry: unknown;
  readonly answer: string | null;
}
