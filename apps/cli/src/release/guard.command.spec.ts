/** A guard from its declaration to its end, on a log: what the commands say and record, and what they refuse. */
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { eventsOf } from '@seamstream/testing';
import { guardedProblems } from '@seamstream/testing/release-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const WHY = ['--by', 'ada', '--reason', 'the night is long'] as const;

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam release guard', () => {
  it('mutes a domain with harm, says what that is worth, makes it again, and obeys a person', async () => {
    const guardId = await on();
    await drawn(guardId, true, 20, 250);
    await drawn(guardId, false, 26, 4);
    await world.seam('release', 'decide');
    expect(world.takeOutput()).toMatch(/^guard: sums muted \(7.4 % of 270 were solved with entries, 86.7 % of 30/);
    await drawn(guardId, false, 80, 20, 0.98);
    const status = await told('release', 'status');
    expect(status).toMatch(/Guard \S+ over the base model, by ada \(the night is long\): 5.0 % risk/);
    expect(status).toMatch(/sums +270 +130 +−\d+\.\d .* muted/);
    expect(status).toMatch(
      /In sums 100 problems had no entry since it was muted: with one −\d+ more .*: harm was prevented/,
    );
    expect(status).toMatch(/The control arm: what it costs, and below 0 what it prevents/);
    expect(await told('release', 'recompute')).toBe('guard  sums of the base model  muted  same bytes\n');
    expect(await told('release', 'recompute', 'guard')).toMatch(/same bytes/);
    expect(await told('release', 'guard', 'unmute', 'sums', ...WHY)).toMatch(/sums is not muted any more/);
    expect(await told('release', 'decide')).toMatch(/Nothing to decide/);
    expect(await told('release', 'status')).toMatch(/unmuted +ada: the night is long/);
    expect(await told('release', 'guard', 'off', ...WHY)).toMatch(/switched the guard off/);
    expect(await told('release', 'status')).toMatch(/No guard is on/);
  });

  it('prints the plan that would be taken, and records nothing', async () => {
    expect(JSON.parse(await told('release', 'guard', 'on', '--show'))).toMatchObject({ alpha: 0.05, share: 0.02 });
    expect(await eventsOf(world.log, 'GuardPlanned')).toEqual([]);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['a plan without a reason', ['on', '--by', 'ada'], /expected --reason/],
    ['a plan of another version', ['on', '--plan', 'plan.json', ...WHY], /Cannot read the plan of a guard: version/],
    ['to switch off what is not on', ['off', ...WHY], /it is not on/],
    ['to unmute without a guard', ['unmute', 'sums', ...WHY], /no guard is on/],
    ['a blank name', ['on', '--by', ' ', '--reason', 'why'], /--by/],
  ])('refuses %s, and records nothing', async (_, words, error) => {
    world.files.set('plan.json', Buffer.from('{"version":9}'));
    expect(await world.seam('release', 'guard', ...words)).toBe(2);
    expect(world.takeErrors()).toMatch(error);
    expect(await eventsOf(world.log, 'GuardPlanned')).toEqual([]);
  });
});

async function on(): Promise<string> {
  expect(await world.seam('release', 'guard', 'on', '--json', ...WHY)).toBe(0);
  return (world.takeJson()[0] as { readonly guardId: string }).guardId;
}

async function told(...words: readonly string[]): Promise<string> {
  world.takeOutput();
  expect(await world.seam(...words)).toBe(0);
  return world.takeOutput();
}

async function drawn(guardId: string, treated: boolean, solved: number, failed: number, controlShare = 0.1) {
  const events: readonly SeamEvent[] = guardedProblems({
    ...{ guardId, domain: 'sums', treated, solved, failed, controlShare },
  });
  await world.log.append(events.map(encodeEvent));
}
