import { InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { decodeRecord } from '@seamstream/log-reader';
import { DEFAULT_RELEASE_PLAN } from '@seamstream/release';
import { deadLettered, published, recorded, withheld } from '@seamstream/testing/log-of';
import { evaluatedByPerson, evaluationOf, pinned, promotedByRun } from '@seamstream/testing/promotion-log';
import { releasePlanned, triedProblems } from '@seamstream/testing/release-log';
import fc from 'fast-check';
import { plainReleases, readReleases } from '../release/index.js';
import { browseLog } from './browse-log.js';
import { DashboardReader } from './dashboard-reader.js';
import { findAnything } from './find-anything.js';
import { fits, LONGEST_FILTER, parseLogFilter } from './log-filter.js';
import { listProblems } from './problem-list.js';

const signal = new AbortController().signal;
const quiet = { signal, progress: () => ({ advance: () => undefined, stop: () => undefined }) };

async function logOf(...records: Parameters<InMemoryEventLog['append']>[0]): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS);
  await log.append(records);
  return log;
}

describe('a filter of the log', () => {
  const [outcome] = [recorded('p1', true, { domain: 'metals' })].map((event) => {
    const { topic, key, value, headers } = encodeEvent(event);
    return decodeRecord({ topic, key, value, headers, partition: 1, offset: 7, timestampMs: 0 });
  });

  it.each([
    ["type = 'OutcomeRecorded'", true],
    ['type = "ProblemPublished"', false],
    ["problem.domain = 'metals' and success = true", true],
    ["problem.domain = 'metals' and not success = true", false],
    ["problem.domain = 'words' or (offset >= 7 and partition < 2)", true],
    ["topic ~ 'OUTCOMES' and error = null", true],
    ['no.such.field = null', true],
    ['no.such.field != null', false],
    // Of another kind than the value, it is neither less nor more.
    ["success > 'a'", false],
    ['', true],
  ])('%s fits: %s', (text, expected) => {
    expect(fits(outcome!, parseLogFilter(text))).toBe(expected);
  });

  it.each([
    ['type', /expected an operator .* got the end/],
    ['type =', /expected a value/],
    ["type = 'a' type", /expected "and", "or" or the end, got "type" at character 11/],
    ['(type = 1', /expected "\)", got the end/],
    ['constructor.constructor("x")()', /expected an operator/],
    ['; drop', /expected a name, an operator or a value at character 1/],
    [`${'('.repeat(30)}a = 1${')'.repeat(30)}`, /at most 20 levels/],
    ['x'.repeat(LONGEST_FILTER + 1), /at most 500 characters/],
  ])('%s is refused, with the place', (text, message) => {
    expect(() => parseLogFilter(text)).toThrow(message);
  });

  it('never reaches what a record does not have, and never throws anything but a refusal', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'problem.constructor'])
      expect(fits(outcome!, parseLogFilter(`${name} = null`))).toBe(true);
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        try {
          parseLogFilter(text);
        } catch (error) {
          expect((error as { code?: string }).code).toBe('INVALID_INPUT');
        }
      }),
    );
  });
});

describe('the log from its end', () => {
  it('is read in pages that miss nothing and repeat nothing, poison included', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => `p${i}`);
    const log = await logOf(...ids.map((id) => encodeEvent(published(id))), {
      topic: 'seam.outcomes',
      key: 'p1',
      value: Buffer.from('poison'),
    });
    const seen: string[] = [];
    let before: Readonly<Record<string, number>> | undefined;
    do {
      const page = await browseLog(log, { topics: [], filter: null, limit: 37, before }, signal);
      for (const { record } of page.records) seen.push(`${record.topic}/${record.partition}/${record.offset}`);
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(new Set(seen).size).toBe(301);
    expect(seen).toHaveLength(301);
  });

  it('finds what fits, names what is no event, and hides the digests of keys', async () => {
    const log = await logOf(encodeEvent(published('p1')), {
      topic: 'seam.outcomes',
      key: 'p1',
      value: Buffer.from('poison'),
    });
    const filter = parseLogFilter("error = 'MALFORMED_RECORD'");
    const { records } = await browseLog(log, { topics: [], filter, limit: 10 }, signal);
    expect(records).toMatchObject([{ fault: { code: 'MALFORMED_RECORD' } }]);
    await expect(browseLog(log, { topics: ['access'], filter: null, limit: 1 }, signal)).rejects.toThrow(
      /expected one of/,
    );
    await expect(
      browseLog(log, { topics: [], filter: null, limit: 1, before: { 'elsewhere/0': 1 } }, signal),
    ).rejects.toThrow(/Begin at the newest record/);
  });
});

