/** What an extra solved problem costs, by figures that a person computes by hand, and from a log. */
import { type EventOf, encodeEvent, originMeta, type SeamEvent } from '@seamstream/events';
import { EXAMPLE_EVENTS, type FlakyLog, openLog } from '@seamstream/testing';
import { asWritten, generated, published, recorded } from '@seamstream/testing/log-of';
import { guardedProblems } from '@seamstream/testing/release-log';
import { readCounts } from '../read-models/index.js';
import { costReport } from './cost-report.js';
import { type ArmsCost, extraSolvedOf, type PartCost } from './extra-solved.decide.js';
import type { ExtraGroup } from './extra-solved.js';

const cost = (treated: PartCost, control: PartCost, generator: PartCost): ArmsCost => ({ treated, control, generator });
const part = (items: number, money: number, unknown = 0): PartCost => ({ items, unknown, money });

describe('The cost of an extra solved problem', () => {
  // A treated problem costs 300 and its entry 50; a control costs 100: 250 more.
  const paid = cost(part(100, 30_000), part(10, 1_000), part(100, 5_000));

  it('is what treated problems cost more, by what is solved in addition, with the ends of the lift', () => {
    expect(extraSolvedOf('sums', paid, { value: 0.25, interval95: [0.1, 0.5] })).toEqual({
      ...{ name: 'sums', problems: 100, shown: 'extra' },
      extraCost: { executor: 20_000, generator: 5_000, all: 25_000 },
      extraSolved: { value: 25, interval: [10, 50] },
      perExtra: { value: 1_000, interval: [500, 2_500] },
    });
  });

  it('is below 0 where entries make answers cheaper', () => {
    const cheaper = cost(part(10, 500), part(10, 2_000), part(10, 500));
    expect(extraSolvedOf(null, cheaper, { value: 0.5, interval95: [0.25, 1] }).perExtra).toEqual({
      value: -200,
      interval: [-400, -100],
    });
  });

  it.each<[readonly [number, number], string]>([
    [[-0.1, 0.5], 'not shown'],
    [[0, 0.5], 'not shown'],
    [[-0.5, -0.1], 'harm'],
  ])('is said of no problem where the lift is from %j', (interval95, shown) => {
    expect(extraSolvedOf('sums', paid, { value: 0.1, interval95 })).toMatchObject({ perExtra: null, shown });
  });

  it.each<[string, ArmsCost]>([
    ['the executor', cost(part(100, 0, 100), part(10, 1_000), part(100, 5_000))],
    ['a control', cost(part(100, 30_000), part(0, 0), part(100, 5_000))],
    ['an entry', cost(part(100, 30_000), part(10, 1_000), part(100, 0, 100))],
  ])('is unknown, and not less, where no price of %s is known', (_, unknown) => {
    const { extraCost, perExtra, shown } = extraSolvedOf('sums', unknown, { value: 0.25, interval95: [0.1, 0.5] });
    expect([extraCost.all, perExtra, shown]).toEqual([null, null, 'extra']);
    expect(extraSolvedOf('sums', paid, null)).toMatchObject({ extraSolved: null, perExtra: null, shown: 'unknown' });
  });
});

let log: FlakyLog;

