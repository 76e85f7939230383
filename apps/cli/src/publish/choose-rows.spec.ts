/** The reported counts of publishing a file add up, for any file, log and options. */

import { TOPIC } from '@seamstream/events';
import type { RowCounts } from '@seamstream/operations/publish';
import { totalRecords } from '@seamstream/testing';
import fc from 'fast-check';
import { fakeWorld } from '../command-runtime.fake.js';

interface Row {
  /** Few, so that questions are asked twice. */
  readonly question: number;
  readonly hasExpired: boolean;
  readonly hasId: boolean;
}

const LATE = '2030-01-31T11:59:59Z';
const QUESTIONS = ['Who?', 'What is it?', 'Where does it lie?', 'When was that?', 'Why so?', 'How is it made?'];

const fileOf = (rows: readonly Row[]): Uint8Array =>
  Buffer.from(
    rows
      .map(({ question, hasExpired, hasId }, at) =>
        JSON.stringify({
          prompt: QUESTIONS[question],
          reference: '1',
          ...(hasExpired ? { expiresAt: LATE } : {}),
          ...(hasId ? { problemId: `own-${at}` } : {}),
        }),
      )
      .map((line) => `${line}\n`)
      .join(''),
  );

const rows = fc.array(
  fc.record({
    question: fc.nat(QUESTIONS.length - 1),
    hasExpired: fc.boolean(),
    hasId: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);
const cases = fc.record({
  rows,
  /** Published first, from another file. */
  elsewhere: fc.array(fc.nat(QUESTIONS.length - 1), { maxLength: 3 }),
  /** Published first, from this file; 0: nothing. */
  before: fc.nat(4),
  /** In a file that is kept for testing. */
  against: fc.array(fc.nat(QUESTIONS.length - 1), { maxLength: 2 }),
  duplicates: fc.constantFrom('skip', 'report'),
  expired: fc.constantFrom('skip', 'report'),
  limit: fc.option(fc.integer({ min: 1, max: 8 })),
  again: fc.boolean(),
});

describe('the summary of a publication', () => {
  it('counts every row once, and as published those that came into the log', async () => {
    let added = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const world = await fakeWorld();
        const inLog = async (): Promise<number> => await totalRecords(world.log, TOPIC.problems);
        const asRows = (questions: readonly number[]): Row[] =>
          questions.map((question) => ({ question, hasExpired: false, hasId: false }));
        world.files.set('p.jsonl', fileOf(one.rows));
        world.files.set('other.jsonl', fileOf(asRows(one.elsewhere)));
        world.files.set('test.jsonl', fileOf(asRows(one.against)));
        if (one.elsewhere.length > 0) await world.seam('publish', 'other.jsonl');
        if (one.before > 0) await world.seam('publish', 'p.jsonl', '--limit', String(one.before));
        world.takeOutput();
        const start = await inLog();
        const status = await world.seam(
          ...['publish', 'p.jsonl', '--duplicates', one.duplicates, '--expired', one.expired, '--json'],
          ...(one.limit === null ? [] : ['--limit', String(one.limit)]),
          ...(one.against.length === 0 ? [] : ['--against', 'test.jsonl']),
          ...(one.again ? ['--again'] : []),
        );
        const grown = (await inLog()) - start;
        if (status !== 0) {
          expect([status, grown]).toEqual([2, 0]);
          return;
        }
        added++;
        const [{ rows: counts }] = world.takeJson() as [{ rows: RowCounts }];
        const { read, published, inLog: there, elsewhere, duplicates, expired, leftOver } = counts;
        expect(read).toBe(one.rows.length);
        expect(published + there + elsewhere + duplicates + expired + leftOver).toBe(read);
        expect(published).toBe(grown);
        expect(published).toBeGreaterThan(0);
        expect(published).toBeLessThanOrEqual(one.limit ?? read);
        // Something is left over only where the limit was reached.
        if (leftOver > 0) expect(published).toBe(one.limit);
        if (one.expired === 'report') expect(expired).toBe(0);
        if (one.duplicates === 'report') expect([duplicates, elsewhere]).toEqual([0, 0]);
        if (one.again) expect([there, elsewhere]).toEqual([0, 0]);
      }),
      { numRuns: 150 },
    );
    expect(added).toBeGreaterThan(30);
  });

  it('counts what was not reached before a stop as left over', async () => {
    const world = await fakeWorld();
    world.files.set(
      'p.jsonl',
      fileOf(Array.from({ length: 1200 }, () => ({ question: 0, hasExpired: false, hasId: false }))),
    );
    const transact = world.log.transact.bind(world.log);
    world.log.transact = (transaction) => {
      world.interrupt();
      return transact(transaction);
    };
    expect(await world.seam('publish', 'p.jsonl', '--limit', '1100', '--json')).toBe(130);
    expect(world.takeJson()).toMatchObject([{ published: 500, rows: { read: 1200, published: 500, leftOver: 700 } }]);
    expect(world.takeErrors()).toContain('With --limit 600 it ends where this one would have.');
  });
});

describe('a bad row', () => {
  it.each([
    ['is passed over where a limit stops short of it', '2', 0],
    ['refuses the file where the limit goes beyond it', '3', 2],
  ])('%s', async (_, limit, status) => {
    const world = await fakeWorld();
    const good = fileOf([0, 1].map((question) => ({ question, hasExpired: false, hasId: false })));
    world.files.set('p.jsonl', Buffer.concat([good, Buffer.from('bad\n'), good]));
    expect(await world.seam('publish', 'p.jsonl', '--limit', limit)).toBe(status);
    // What the log holds is not counted by the limit, so that the bad row is come to now.
    expect(await world.seam('publish', 'p.jsonl', '--limit', '1')).toBe(status === 0 ? 2 : 0);
  });
});
