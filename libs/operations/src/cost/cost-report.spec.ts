/** What is added up for a report, and what is not: each attempt of each tenant once, in one reading. */
import { jest } from '@jest/globals';
import { type EventOf, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { type FlakyLog, openLog } from '@seamstream/testing';
import { answerTo, asWritten, attempted } from '@seamstream/testing/log-of';
import { guardedProblems } from '@seamstream/testing/release-log';
import { type EstimateMemory, readCounts } from '../read-models/index.js';
import { type CostWanted, costReport } from './cost-report.js';

let log: FlakyLog;
beforeEach(async () => {
  log = await openLog();
});
const append = (...events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));

describe('A report of costs', () => {
  it('counts an attempt of each tenant, though two tenants give theirs the same id', async () => {
    const own = attempted('p', true, { arm: 'deploy' });
    const theirs = own.map(ofAcme);
    await append(...own, own[2]!, ...theirs, theirs[2]!);
    const { rows, extra } = await report({ by: 'tenant' });
    expect(rows.map(({ name, attempts }) => [name, attempts]).toSorted()).toEqual([
      ['acme', 1],
      ['default', 1],
    ]);
    expect(extra!.rows.map(({ name, problems }) => [name, problems])).toContainEqual([null, 2]);
  });

  it('does not take a problem for one to learn from since another tenant explores one of its id', async () => {
    const [deployed, ...control] = attempted('p', true, { arm: 'control' }) as [
      EventOf<'ProblemPublished'>,
      ...SeamEvent[],
    ];
    const explored: SeamEvent = { ...deployed, mode: 'explore' };
    await append(ofAcme(explored), deployed, ...control, ...attempted('q', true, { arm: 'deploy' }));
    expect((await report({ by: 'arm' })).extra!.besides.exploration.items).toBe(0);
    await append(...control.map(ofAcme));
    expect((await report({ by: 'arm' })).extra!.besides.exploration.items).toBe(1);
  });

  it('counts an answer when it was asked, and not once more when feedback settles it', async () => {
    const [first, written, settled] = attempted('p', true, { arm: 'deploy' });
    const asked = answerTo([first!, written!]);
    const sinceMs = asked.meta.occurredAt + 1;
    await append(first!, written!, asked, { ...settled!, meta: { ...settled!.meta, occurredAt: sinceMs } });
    for (const [since, attempts] of [
      [0, 1],
      [sinceMs, 0],
    ] as const) {
      const { rows, extra } = await report({ by: 'arm', sinceMs: since });
      expect(rows.reduce((sum, row) => sum + row.attempts, 0)).toBe(attempts);
      expect(extra!.rows.reduce((sum, row) => sum + row.problems, 0)).toBe(attempts);
    }
  });

  it('reads each record once', async () => {
    await append(...attempted('p', true));
    const read = jest.spyOn(log, 'read');
    const readings = (): string[] => read.mock.calls.map(([{ topic }]) => topic).filter((topic) => WORK.has(topic));
    await costReport({ log, lift }, { by: 'model', sinceMs: 0 }, OPTIONS);
    expect(readings()).toEqual([TOPIC.problems, TOPIC.experiences, TOPIC.outcomes]);
    const counts = await lift();
    read.mockClear();
    await costReport({ log, lift: () => Promise.resolve(counts) }, { by: 'arm', sinceMs: 0 }, OPTIONS);
    expect(readings()).toEqual([TOPIC.problems, TOPIC.experiences, TOPIC.outcomes]);
    read.mockRestore();
  });

  it('estimates no lift that it does not show, and none twice', async () => {
    const drawn = { guardId: 'g', controlShare: 0.5 };
    for (const [domain, solved] of [
      ['sums', 9],
      ['words', 5],
    ] as const)
      await append(
        ...asWritten([
          ...guardedProblems({ ...drawn, domain, treated: true, solved, failed: 2 }),
          ...guardedProblems({ ...drawn, domain, treated: false, solved: 2, failed: 7 }),
        ]),
      );
    const estimates: EstimateMemory = new Map();
    for (const [by, known] of [
      ['model', 0],
      ['arm', 1],
      ['arm', 1],
      ['domain', 3],
    ] as const) {
      await costReport({ log, lift, estimates }, { by, sinceMs: 0 }, OPTIONS);
      expect([by, estimates.size]).toEqual([by, known]);
    }
  });
});

const WORK: ReadonlySet<string> = new Set([TOPIC.problems, TOPIC.experiences, TOPIC.answers, TOPIC.outcomes]);
const OPTIONS = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};

const lift = async () => (await readCounts({ log, snapshots: null }, OPTIONS)).answer;
const report = (wanted: Pick<CostWanted, 'by'> & Partial<CostWanted>) =>
  costReport({ log, lift }, { sinceMs: 0, ...wanted }, OPTIONS);

function ofAcme<E extends SeamEvent>(event: E): E {
  return { ...event, meta: { ...event.meta, tenant: 'acme' } };
}
