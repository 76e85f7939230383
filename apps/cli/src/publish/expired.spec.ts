import { TOPIC } from '@seamstream/events';
import { totalRecords } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

const problem = (n: number, expiresAt?: string) => ({
  ...{ domain: 'sums', prompt: `What is ${n} + 1?`, reference: String(n + 1), verifier: 'numeric' },
  ...(expiresAt === undefined ? {} : { expiresAt }),
});
const file = (...rows: readonly object[]): void =>
  void world.files.set('p.jsonl', Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
const recorded = async (): Promise<number> => await totalRecords(world.log, TOPIC.problems);
/** This many milliseconds from the clock of the command line. */
const in_ = (ms: number): string => new Date(world.clock.now() + ms).toISOString();

describe('seam publish of problems that have expired', () => {
  it('publishes them and says how many, which is the first, what becomes of them and what to do', async () => {
    const [past, now, future] = [in_(-1000), in_(0), in_(1)];
    file(problem(1), problem(2, past), problem(3, now), problem(4, future));
    expect(await world.seam('publish', 'p.jsonl', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ published: 4, expired: { problems: 2, firstRow: 2 } }]);
    expect(world.takeErrors()).toContain(
      `2 of 4 problems of p.jsonl have expired already, the first in line 2 (expiresAt ${past}): no service will solve them, and the ledger will count them as expired. Correct expiresAt, or leave them out (--expired skip, or refuse).`,
    );
    expect(await recorded()).toBe(4);
  });

  it('leaves them out, or refuses the file, where that is asked for', async () => {
    file(problem(1), problem(2, in_(-1)), problem(3));
    expect(await world.seam('publish', 'p.jsonl', '--expired', 'refuse')).toBe(2);
    expect(world.takeErrors()).toContain('1 of 3 problems of p.jsonl has expired already, the first in line 2');
    expect(await recorded()).toBe(0);
    expect(await world.seam('publish', 'p.jsonl', '--expired', 'skip')).toBe(0);
    expect(world.takeErrors()).toContain('(expiresAt 2030-01-31T11:59:59.999Z): left out.');
    expect(await recorded()).toBe(2);
  });

  it('says so before anything is recorded, and records nothing where all of them have', async () => {
    file(problem(1, in_(-1)));
    expect(await world.seam('publish', 'p.jsonl', '--dry-run', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ published: 0, expired: { problems: 1, firstRow: 1 } }]);
    expect(world.takeErrors()).toContain('1 of 1 problem of p.jsonl has expired already');
    expect(await world.seam('publish', 'p.jsonl', '--expired', 'skip')).toBe(2);
    expect(world.takeErrors()).toContain('but all 1 have expired. Nothing was recorded.');
    expect(await recorded()).toBe(0);
  });

  it('judges only what the log does not hold, and lets the limit count what is published', async () => {
    file(problem(1), problem(2, in_(10)), problem(3), problem(4, in_(10)), problem(5), problem(6));
    expect(await world.seam('publish', 'p.jsonl', '--limit', '2', '--expired', 'refuse')).toBe(0);
    world.clock.advance(10);
    world.takeErrors();
    // Row 2 has expired meanwhile, but it is there; row 4 is not, and is dropped before the limit counts.
    expect(await world.seam('publish', 'p.jsonl', '--limit', '2', '--expired', 'refuse')).toBe(2);
    expect(world.takeErrors()).toContain('1 of 2 problems of p.jsonl has expired already, the first in line 4');
    world.takeOutput();
    expect(await world.seam('publish', 'p.jsonl', '--limit', '2', '--expired', 'skip')).toBe(0);
    expect(world.takeOutput()).toMatch(
      /^published 2 problems of p\.jsonl \(\w+\), 2 were in the log already, 1 left out as expired, 1 left over\n$/,
    );
    expect(await recorded()).toBe(4);
  });

  it('says nothing of problems that have time', async () => {
    file(problem(1), problem(2, in_(1)));
    expect(await world.seam('publish', 'p.jsonl', '--json')).toBe(0);
    expect(world.takeErrors()).not.toContain('expired');
    expect(world.takeJson()).not.toMatchObject([{ expired: expect.anything() as unknown }]);
  });
});
