import { encodeEvent } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { fakeWorld } from '../command-runtime.fake.js';

describe('seam train', () => {
  it('runs once and prints the result', async () => {
    const world = await fakeWorld();
    expect(await world.seam('train', 'sft')).toBe(0);
    expect(world.takeOutput()).toBe(`run      r1\nresult   promoted\nadapter  ${'a'.repeat(64)}\nloss     0.5\n`);
  });

  it('ends with 1 and the reason when there is nothing to learn from', async () => {
    const world = await fakeWorld();
    expect(await world.seam('train', 'grpo', '--set', 'duration={"unit":"steps","steps":1}', '--json')).toBe(1);
    expect(world.takeJson()).toMatchObject([{ status: 'refused', reason: 'no variance' }]);
    expect(await world.seam('train', 'grpo', '--set', 'duration={"unit":"steps","steps":1}')).toBe(1);
    const said = world.takeOutput();
    expect(said).toMatch(/^liveGroups +0\n\nno-variance: Give the groups both better and worse entries: .*\.\n$/m);
    expect(said).not.toContain('finding.');
  });

  it('shows every setting with its default in a dry run, and what was set', async () => {
    const world = await fakeWorld();
    expect(
      await world.seam('train', 'grpo', '--dry-run', '--json', '--set', 'batchSize=32', '--set', 'clip.low=0.1'),
    ).toBe(0);
    expect(world.takeJson()).toMatchObject([
      { algorithm: 'grpo', configuration: { batchSize: 32, clip: { low: 0.1, high: 0.3 }, advantage: 'mean' } },
    ]);
  });

  it("begins with a preset's settings where one is named, and what is set goes before them", async () => {
    const world = await fakeWorld();
    const options = ['train', 'grpo', '--preset', 'seam-paper', '--dry-run', '--json'];
    expect(
      await world.seam(...options, '--set', 'clip.high=0.28', '--set', 'duration={"unit":"steps","steps":2}'),
    ).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        configuration: {
          clip: { low: 0.2, high: 0.28 },
          learningRate: { peak: 1e-6 },
          batchSize: 80,
          duration: { unit: 'steps', steps: 2 },
        },
      },
    ]);
    expect(await world.seam('train', 'grpo', '--preset', 'seam-papers', '--dry-run')).toBe(2);
    expect(world.takeErrors()).toContain('Allowed choices are embedded, seam-paper');
  });

  it('refuses unknown settings, algorithms and values', async () => {
    const world = await fakeWorld();
    expect(await world.seam('train', 'sft', '--set', 'batchsize=32', '--set', 'minRows=-1')).toBe(2);
    const said = world.takeErrors();
    expect(said).toContain('batchsize');
    expect(said).toContain('minRows');
    expect(await world.seam('train', 'ppo')).toBe(2);
    expect(world.takeErrors()).toContain('Allowed choices are grpo, rest-em, sft');
  });
});

describe('seam replay --verify-adapter', () => {
  it('ends with 0 when training gives the recorded digest again, with 1 when it does not', async () => {
    const world = await fakeWorld();
    for (const adapterDigest of ['a'.repeat(64), 'b'.repeat(64)]) {
      await world.log.append([encodeEvent({ ...EXAMPLE_EVENTS.AdapterPublished, adapterDigest })]);
    }
    expect(await world.seam('replay', '--verify-adapter', 'aaaa')).toBe(0);
    expect(world.takeOutput()).toContain('The log gives this adapter again.');
    expect(await world.seam('replay', '--verify-adapter', 'bbbb', '--json')).toBe(1);
    expect(world.takeJson()).toMatchObject([{ verified: 'adapter', equal: false, recordedDigest: 'b'.repeat(64) }]);
    expect(await world.seam('replay', '--verify-adapter', 'cccc')).toBe(2);
  });

  it('says what trained, and by what the adapters were compared', async () => {
    const world = await fakeWorld();
    for (const digit of ['a', 'c', 'd'])
      await world.log.append([encodeEvent({ ...EXAMPLE_EVENTS.AdapterPublished, adapterDigest: digit.repeat(64) })]);
    expect(await world.seam('replay', '--verify-adapter', 'aaaa')).toBe(0);
    const byDigest = world.takeOutput();
    expect(byDigest).toMatch(/^engine +torch \(peft 0\.21\.2, torch 2\.13\.0\), cpu, float32, 2 processes$/m);
    expect(byDigest).toMatch(/^compared +by digest: every bit$/m);
    expect(await world.seam('replay', '--verify-adapter', 'cccc')).toBe(0);
    expect(world.takeOutput()).toMatch(
      /^compared +by tolerance: weights 0\.00040 \(layers\.0\.k_proj\.bias\) of at most 0\.001, change 0\.010 of at most 0\.02$/m,
    );
    expect(await world.seam('replay', '--verify-adapter', 'dddd')).toBe(1);
    expect(world.takeOutput()).toContain('DIFFERENT');
    await world.seam('replay', '--verify-adapter', 'dddd', '--json');
    expect(world.takeJson()).toMatchObject([
      { equal: false, comparison: { by: 'tolerance', difference: { weights: 3e-3 } } },
    ]);
  });
});