describe('the reader of the dashboard', () => {
  it('reads on from where it stood, and says where that is', async () => {
    const log = await logOf(encodeEvent(published('p1')), encodeEvent(recorded('p1', true)));
    const reader = new DashboardReader({ log, snapshots: null });
    await reader.refresh(quiet);
    const before = reader.position;
    expect(reader.overview().status.ledger).toMatchObject({ published: 1, solved: 1, balanced: true });
    await log.append([published('c'), withheld('c'), recorded('c', false, { arm: 'control' })].map(encodeEvent));
    expect(reader.overview().status.ledger.published).toBe(1);
    await reader.refresh(quiet);
    expect(reader.position).not.toEqual(before);
    const { lift, stages } = reader.overview();
    expect(lift.modes).toMatchObject([
      { treated: { problems: 1, rate: 1 }, control: { problems: 1, rate: 0 }, lift: { value: 1 } },
    ]);
    expect(stages.find(({ name }) => name === 'publish')?.records).toBe(2);
    await reader.close();
  });

  it('lists problems as the ledger has them, by filter', async () => {
    const log = await logOf(
      ...[
        published('aaaa-1'),
        recorded('aaaa-1', true),
        published('bbbb-2'),
        recorded('bbbb-2', false, { arm: 'control' }),
      ].map(encodeEvent),
      ...[published('cccc-3'), deadLettered('seam.problems', 'cccc-3', 1)].map(encodeEvent),
    );
    const reader = new DashboardReader({ log, snapshots: null });
    await reader.refresh(quiet);
    const list = (filter: object) => listProblems(reader.problems(), filter, { offset: 0, limit: 10 });
    expect(list({}).rows.map(({ standing }) => standing)).toEqual(['deadLettered', 'failed', 'solved']);
    expect(list({ arm: 'control' }).rows.map(({ problemId }) => problemId)).toEqual(['bbbb-2']);
    expect(list({ standing: 'solved' })).toMatchObject({ matching: 1, recent: 3, all: 3 });
    expect(list({ text: 'AAAA' }).matching).toBe(1);
    expect(list({ text: 'how many' }).matching).toBe(3);
    const { recent } = reader.problems();
    const found = findAnything('bbbb', { lineage: reader.lineage(), runs: reader.runs(), releases: [], recent });
    expect(found).toMatchObject([{ kind: 'problem', id: 'bbbb-2' }]);
    await reader.close();
  });

  it('says of releases what their command says, each stage with its counts, and finds them', async () => {
    const [candidate, releaseId] = ['c4'.repeat(32), 'abcd-release'];
    const [start, adapter, completed] = promotedByRun({ adapterDigest: candidate });
    const stages = [{ kind: 'canary', share: 0.25, margin: 0.1, minProblems: 40 }];
    const log = await logOf(
      ...[start, adapter, completed, evaluatedByPerson(candidate, evaluationOf(0.7))].map(encodeEvent),
      encodeEvent(releasePlanned({ releaseId, candidate, plan: { ...DEFAULT_RELEASE_PLAN, stages } })),
      ...triedProblems({ releaseId, isCandidate: true, solved: 9, failed: 1 }).map(encodeEvent),
      ...triedProblems({ releaseId, isCandidate: false, solved: 12, failed: 18 }).map(encodeEvent),
      encodeEvent({ ...pinned('pin-1', null), reason: 'a holiday' }),
    );
    const kept = { log, snapshots: null };
    const reader = new DashboardReader(kept);
    await reader.refresh(quiet);
    const own = reader.releases();
    expect(own).toEqual(plainReleases(await readReleases(kept, quiet)));
    expect(own.releases).toMatchObject([
      {
        status: 'running',
        pin: { by: 'ada', reason: 'a holiday' },
        stages: [{ kind: 'canary', share: 0.25, margin: 0.1, problems: 40, standing: 'runs', decision: null }],
      },
    ]);
    expect(own.releases[0]!.stages[0]!.estimate!.difference).toBeCloseTo(0.5, 12);
    const found = findAnything('abcd', { lineage: reader.lineage(), runs: [], releases: own.releases, recent: [] });
    expect(found).toEqual([{ kind: 'release', id: releaseId, label: 'release abcd-rel of c4c4c4c4, running' }]);
    await reader.close();
  });
});
