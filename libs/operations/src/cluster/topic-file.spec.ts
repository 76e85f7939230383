import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { TOPICS } from '@seamstream/events';
import { DEFAULT_TOPIC_FILE, parseTopicFile } from './topic-file.js';

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

describe('the file of topics', () => {
  it('that the project ships has the topics of its events, each with their partitions, and keeps all records', async () => {
    const topics = parseTopicFile('topics.json', await readFile(fileURLToPath(DEFAULT_TOPIC_FILE)));
    expect(topics.map(({ name, partitions }) => ({ name, partitions }))).toEqual(
      TOPICS.map(({ name, partitions }) => ({ name, partitions })),
    );
    for (const { config } of topics) {
      expect(config).toMatchObject({ 'cleanup.policy': 'delete', 'retention.ms': '-1', 'retention.bytes': '-1' });
    }
  });

  it('lets a topic have separate settings', () => {
    const file = { config: { a: '1', b: '1' }, topics: [{ name: 't', partitions: 2, config: { b: '2' } }] };
    expect(parseTopicFile('f', bytes(file))).toEqual([{ name: 't', partitions: 2, config: { a: '1', b: '2' } }]);
  });

  it.each([
    [{ topics: [] }, 'topics'],
    [{ topics: [{ name: 't', partitions: 0 }] }, 'partitions'],
    [{ topics: [{ name: 't', partitions: 1, retention: 1 }] }, 'retention'],
    [{ config: { 'retention.ms': -1 }, topics: [{ name: 't', partitions: 1 }] }, 'retention.ms'],
  ])('is refused when it says %j', (file, fault) => {
    expect(() => parseTopicFile('f.json', bytes(file))).toThrow(fault);
  });
});
