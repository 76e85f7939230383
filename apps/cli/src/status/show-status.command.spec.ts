import { encodeEvent } from '@seamstream/events';
import { StatusReader } from '@seamstream/operations/status';
import { published, recorded } from '../../../../libs/read-models/src/log-of.contract.js';
import { adapterPublished, EXAMPLE_LINEAGE } from '../../../../libs/read-models/src/training-log.contract.js';
import { promotedByRun } from '../../../../libs/release/src/promotion-log.contract.js';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam status', () => {
  it('counts problems, says what nobody has answered yet, and what the last run came to', async () => {
    await world.log.append(
      [published('p1'), published('p2'), recorded('p1', true), ...EXAMPLE_LINEAGE].map(encodeEvent),
    );
    expect(await world.seam('status')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toMatch(/^problems +2: 1 solved, 0 not, 1 in flight/m);
    expect(shown).toMatch(/^generator +2 records of seam\.problems to go$/m);
    expect(shown).toMatch(/^executor +has all of seam\.experiences$/m);
    expect(shown).toMatch(/^last run +r2 grpo: rejected, worse than its parent$/m);
    expect(shown).toMatch(/^served +/m);
    expect(await world.seam('status', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ ledger: { published: 2 }, runs: { all: 1 } }]);
  });

  it('says what share of the entries quotes its problem truly, of all and of what is served', async () => {
    await world.log.append([published('p1'), recorded('p1', true)].map(encodeEvent));
    await world.seam('status');
    expect(world.takeOutput()).not.toContain('faithful');
    const written = [
      ...[true, false].map((faithful, index) => recorded('p2', true, { index, size: 2, faithful })),
      ...[true, true, true, false].map((faithful, index) =>
        recorded('p3', true, { index, size: 4, faithful, adapterDigest: 'z' }),
      ),
    ];
    await world.log.append(written.map(encodeEvent));
    await world.seam('status');
    // The bare base model is served.
    expect(world.takeOutput()).toMatch(/^entries +faithful 66\.7 % of 6, of what is served 50\.0 % of 2$/m);
    await world.log.append(promotedByRun({ adapterDigest: 'z' }).map((event) => encodeEvent(event)));
    await world.seam('status', '--json');
    expect(world.takeJson()).toMatchObject([
      { served: 'z', entries: { all: { quoting: 6, faithful: 4 }, served: { quoting: 4, faithful: 3 } } },
    ]);
  });

  it('reads on what is new alone, and tells the same as who reads all', async () => {
    const reader = new StatusReader(world.log);
    const { signal } = new AbortController();
    for (const event of [
      published('p1'),
      ...EXAMPLE_LINEAGE,
      recorded('p1', true),
      adapterPublished('z', null, 'r9'),
    ]) {
      await world.log.append([encodeEvent(event)]);
      expect(await reader.read(signal)).toEqual(await new StatusReader(world.log).read(signal));
    }
  });

  it('watches until Ctrl-C, which is no failure, and tells a stream what has changed alone', async () => {
    const watching = world.seam('status', '--watch', '--every', '1', '--json');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await world.log.append([encodeEvent(published('p1'))]);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    world.interrupt();
    expect(await watching).toBe(0);
    expect(world.takeJson()).toMatchObject([{ ledger: { published: 0 } }, { ledger: { published: 1 } }]);
  });
});
