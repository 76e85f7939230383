/** The list of acts over every event there is, and over many of them. */
import { encodeEvent, originMeta, type SeamEvent } from '@seamstream/events';
import { EXAMPLE_EVENTS, type FlakyLog, openLog } from '@seamstream/testing';
import { ACTS, CHANGES } from './act.decide.js';
import { type AuditWanted, readAudit } from './read-audit.js';

let log: FlakyLog;
beforeEach(async () => {
  log = await openLog();
});
const append = (...events: SeamEvent[]) => log.append(events.map(encodeEvent));
const acts = (wanted: Partial<AuditWanted> = {}) =>
  readAudit(log, { sinceMs: 0, signal: new AbortController().signal, ...wanted });

describe('The audit', () => {
  it('names who did what for each event by which a person, a key or a user acts, and no other', async () => {
    await append(...Object.values(EXAMPLE_EVENTS));
    const listed = new Set((await acts()).map(({ act, by }) => `${act} ${by}`));
    expect([...listed].toSorted()).toEqual([
      ...[
        'evaluate ada',
        'feedback ada',
        'issue key ada',
        'pin ada',
        'plan release ada',
        'publish ada',
        'publish null',
      ],
      ...['redrive ada', 'refused aB3dE6gH9jK2', 'revoke key ada', 'roll back ada'],
      ...['set guard ada', 'set limit ada', 'set price ada'],
      ...['sign in user-Yk3dE6gH9jK2mN5pQ8sT1v', 'sign out ada', 'start training null', 'stop training ada'],
      ...['unmute ada', 'unpin ada'],
    ]);
  });

  it('leaves out no event that names a person by whom it is, also of kinds that are still to come', async () => {
    // An answer names a program there, and what cut it off.
    const named = ({ answeredBy: _, cutBy: __, ...event }: Readonly<Record<string, unknown>>): boolean =>
      Object.entries(event).some(([name, value]) => name.endsWith('By') && value !== null);
    const events = Object.values(EXAMPLE_EVENTS).filter((event) => named({ ...event }));
    await append(...events);
    const told = (await acts()).reduce((sum, { times }) => sum + times, 0);
    expect([told, events.length > 15]).toEqual([events.length, true]);
  });

  it('says of a guard whether a person set or ended it, of which slot and why', async () => {
    const { GuardPlanned, DomainUnmuted, DomainMuted } = EXAMPLE_EVENTS;
    await append(GuardPlanned, DomainMuted, { ...GuardPlanned, plan: null }, DomainUnmuted);
    expect((await acts()).map(({ act, by, what }) => `${by}: ${act} ${what}`).toSorted()).toEqual([
      'ada: end guard of generator (the night is long)',
      'ada: set guard guard-1 of generator (the night is long)',
      `ada: unmute arithmetic for ${DomainUnmuted.adapterDigest!.slice(0, 12)} (the verifier was wrong)`,
    ]);
  });

  it('names the person who published, trained or imported, and leaves out what services did by rule', async () => {
    const { AdapterPublished, ProblemPublished, SelfTrainingStarted, TrainingRunPlanned } = EXAMPLE_EVENTS;
    await append(
      { ...ProblemPublished, publishedBy: 'ada' },
      ...[TrainingRunPlanned, { ...TrainingRunPlanned, plannedBy: 'bob' }],
      ...[SelfTrainingStarted, { ...SelfTrainingStarted, startedBy: 'eve' }],
      ...[AdapterPublished, { ...AdapterPublished, publishedBy: 'joe' }],
    );
    expect((await acts()).map(({ act, by }) => `${act} ${by}`).toSorted()).toEqual([
      ...['import joe', 'publish ada', 'start training eve', 'start training null', 'train bob'],
    ]);
  });

  it('says where the log says so, for each act', async () => {
    await append(...Object.values(EXAMPLE_EVENTS));
    for (const { act, place } of await acts()) {
      const { topic, partition, offset } = place;
      for await (const [record] of log.read({ topic, partition, from: offset, to: offset + 1 }))
        expect([act, record!.offset]).toEqual([act, offset]);
    }
  });

  it('holds no digest of a key, no prompt, and no word of a client', async () => {
    const { ApiKeyIssued, FeedbackGiven, ProblemPublished } = EXAMPLE_EVENTS;
    const feedback = { ...FeedbackGiven, reason: 'the prompt was my own secret' };
    await append(ApiKeyIssued, feedback, ProblemPublished);
    const text = JSON.stringify(await acts());
    for (const secret of [ApiKeyIssued.digest, feedback.reason, ProblemPublished.problem.prompt])
      expect(text).not.toContain(secret);
  });

  it('has what is frequent once for each actor and minute, with the place of the first', async () => {
    const asked = (n: number, subject: string, occurredAt: number): SeamEvent => ({
      ...EXAMPLE_EVENTS.ProblemPublished,
      problem: { ...EXAMPLE_EVENTS.ProblemPublished.problem, problemId: `p-${n}` },
      meta: originMeta({
        ...{ messageId: `m-${n}`, correlationId: `p-${n}`, source: 'seam/gateway', occurredAt },
        ...{ sourceClass: 'user', subject },
      }),
      answeredBy: 'seam/gateway',
    });
    const events = Array.from({ length: 300 }, (_, n) => asked(n, n % 3 === 0 ? 'bot' : 'ada', 120_000 + n * 300));
    await append(...events);
    const listed = await acts();
    expect(listed.map(({ by, act, times, at }) => [by, act, times, at])).toEqual(
      [
        ['bot', 'ask', 67, 120_000],
        ['ada', 'ask', 133, 120_300],
        ['bot', 'ask', 33, 180_300],
        ['ada', 'ask', 67, 180_000],
      ].toSorted((a, b) => Number(a[3]) - Number(b[3])),
    );
  });

  it('is of a person, an act and a time where that is wanted', async () => {
    const { ApiKeyIssued } = EXAMPLE_EVENTS;
    const issued = (by: string, occurredAt: number): SeamEvent => ({
      ...ApiKeyIssued,
      ...{ issuedBy: by, keyId: `${by}-${occurredAt}`, meta: { ...ApiKeyIssued.meta, occurredAt } },
    });
    await append(issued('ada', 1_000), issued('bob', 2_000), issued('ada', 3_000));
    expect((await acts({ by: 'ada' })).map(({ at }) => at)).toEqual([1_000, 3_000]);
    expect((await acts({ sinceMs: 2_000 })).map(({ at }) => at)).toEqual([2_000, 3_000]);
    expect(await acts({ acts: ['revoke key'] })).toEqual([]);
  });

  it('has of each kind, and of all changes, what it has among all acts', async () => {
    await append(...Object.values(EXAMPLE_EVENTS));
    const all = await acts();
    for (const act of ACTS)
      expect([act, await acts({ acts: [act] })]).toEqual([act, all.filter((each) => each.act === act)]);
    const changes = await acts({ acts: CHANGES });
    expect(changes).toEqual(all.filter(({ act }) => CHANGES.includes(act)));
    expect(changes.map(({ act }) => act)).toEqual(expect.arrayContaining(['issue key', 'pin', 'set limit', 'redrive']));
    for (const act of ['publish', 'ask', 'feedback', 'sign in', 'sign out', 'refused'] as const)
      expect(CHANGES).not.toContain(act);
  });

  it('is of one tenant where that is wanted, and joins no acts of two', async () => {
    const { ProblemPublished } = EXAMPLE_EVENTS;
    const published = (tenant: string | null, n: number): SeamEvent => ({
      ...ProblemPublished,
      ...{ publishedBy: 'ada', meta: { ...ProblemPublished.meta, messageId: `m-${n}`, tenant } },
    });
    await append(published('acme', 1), published('acme', 2), published('globex', 3), published(null, 4));
    expect((await acts({ tenant: 'acme' })).map(({ tenant, times }) => [tenant, times])).toEqual([['acme', 2]]);
    expect((await acts({ tenant: 'default' })).map(({ tenant, times }) => [tenant, times])).toEqual([['default', 1]]);
    expect(await acts()).toHaveLength(3);
  });
});
