import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryEventLog } from '@seamstream/event-log';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { TOPIC, TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { commonConfigSchema } from '../config/common-config.js';
import { openDrivers } from './drivers.js';
import { openEventLog, withTopics } from './event-log.driver.js';

const SHIPPED = TOPICS.map(({ name, partitions }) => ({ name, partitions }));
const byName = <T extends { readonly name: string }>(topics: readonly T[]): T[] =>
  [...topics].sort((a, b) => (a.name < b.name ? -1 : 1));

describe('opening the configured log', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-log-driver-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const config = () => commonConfigSchema.parse({ dataFolder: folder });
  const prepare = async (topics: readonly { readonly name: string; readonly partitions: number }[]): Promise<void> => {
    const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
    await log.createTopics(topics);
    await log.close();
  };

  it('makes all topics in an empty one, with their own numbers of partitions', async () => {
    const log = await openEventLog(config());
    expect(byName(await log.topics())).toEqual(byName(SHIPPED));
    await log.close();
  });

  it('takes topics with another number of partitions as they are and makes the missing ones', async () => {
    await prepare([{ name: TOPIC.problems, partitions: 8 }]);
    const log = await openEventLog(config());
    const others = SHIPPED.filter(({ name }) => name !== TOPIC.problems);
    expect(byName(await log.topics())).toEqual(byName([...others, { name: TOPIC.problems, partitions: 8 }]));
    await log.close();
  });

  it('makes nothing when it is for reading', async () => {
    await prepare([{ name: TOPIC.problems, partitions: 8 }]);
    const log = await openEventLog(config(), 'read');
    expect(await log.topics()).toEqual([{ name: TOPIC.problems, partitions: 8 }]);
    await expect(log.append([])).rejects.toMatchObject({ code: 'LOG_READ_ONLY' });
    await log.close();
  });

  it('makes the missing topics of a log that is there, for appending to it', async () => {
    await prepare([{ name: TOPIC.problems, partitions: 8 }]);
    const log = await openEventLog(config(), 'append');
    expect(await log.topics()).toHaveLength(TOPICS.length);
    await log.close();
  });

  it('asks the schema registry for nothing when it is for reading, and registers schemas otherwise', async () => {
    await prepare(SHIPPED);
    const nobody = {
      ...config(),
      schemaRegistry: { url: 'http://127.0.0.1:1', timeoutMs: 1000, allowPlaintext: false },
    };
    const log = await openEventLog(nobody, 'read');
    await log.close();
    await expect(openEventLog(nobody, 'append')).rejects.toMatchObject({ code: 'SCHEMA_REGISTRY_UNAVAILABLE' });
  });

  it.each(['read', 'append'] as const)('says where it found none of the topics, and makes none (%s)', async (mode) => {
    await prepare([{ name: 'somebody.elses', partitions: 1 }]);
    await expect(openEventLog(config(), mode)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(`none of them in ${join(folder, 'log')}`),
    });
    const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
    expect(await log.topics()).toEqual([{ name: 'somebody.elses', partitions: 1 }]);
    await log.close();
  });
});

describe('a folder of the drivers that is a file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drivers-'));
    file = join(folder, 'file');
    await writeFile(file, 'mine');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each<[string, (file: string) => object, RegExp]>([
    ['the data folder', (path) => ({ dataFolder: path }), /the event log in .*\(SEAM_DATA_FOLDER, --data-dir\)/],
    ['a folder above it', (path) => ({ dataFolder: join(path, 'a', 'b') }), /the event log .*SEAM_DATA_FOLDER/],
    ["the log's", (path) => ({ eventLog: { folder: path } }), /the event log in .*\(SEAM_EVENT_LOG_FOLDER\)/],
    [
      "the objects'",
      (path) => ({ eventLog: { driver: 'memory' }, objectStore: { folder: path } }),
      /the object store in .*\(SEAM_OBJECT_STORE_FOLDER\)/,
    ],
  ])('is a fault of the configuration, named with its setting: %s', async (_, settings, message) => {
    await expect(openDrivers(commonConfigSchema.parse(settings(file)))).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(message),
      details: { file },
    });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });
});

describe('a log whose topics cannot be made', () => {
  class Refusing extends InMemoryEventLog {
    override createTopics(): Promise<void> {
      return Promise.reject(new SeamError('LOG_READ_ONLY', 'Cannot create topics: this client may not.'));
    }
  }

  it('is closed, so that the process can end', async () => {
    const log = new Refusing();
    await expect(withTopics(log, 'create', 'here')).rejects.toMatchObject({ code: 'LOG_READ_ONLY' });
    await expect(log.topics()).rejects.toThrow(/closed/);
  });

  it('is closed as well where it has none of the topics', async () => {
    const log = new InMemoryEventLog();
    await expect(withTopics(log, 'read', 'here')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(log.topics()).rejects.toThrow(/closed/);
  });
});
