import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { decodeRecord } from '@seamstream/log-reader';
import { type EventFilter, isWanted, parseEventTypes } from '@seamstream/operations/tail';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const names = (filter: EventFilter): string[] =>
  Object.values(EXAMPLE_EVENTS as Readonly<Record<string, SeamEvent>>)
    .filter((event) => {
      const record = { ...encodeEvent(event), partition: 0, offset: 0, timestampMs: 0 };
      return isWanted(decodeRecord(record), filter);
    })
    .map(({ type }) => type)
    .sort();

const ABOUT_PROBLEMS = [
  ...['ExecutionFailed', 'ExperienceGenerated', 'ExperienceWithheld', 'OutcomeRecorded', 'ProblemExpired'],
  'ProblemPublished',
];

describe('a filter of events', () => {
  it('wants an event by its name, its problem, its domain or its text, and all of them together', () => {
    const { problemId, domain } = EXAMPLE_EVENTS.OutcomeRecorded.problem;
    expect(names({})).toHaveLength(Object.keys(EXAMPLE_EVENTS).length);
    expect(names({ problem: problemId })).toEqual(expect.arrayContaining(ABOUT_PROBLEMS));
    expect(names({ problem: problemId })).not.toContain('BufferCommitted');
    expect(names({ domain })).toEqual(expect.arrayContaining(ABOUT_PROBLEMS));
    expect(names({ grep: 'what is 17' })).toEqual(expect.arrayContaining(ABOUT_PROBLEMS));
    expect(names({ grep: 'promptTokenIds' })).toEqual([]);
    const types = parseEventTypes('outcome, PROBLEMPUB');
    expect(names({ types })).toEqual(['OutcomeRecorded', 'ProblemPublished']);
    expect(names({ types, problem: `${problemId}x` })).toEqual([]);
  });

  it('wants a record that is no event only where nothing is asked of events', () => {
    const poison = decodeRecord({
      ...{ topic: 'seam.problems', partition: 0, offset: 0, key: null, timestampMs: 0, headers: {} },
      value: Buffer.from('poison'),
    });
    expect([isWanted(poison, {}), isWanted(poison, { grep: 'poison' })]).toEqual([true, false]);
  });

  it('has names of events that there are', () => {
    expect(() => parseEventTypes('outcome,,x')).toThrow(/got ""/);
    expect(() => parseEventTypes('Nothing')).toThrow(/expected names of events .*ProblemPublished/);
  });
});

describe('seam tail with filters', () => {
  let world: FakeWorld;
  beforeEach(async () => {
    world = await fakeWorld();
    for (const prompt of ['Apples?', 'Pears?', 'Plums?']) {
      const { problem } = EXAMPLE_EVENTS.ProblemPublished;
      const own = { ...problem, problemId: `${prompt}-id`, prompt };
      await world.log.append([
        encodeEvent({ ...EXAMPLE_EVENTS.ProblemPublished, problem: own }),
        encodeEvent({ ...EXAMPLE_EVENTS.OutcomeRecorded, problem: own }),
      ]);
      world.clock.advance(1000);
    }
  });
  const types = (): unknown[] => (world.takeJson() as { type: string }[]).map(({ type }) => type);

  it('looks into all topics for a problem, and says where each event stands', async () => {
    expect(await world.seam('tail', '--problem', 'Pears', '--json')).toBe(0);
    expect(types().sort()).toEqual(['OutcomeRecorded', 'ProblemPublished']);
    await world.seam('tail', '--problem', 'Pears');
    expect(world.takeOutput()).toMatch(/^12:00:01\.000 (problems|outcomes) +\d\/\d /m);
  });

  it('shows the last so many that are wanted, the first so many from a place, and those of named topics', async () => {
    await world.seam('tail', '--type', 'problem', '--limit', '2', '--json');
    expect(world.takeJson()).toMatchObject([{ key: 'Pears?-id' }, { key: 'Plums?-id' }]);
    await world.seam('tail', '--type', 'problem', '--from', 'earliest', '--limit', '2', '--json');
    expect(world.takeJson()).toMatchObject([{ key: 'Apples?-id' }, { key: 'Pears?-id' }]);
    await world.seam('tail', '--topic', 'problems,outcomes', '--since', '2030-01-31T12:00:02Z', '--json');
    expect(types().sort()).toEqual(['OutcomeRecorded', 'ProblemPublished']);
    await world.seam('tail', 'outcomes', '--grep', 'pLUMS', '--json');
    expect(types()).toEqual(['OutcomeRecorded']);
  });

  it('wants to know what to show', async () => {
    for (const args of [[], ['--topic', 'nowhere'], ['problems', '--since', '5'], ['--grep', 'x', '--partition', '1']])
      expect(await world.seam('tail', ...args)).toBe(2);
    expect(await world.seam('tail', 'problems', '--from', '1', '--since', '2030-01-31')).toBe(2);
    expect(world.takeErrors()).toMatch(/Cannot begin at --from and --since/);
  });
});
