import { compareTopics, type ExistingTopic, type WantedTopic } from './topic-plan.js';

const wanted: WantedTopic = {
  name: 'facts',
  partitions: 4,
  config: { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'segment.ms': '1000' },
};
const existing: ExistingTopic = {
  name: 'facts',
  partitions: 4,
  replicationFactor: 3,
  config: { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'segment.ms': '1000', 'flush.ms': '9' },
};
const compare = (want: Partial<WantedTopic>, have: Partial<ExistingTopic> = {}) =>
  compareTopics([{ ...wanted, ...want }], new Map([['facts', { ...existing, ...have }]]));

describe('comparing topics', () => {
  it('finds nothing where all that is wanted is there, and ignores other settings', () => {
    expect(compare({})).toEqual([]);
    expect(compare({ replicationFactor: 3 })).toEqual([]);
  });

  it('wants what is missing, with its settings', () => {
    expect(compareTopics([wanted], new Map())).toEqual([
      {
        topic: 'facts',
        what: 'topic',
        existing: null,
        wanted: '4 partitions, cleanup.policy=delete, retention.ms=-1, segment.ms=1000',
        refused: null,
      },
    ]);
  });

  it('changes settings that lose nothing, and longer retention', () => {
    expect(compare({}, { config: { ...existing.config, 'retention.ms': '5', 'segment.ms': '2' } })).toMatchObject([
      { what: 'config', setting: 'retention.ms', existing: '5', wanted: '-1', refused: null },
      { what: 'config', setting: 'segment.ms', existing: '2', wanted: '1000', refused: null },
    ]);
  });

  it('leaves to a person what would delete records, move keys or copies', () => {
    for (const config of [{ 'retention.ms': '5' }, { 'retention.bytes': '100' }, { 'cleanup.policy': 'compact' }]) {
      const have = { config: { 'retention.ms': '10', 'retention.bytes': '-1', 'cleanup.policy': 'delete' } };
      expect(compare({ config }, have)).toMatchObject([
        { what: 'config', refused: expect.stringContaining('deleted') },
      ]);
    }
    expect(compare({ partitions: 8, replicationFactor: 1 })).toMatchObject([
      { what: 'partitions', existing: '4', wanted: '8', refused: expect.stringContaining('seam replay copy --to') },
      { what: 'replicationFactor', refused: expect.stringContaining('reassign') },
    ]);
    expect(compare({ config: { 'no.such': '1' } })).toMatchObject([{ existing: null, refused: expect.anything() }]);
  });
});