describe('The costs of a log', () => {
  const append = (...events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));
  beforeEach(async () => {
    log = await openLog();
    // 2 in millionths for a token that the executor reads, 3 for one that it writes, 10 for each of the generator's.
    await append(price('e', 2, 3), price('b', 10, 10));
    // Each attempt reads 1 token and writes 1: 5. Each entry reads 2 and writes 1: 30.
    for (const domain of ['sums', 'words'])
      await append(
        ...priced(guardedProblems({ ...DRAWN, domain, treated: true, solved: 380, failed: 20 })),
        ...priced(
          guardedProblems({ ...DRAWN, domain, treated: false, solved: domain === 'sums' ? 5 : 38, failed: 35 }),
        ),
      );
  });

  it('tell what treated problems cost more, in all and by domain', async () => {
    const { rows } = await extraCostBy('domain');
    expect(rows.map(({ name, problems, extraCost }) => [name, problems, extraCost])).toEqual([
      ['sums', 400, { executor: 0, generator: 12_000, all: 12_000 }],
      ['words', 400, { executor: 0, generator: 12_000, all: 12_000 }],
      [null, 800, { executor: 0, generator: 24_000, all: 24_000 }],
    ]);
    // 30 more for each, and 95 % less 12.5 % more are solved: 30 / 0.825.
    expect(rows[0]!.perExtra!.value).toBeCloseTo(30 / 0.825, 9);
    const [low, high] = rows[0]!.extraSolved!.interval;
    expect(rows[0]!.perExtra!.interval[0]).toBeCloseTo(12_000 / high, 9);
    expect(rows[0]!.perExtra!.interval[1]).toBeCloseTo(12_000 / low, 9);
  });

  it('say where arms are not as they were drawn: what is solved in addition may come from that', async () => {
    expect((await extraCostBy('arm')).isCausal).toBe(true);
    const halved = { ...DRAWN, controlShare: 0.5, domain: 'sums' };
    await append(...priced(guardedProblems({ ...halved, treated: true, solved: 60, failed: 0 })));
    expect((await extraCostBy('arm')).isCausal).toBe(false);
  });

  it('tell each tenant by its own problems and its own interval', async () => {
    const theirs = { ...DRAWN, guardId: 'g-2', domain: 'acme' };
    const ofTenant = (events: readonly SeamEvent[]): readonly SeamEvent[] =>
      events.map((event) => ({ ...event, meta: { ...event.meta, tenant: 'acme' } }));
    await append(
      ...ofTenant(priced(guardedProblems({ ...theirs, treated: true, solved: 10, failed: 90 }))),
      ...ofTenant(priced(guardedProblems({ ...theirs, treated: false, solved: 95, failed: 5 }))),
    );
    const { rows } = await extraCostBy('tenant');
    expect(rows.map(({ name, problems, shown }) => [name, problems, shown])).toEqual([
      ['default', 800, 'extra'],
      ['acme', 100, 'harm'],
      [null, 900, 'not shown'],
    ]);
    // Alone it is what its row says, and what trains for all is no part of it.
    await append({ ...EXAMPLE_EVENTS.TrainingRunCompleted, durationMs: 1_000 });
    expect((await extraCostBy('arm', { tenant: 'default' })).besides.trainingMs).toBe(0);
    for (const by of ['tenant', 'arm'] as const) {
      const { rows: own, besides } = await extraCostBy(by, { tenant: 'acme' });
      expect([own.map(({ name }) => name), besides.trainingMs]).toEqual([by === 'arm' ? [null] : ['acme', null], 0]);
      for (const row of own) expect(row).toEqual({ ...rows[1]!, name: row.name });
    }
    expect((await extraCostBy('domain', { tenant: 'acme' })).rows.map(({ shown }) => shown)).toEqual([
      'unknown',
      'harm',
    ]);
    // All of acme's problems are of one domain, and no others.
    const alone = await extraCostBy('domain');
    expect(rows[0]!.extraCost.all).toBe(24_000);
    expect(rows[1]!.extraSolved).toEqual(alone.rows.find(({ name }) => name === 'acme')!.extraSolved);
    expect(rows[0]!.extraSolved).not.toEqual(rows[2]!.extraSolved);
  });

  it('compare an adapter with the controls that were drawn while it was served', async () => {
    await append(...priced(guardedProblems({ ...DRAWN, domain: 'sums', adapterDigest: 'a1', ...ONE })));
    const { rows } = await extraCostBy('adapter');
    expect(rows.map(({ name, problems, shown }) => [name, problems, shown])).toEqual([
      ['base', 800, 'extra'],
      ['a1', 1, 'unknown'],
      [null, 801, 'extra'],
    ]);
  });

  it('keep groups to learn from, shadows and replies apart, and count what has no price', async () => {
    const deployed = { arm: 'deploy', index: 1, size: 2 } as const;
    const reply: EventOf<'LibraryReplyRecorded'> = {
      ...{ type: 'LibraryReplyRecorded', meta: META, runId: 'r', callId: 'c', stage: 'summary', model: 'none' },
      ...{ content: '', isWhole: true, promptTokens: 5, responseTokens: 5 },
    };
    await append(
      ...priced([published('x'), generated('x'), recorded('x', true)]),
      ...priced([
        { ...(published('s') as EventOf<'ProblemPublished'>), mode: 'deploy' },
        ...[generated('s', deployed), recorded('s', true, deployed)],
      ]),
      reply,
    );
    const { rows, besides } = await extraCostBy('arm');
    expect(rows).toMatchObject([{ name: null, problems: 800 }]);
    expect(besides).toEqual({
      exploration: part(2, 35),
      shadow: part(2, 35),
      training: part(1, 0, 1),
      ...{ trainingMs: 0, verifier: null },
    });
    const later = await extraCostBy('arm', { sinceMs: 1e12 });
    expect(later.rows).toEqual([]);
  });
});

const lift = async () => (await readCounts({ log, snapshots: null }, OPTIONS)).answer;

async function extraCostBy(by: ExtraGroup, wanted: { readonly sinceMs?: number; readonly tenant?: string } = {}) {
  const report = await costReport({ log, lift }, { sinceMs: 0, ...wanted, by }, OPTIONS);
  return report.extra!;
}

const DRAWN = { guardId: 'g-1', controlShare: 0.1 };
const ONE = { treated: true, solved: 1, failed: 0 };
const META = originMeta({
  ...{ messageId: 'm', correlationId: 'c', source: 'seam/test', occurredAt: 1, sourceClass: 'user' },
});
const OPTIONS = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};

/** Millionths of the currency for a token. */
function price(model: string, prompt: number, completion: number): EventOf<'PriceDeclared'> {
  return {
    ...{ type: 'PriceDeclared', meta: { ...META, messageId: model }, model, currency: 'USD', validFrom: 0 },
    ...{ promptPerMillion: prompt * 1e6, cachedPromptPerMillion: null, completionPerMillion: completion * 1e6 },
    ...{ declaredBy: 'ada', reason: 'a trial' },
  };
}

/** With two tokens read and one written for each entry. */
const priced = (events: readonly SeamEvent[]): readonly SeamEvent[] =>
  asWritten(events).map((event) =>
    event.type === 'ExperienceGenerated' ? { ...event, promptTokenIds: [1, 2], tokenIds: [3] } : event,
  );
