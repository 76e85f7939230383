import { encodeEvent } from '@seamstream/events';
import { recorded } from '@seamstream/testing/log-of';
import { adapterPublished } from '@seamstream/testing/training-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

describe('seam learned', () => {
  let world: FakeWorld;
  beforeEach(async () => {
    world = await fakeWorld();
  });

  it('says of each fact how often its problems are solved: without an entry, untrained, by the newest adapter', async () => {
    const events = [
      adapterPublished('d1', null, 'r1'),
      adapterPublished('d2', 'd1', 'r2'),
      recorded('a', false, { facts: 'cow, left' }),
      recorded('b', true, { facts: 'cow', adapterDigest: 'd1' }),
      recorded('c', true, { facts: 'cow', adapterDigest: 'd2' }),
      recorded('d', false, { facts: 'cow', adapterDigest: 'd2' }),
      recorded('e', false, { facts: 'cow', arm: 'control' }),
      recorded('f', true, { facts: 'cow', adapterDigest: 'never published' }),
    ];
    await world.log.append(events.map(encodeEvent));
    expect(await world.seam('learned')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^arithmetic +cow +0\.0 % +0\.0 % +50\.0 % +2 +v2$/m);
    expect(output).toMatch(/^arithmetic +left +– +0\.0 % +– +– +–$/m);
    expect(await world.seam('learned', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        facts: [
          { fact: 'cow', now: { adapterDigest: 'd2', outcomes: 2, successes: 1 } },
          { fact: 'left', now: null },
        ],
        leftOut: 0,
      },
    ]);
  });

  it('says so where no problem names a fact', async () => {
    await world.log.append([recorded('a', true)].map(encodeEvent));
    expect(await world.seam('learned')).toBe(0);
    expect(world.takeOutput()).toContain('No problem with a verdict names the facts');
  });
});
