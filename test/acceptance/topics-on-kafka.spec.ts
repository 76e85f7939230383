/** The `seam` binary and a cluster's topics: which it takes, which it makes, and when it makes none. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TestServers, testServers } from '@seamstream/dev-servers';
import { KafkaEventLog } from '@seamstream/event-log-kafka';
import { TOPICS } from '@seamstream/events';
import { newId } from '@seamstream/kernel';

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
/** A command that does not end by itself is ended, with another exit code. */
const ENDS_WITHIN_MS = 60_000;

describe("the seam command and a cluster's topics", () => {
  let folder: string;
  let servers: Pick<TestServers, 'kafka'> & { stop(): Promise<void> };
  let brokers: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'topics-on-kafka-'));
    servers = await testServers(['kafka']);
    brokers = servers.kafka.bootstrap;
  }, 300_000);
  afterAll(async () => {
    await servers.stop();
    await rm(folder, { recursive: true });
  });

  const seam = (
    prefix: string,
    ...args: string[]
  ): Promise<{ exitCode: number | null; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const env = {
        PATH: process.env.PATH,
        SEAM_EVENT_LOG_DRIVER: 'kafka',
        SEAM_SIGNATURES_UNSIGNED: 'allowed',
        SEAM_EVENT_LOG_KAFKA_BROKERS: brokers,
        SEAM_EVENT_LOG_KAFKA_PREFIX: prefix,
      };
      const options = { cwd: folder, env, timeout: ENDS_WITHIN_MS };
      const child = execFile(process.execPath, [SEAM, ...args], options, (_error, stdout, stderr) =>
        resolve({ exitCode: child.exitCode, stdout, stderr }),
      );
    });

  const topicsOf = async (prefix: string): Promise<Map<string, number>> => {
    const log = await KafkaEventLog.open({ brokers: brokers.split(','), prefix });
    try {
      return new Map((await log.topics()).map(({ name, partitions }) => [name, partitions]));
    } finally {
      await log.close();
    }
  };

  it.each(['ledger --check', 'tail problems', 'adapters', 'dead-letters redrive --by ada --reason mended'])(
    'says at which brokers and prefix there is nothing, and makes nothing: seam %s',
    async (command) => {
      const prefix = `${newId()}.`;
      const { exitCode, stderr } = await seam(prefix, ...command.split(' '));
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`none of them at ${brokers} with the prefix "${prefix}"`);
      expect(await topicsOf(prefix)).toEqual(new Map());
    },
  );

  it('works on topics with another number of partitions and makes those that are missing', async () => {
    const prefix = `${newId()}.`;
    const log = await KafkaEventLog.open({ brokers: brokers.split(','), prefix });
    await log.createTopics([{ name: 'seam.problems', partitions: 8 }]);
    await log.close();
    // Only what is there is read, nothing is made for it.
    expect(JSON.parse((await seam(prefix, '--json', 'ledger')).stdout)).toMatchObject({ published: 0, balanced: true });
    expect(await topicsOf(prefix)).toEqual(new Map([['seam.problems', 8]]));

    const problems = join(folder, 'problems.jsonl');
    const lines = Array.from({ length: 40 }, (_, n) =>
      JSON.stringify({ domain: 'sums', prompt: `What is ${n} + 1?`, reference: String(n + 1), verifier: 'numeric' }),
    );
    await writeFile(problems, lines.join('\n'));
    expect(await seam(prefix, 'publish', problems)).toMatchObject({ exitCode: 0 });
    const expected = new Map(TOPICS.map(({ name, partitions }) => [name as string, partitions]));
    expect(await topicsOf(prefix)).toEqual(expected.set('seam.problems', 8));
    expect(JSON.parse((await seam(prefix, '--json', 'ledger')).stdout)).toMatchObject({ published: 40, inFlight: 40 });

    // The number is wrong only for who asks for another one.
    expect(await seam(prefix, 'topics', 'diff')).toMatchObject({
      exitCode: 0,
      stdout: `${TOPICS.length} topics as wanted\n`,
    });
    const shipped = fileURLToPath(new URL('../../infra/kafka/topics.json', import.meta.url));
    expect(await seam(prefix, 'topics', 'diff', '--file', shipped)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^seam.problems {2}partitions: 8 → 4 {2}\(left alone: [^\n]*\n$/),
    });
  });
});
