/** Several processes on one log, killed, stopped and blocked. Quick and long suites differ in how often. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RecordBatch } from '@seamstream/event-log';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { Random } from '@seamstream/kernel';
import { totalRecords, until } from '@seamstream/testing';

const CHILD = fileURLToPath(new URL('./event-log.child.mjs', import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

class Child {
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  private readonly process: ChildProcess;

  constructor(...args: string[]) {
    this.process = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: this.process.stdout! }).on('line', (line) => this.lines.push(line));
    this.ended = new Promise((resolve) => this.process.once('close', () => resolve()));
  }

  signal(name: NodeJS.Signals): void {
    this.process.kill(name);
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  numbers(word: string): number[] {
    return this.lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ').at(-1)));
  }
}

export interface EventLogProcessRounds {
  /** Rounds in which two writers are killed. */
  readonly writerRounds: number;
  /** Kills of a copying member. */
  readonly copierKills: number;
  /** Members that are stopped, replaced and woken. */
  readonly zombies: number;
}

export function describeEventLogProcesses({ writerRounds, copierKills, zombies }: EventLogProcessRounds): void {
  describe('a log that several processes use', () => {
    let folder: string;
    let log: LmdbEventLog;
    let children: Child[];
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'event-log-'));
      log = await LmdbEventLog.open({ folder, sessionTimeoutMs: 1000 });
      children = [];
    });
    afterEach(async () => {
      await Promise.all(children.map((child) => child.kill()));
      await log.close();
      await rm(folder, { recursive: true });
    });
    const start = (...args: string[]): Child => {
      const child = new Child(...args);
      children.push(child);
      return child;
    };
    const valuesOf = async (topic: string, partition: number): Promise<string[]> => {
      const values: string[] = [];
      for await (const chunk of log.read({ topic, partition, from: 0 }))
        values.push(...chunk.map((one) => Buffer.from(one.value!).toString()));
      return values;
    };
    const highOf = async (topic: string): Promise<number> => await totalRecords(log, topic);

    it('loses no acknowledged commit and shows no half of one when writers are killed at any moment', async () => {
      await log.createTopics([{ name: 't', partitions: 2 }]);
      const random = Random.of('kills of writers');
      const acknowledged = new Map<string, Set<number>>([
        ['a', new Set()],
        ['b', new Set()],
      ]);
      for (let round = 0; round < writerRounds; round++) {
        const writers = ['a', 'b'].map((name) => ({
          name,
          child: start('write', folder, 't', name, String(round * 1_000_000)),
        }));
        for (const { name, child } of writers) {
          await until(() => child.numbers('acknowledged').length > 0, 'a writer to write');
          await pause(random.int(80));
          await child.kill();
          for (const number of child.numbers('acknowledged')) acknowledged.get(name)!.add(number);
        }
      }
      const parts = new Map<string, number[]>();
      for (const partition of [0, 1]) {
        for (const value of await valuesOf('t', partition)) {
          const { writer, round, part } = JSON.parse(value) as { writer: string; round: number; part: number };
          parts.set(`${writer} ${round}`, [...(parts.get(`${writer} ${round}`) ?? []), part]);
        }
      }
      for (const [name, rounds] of acknowledged)
        for (const round of rounds) expect(parts.has(`${name} ${round}`)).toBe(true);
      for (const found of parts.values()) expect(found).toEqual([0, 2, 1, 3]); // partition 0 has even parts, then partition 1 odd ones
      expect(acknowledged.get('a')!.size + acknowledged.get('b')!.size).toBeGreaterThanOrEqual(2 * writerRounds);
      expect(await log.append([{ topic: 't', key: null, value: null }])).toHaveLength(1); // no lock is left behind
    });

    it('R03: copies every record once, in order, although the copying process is killed again and again', async () => {
      await log.createTopics([
        { name: 'source', partitions: 2 },
        { name: 'sink', partitions: 2 },
      ]);
      for (const partition of [0, 1]) {
        await log.append(
          Array.from({ length: 300 + 150 * copierKills }, (_, index) => ({
            topic: 'source',
            key: null,
            value: bytes(`${index}`),
            partition,
          })),
        );
      }
      const random = Random.of('kills of copiers');
      for (let round = 0; round < copierKills; round++) {
        const child = start('copy', folder, 'group', 'source', 'sink');
        await until(() => child.lines.length > 1, 'a copier to work');
        await pause(random.int(40));
        await child.kill();
      }
      const [one, two] = [
        start('copy', folder, 'group', 'source', 'sink'),
        start('copy', folder, 'group', 'source', 'sink'),
      ];
      await until(async () => (await highOf('sink')) >= (300 + 150 * copierKills) * 2, 'the rest to be copied');
      await Promise.all([one.kill(), two.kill()]);
      for (const partition of [0, 1])
        expect(await valuesOf('sink', partition)).toEqual(await valuesOf('source', partition));
    });

    it('replaces a member whose process was killed without waiting for its session to run out', async () => {
      await log.createTopics([
        { name: 'source', partitions: 2 },
        { name: 'sink', partitions: 2 },
      ]);
      const child = start('copy', folder, 'group', 'source', 'sink');
      await log.append([{ topic: 'source', key: null, value: bytes('x'), partition: 0 }]);
      await until(() => child.lines.some((line) => line.startsWith('copied')), 'the child to own the partitions');
      const patient = await LmdbEventLog.open({ folder, sessionTimeoutMs: 60_000 });
      const subscription = await patient.consume({
        group: 'group',
        topics: ['source'],
        from: 'earliest',
        maxBatchRecords: 1,
        onBatch: async () => undefined,
      });
      await until(() => subscription.assignment().length === 1, 'a share');
      await child.kill();
      await until(() => subscription.assignment().length === 2, 'the dead member’s share', { withinMs: 3000 });
      await patient.close();
    });

    it('R05: accepts nothing from a member that was stopped, replaced and woken', async () => {
      await log.createTopics([
        { name: 'source', partitions: 1 },
        { name: 'sink', partitions: 1 },
      ]);
      for (let round = 0; round < zombies; round++) {
        const before = await highOf('source');
        const zombie = start('copy-slowly', folder, 'group', 'source', 'sink');
        await until(() => zombie.lines.includes('ready'), 'the member to join');
        await log.append(
          Array.from({ length: 400 }, (_, index) => ({
            topic: 'source',
            key: null,
            value: bytes(`${before + index}`),
          })),
        );
        await until(() => zombie.numbers('copied').length > round, 'the member to be at work');
        // Stopped between reading and committing. Inside a commit it would keep LMDB's write lock, and all would wait for it.
        const copied = zombie.numbers('copied').length;
        await until(() => zombie.numbers('handling').length > copied, 'a batch to be in flight');
        zombie.signal('SIGSTOP');
        const successor = start('copy', folder, 'group', 'source', 'sink');
        await until(async () => (await highOf('sink')) === before + 400, 'the successor to do the rest');
        zombie.signal('SIGCONT');
        await pause(100);
        expect(await valuesOf('sink', 0)).toEqual(await valuesOf('source', 0));
        await Promise.all([zombie.kill(), successor.kill()]);
      }
    });

    it('R33: keeps a member whose event loop is blocked for several sessions', async () => {
      await log.createTopics([{ name: 'source', partitions: 1 }]);
      const child = start('block', folder, 'group', 'source', '2500'); // sessions last 1000 ms
      await until(() => child.lines.includes('blocking'), 'the child to block');
      const subscription = await log.consume({
        group: 'group',
        topics: ['source'],
        from: 'earliest',
        maxBatchRecords: 1,
        onBatch: async () => undefined,
      });
      await until(() => {
        expect(subscription.assignment()).toEqual([]);
        return child.lines.includes('owns 1');
      }, 'the child to be back');
      await until(() => subscription.assignment().length === 1, 'the child to leave');
      await subscription.close();
    });

    it('shows a record of another process within milliseconds', async () => {
      await log.createTopics([
        { name: 'source', partitions: 1 },
        { name: 'sink', partitions: 1 },
      ]);
      const child = start('copy', folder, 'group', 'source', 'sink');
      await until(() => child.lines.includes('ready'), 'the copier');
      const stop = new AbortController();
      const arrived: number[] = [];
      const following = (async () => {
        for await (const chunk of log.follow({ topics: ['sink'], from: 'latest', signal: stop.signal }))
          arrived.push(...chunk.map(() => performance.now()));
      })();
      const delays: number[] = [];
      for (let index = 0; index < 15; index++) {
        await log.append([{ topic: 'source', key: null, value: bytes('x') }]);
        const sent = performance.now();
        await until(() => arrived.length > index, 'the copy');
        delays.push(arrived[index]! - sent);
      }
      stop.abort();
      await following;
      // There and back: noticed by the copier, committed, noticed here. Two polls of 4 ms and a commit; generous for a busy machine.
      expect(delays.toSorted((a, b) => a - b)[7]).toBeLessThan(50);
    });

    it('refuses the claim of a member that another took for dead', async () => {
      await log.createTopics([{ name: 'source', partitions: 1 }]);
      await log.append([{ topic: 'source', key: null, value: bytes('x') }]);
      const batches: RecordBatch[] = [];
      const subscription = await log.consume({
        group: 'group',
        topics: ['source'],
        from: 'earliest',
        maxBatchRecords: 1,
        onBatch: async (batch) => {
          batches.push(batch);
          await new Promise<void>((resolve) => batch.signal.addEventListener('abort', () => resolve()));
        },
      });
      await until(() => batches.length === 1, 'a batch');
      // A member that stops to write signs of life is buried by the other; here the file is taken away under it for a while.
      const { memberId } = batches[0]!.claim;
      const file = join(folder, 'members', memberId);
      const timer = setInterval(() => writeFileSync(file, '0'.padStart(16, '0')), 1);
      const child = start('copy', folder, 'group', 'source', 'source');
      await until(() => batches[0]!.signal.aborted, 'the partition to be taken away');
      clearInterval(timer);
      const late = log.transact({
        records: [],
        consumed: { claim: batches[0]!.claim, offsets: [{ topic: 'source', partition: 0, nextOffset: 1 }] },
      });
      await expect(late).rejects.toMatchObject({ code: 'FENCED' });
      await child.kill();
      await subscription.close();
    });
  });
}
