/** Users of the gateway, as the commands name them and sign them out. */
import { userIdOf } from '@seamstream/operations/access';
import { eventsOf } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const ISSUER = 'https://login.example.org';
let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam gateway users', () => {
  it('names a user, and ends all of their sessions by that name', async () => {
    expect(await world.seam('gateway', 'users', 'name', '248289761001', '--issuer', ISSUER)).toBe(0);
    const user = world.takeOutput().trim();
    expect(user).toBe(userIdOf(ISSUER, '248289761001'));
    expect(await signOut(user)).toBe(0);
    expect(world.takeOutput()).toContain(`signed out ${user}`);
    expect(await eventsOf(world.log, 'SessionEnded')).toMatchObject([
      { userId: user, sessionId: null, endedBy: 'ada', reason: 'left' },
    ]);
  });

  it('refuses to sign out what is no user, and records nothing', async () => {
    for (const name of ['aB3dE6gH9jK2', '248289761001', '*']) {
      expect(await signOut(name)).toBe(2);
      expect(world.takeErrors()).toContain('expected the name of a user');
    }
    expect(await eventsOf(world.log, 'SessionEnded')).toEqual([]);
  });
});

const signOut = (user: string): Promise<number> =>
  world.seam('gateway', 'users', 'sign-out', user, '--by', 'ada', '--reason', 'left');
