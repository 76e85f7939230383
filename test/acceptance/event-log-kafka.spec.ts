/** What is Kafka's alone: transactions of others, markers in the log, owners that wake up too late, brokers that go away, security. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kafka, startKafka } from '@seamstream/dev-servers';
import {
  consumerLag,
  type EventLog,
  type LogRecord,
  type NewRecord,
  type RecordBatch,
  type Subscription,
} from '@seamstream/event-log';
import {
  COMPRESSIONS,
  KafkaEventLog,
  type KafkaEventLogOptions,
  type KafkaSecurity,
} from '@seamstream/event-log-kafka';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { decodeEvent, type EventOf, encodeEvent } from '@seamstream/events';
import { newId, type SeamError } from '@seamstream/kernel';
import { EXAMPLE_EVENTS, eventually } from '@seamstream/testing';
import kafkajs from 'kafkajs';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Kafka's protocol: the request that ends a transaction. */
const END_TXN = 26;
const TXN_OFFSET_COMMIT = 28;

let kafka: Kafka;
const logs: KafkaEventLog[] = [];

beforeAll(async () => {
  kafka = await startKafka({ security: true });
}, 300_000);
afterAll(() => kafka.stop());
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
});

async function open(options: Partial<KafkaEventLogOptions> = {}): Promise<KafkaEventLog> {
  const log = await KafkaEventLog.open({
    brokers: kafka.bootstrap.split(','),
    // This cluster allows what others do not, see infra/dev.
    sessionTimeoutMs: 3000,
    heartbeatMs: 200,
    ...options,
  });
  logs.push(log);
  return log;
}

async function topicWith(log: KafkaEventLog, partitions = 1): Promise<string> {
  const topic = `topic-${newId()}`;
  await log.createTopics([{ name: topic, partitions }]);
  return topic;
}

const record = (topic: string, value: string, partition = 0): NewRecord => ({
  topic,
  key: null,
  value: Buffer.from(value),
  partition,
});
const valueOf = ({ value }: LogRecord): string => Buffer.from(value!).toString();

async function read(log: KafkaEventLog, topic: string, from = 0): Promise<string[]> {
  const values: string[] = [];
  for await (const chunk of log.read({ topic, partition: 0, from })) values.push(...chunk.map(valueOf));
  return values;
}

interface Derivation {
  readonly group: string;
  readonly topic: string;
  readonly sink: string;
  readonly maxBatchRecords?: number;
  /** What follows from a record's value; the value itself when absent. */
  readonly derive?: (value: string) => readonly string[];
}

/** A member that writes to the sink what follows from its records, in the transaction that commits how far it has read. */
function deriving(
  log: KafkaEventLog,
  { group, topic, sink, maxBatchRecords = 10, derive = (value) => [value] }: Derivation,
): Promise<Subscription> {
  return log.consume({
    group,
    topics: [topic],
    from: 'earliest',
    maxBatchRecords,
    onBatch: async ({ records, claim, partition }) => {
      const nextOffset = records.at(-1)!.offset + 1;
      await log.transact({
        records: records.flatMap((one) => derive(valueOf(one)).map((value) => record(sink, value))),
        consumed: { claim, offsets: [{ topic, partition, nextOffset }] },
      });
    },
  });
}

async function refusalOf(action: Promise<unknown>): Promise<SeamError> {
  return action.then(
    () => {
      throw new Error('expected a refusal, but the call succeeded');
    },
    (error: unknown) => error as SeamError,
  );
}

/** Another program's transactions. */
class Stranger {
  private readonly producers: kafkajs.Producer[] = [];
  private readonly client = new kafkajs.Kafka({
    brokers: kafka.bootstrap.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
  });

  async begin(): Promise<kafkajs.Transaction> {
    const producer = this.client.producer({
      transactionalId: newId(),
      maxInFlightRequests: 1,
      idempotent: true,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    });
    this.producers.push(producer);
    await producer.connect();
    return producer.transaction();
  }

  async leave(): Promise<void> {
    await Promise.all(this.producers.map((producer) => producer.disconnect()));
  }
}

describe('transactions of others', () => {
  let stranger: Stranger;
  beforeEach(() => {
    stranger = new Stranger();
  });
  afterEach(() => stranger.leave());

  const send = (transaction: kafkajs.Transaction, topic: string, value: string, key: Buffer | null = null) =>
    transaction.send({ topic, messages: [{ partition: 0, key, value }] });

  it('are read when they are committed, and never when they are aborted, wherever reading begins', async () => {
    const log = await open();
    const topic = await topicWith(log);
    // Two that are open side by side and both aborted, one of them with the key that kafkajs takes for its end.
    const [first, second, third] = [await stranger.begin(), await stranger.begin(), await stranger.begin()];
    await send(first, topic, 'aborted 1');
    await send(second, topic, 'aborted 2');
    await send(third, topic, 'kept 1');
    await send(first, topic, 'aborted 3', Buffer.from([0, 0, 0, 0]));
    await send(second, topic, 'aborted 4');
    await send(first, topic, 'aborted 5');
    await send(third, topic, 'kept 2');
    await second.abort();
    await third.commit();
    await first.abort();
    await eventually(async () => expect(await read(log, topic)).toEqual(['kept 1', 'kept 2']));
    const { high } = (await log.watermarks(topic))[0]!;
    for (let from = 0; from <= high; from++) {
      const expected = ['kept 1', 'kept 2'].filter((_, index) => from <= [2, 6][index]!);
      expect(await read(log, topic, from)).toEqual(expected);
    }
    const values: string[] = [];
    const group = `group-${newId()}`;
    expect(await consumerLag(log, group, topic)).toEqual(new Map([[0, high]]));
    await log.consume({
      group,
      topics: [topic],
      from: 'earliest',
      maxBatchRecords: 1,
      onBatch: async (batch) => {
        values.push(...batch.records.map(valueOf));
        const nextOffset = batch.records[0]!.offset + 1;
        const { partition, claim } = batch;
        await log.transact({ records: [], consumed: { claim, offsets: [{ topic, partition, nextOffset }] } });
      },
    });
    await eventually(() => expect(values).toEqual(['kept 1', 'kept 2']));
    // What is left are aborted records and the ends of transactions.
    await eventually(async () => expect((await log.committedOffsets(group))[0]!.nextOffset).toBe(7));
    expect(high).toBeGreaterThan(7);
    expect(await consumerLag(log, group, topic)).toEqual(new Map([[0, 0]]));
  });

  it('that are open end the log for readers, and a topic of aborted ones alone reads as empty', async () => {
    const log = await open();
    const topic = await topicWith(log);
    await log.append([record(topic, 'before')]);
    const transaction = await stranger.begin();
    await send(transaction, topic, 'undecided');
    await log.append([record(topic, 'after')]);
    expect((await log.watermarks(topic))[0]!.high).toBe(1);
    expect(await read(log, topic)).toEqual(['before']);
    await transaction.abort();
    await eventually(async () => expect(await read(log, topic)).toEqual(['before', 'after']));
    const empty = await topicWith(log);
    const other = await stranger.begin();
    await send(other, empty, 'aborted');
    await other.abort();
    await eventually(async () => expect((await log.watermarks(empty))[0]!.high).toBe(2));
    expect(await read(log, empty)).toEqual([]);
    expect(await log.offsetForTime(empty, 0, 0)).toBe(2);
  });
});

describe('what Kafka carries and other logs do not', () => {
  /** As another program sees it. */
  async function rawMessages(topic: string, count: number): Promise<kafkajs.KafkaMessage[]> {
    const consumer = new kafkajs.Kafka({
      brokers: kafka.bootstrap.split(','),
      logLevel: kafkajs.logLevel.NOTHING,
    }).consumer({ groupId: newId() });
    const messages: kafkajs.KafkaMessage[] = [];
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void messages.push(message) });
    await eventually(() => expect(messages).toHaveLength(count));
    await consumer.disconnect();
    return messages;
  }

  it('goes through a log in a file, and through a dead letter, without a change', async () => {
    const log = await open();
    const topic = await topicWith(log);
    const key = Buffer.of(0xff, 0x00, 0xfe);
    const headers = {
      ce_id: 'x',
      twice: [Buffer.from('a'), Buffer.from('b')],
      'Content-Type': 'text/plain',
      bytes: Buffer.of(0x80, 0x81),
      ü: 'ü',
    };
    const stranger = new kafkajs.Kafka({ brokers: kafka.bootstrap.split(',') }).producer({
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    });
    await stranger.connect();
    await stranger.send({ topic, messages: [{ key, value: 'sent', headers }] });
    await stranger.disconnect();
    const one = async (from: EventLog): Promise<LogRecord> => {
      for await (const [found] of from.read({ topic, partition: 0, from: 0, to: 1 })) if (found) return found;
      throw new Error('no record');
    };
    const came = await one(log);
    expect(came.headers).toMatchObject({ ce_id: 'x', twice: 'b' });

    const folder = await mkdtemp(join(tmpdir(), 'carried-'));
    const file = await LmdbEventLog.open({ folder });
    await file.createTopics([{ name: topic, partitions: 1 }]);
    await file.append([came]);
    const filed = await one(file);
    await file.close();
    await rm(folder, { recursive: true });
    await log.append([filed]);

    const letter = encodeEvent({ ...EXAMPLE_EVENTS.DeadLettered, ...came });
    const {
      value,
      headers: kept,
      key: text,
    } = decodeEvent({ partition: 0, offset: 0, ...letter }) as EventOf<'DeadLettered'>;
    await log.append([{ topic, partition: 0, key: text, value, headers: kept }]);

    const [first, second, third] = (await rawMessages(topic, 3)).map((message) => ({
      key: message.key?.toString('hex'),
      value: message.value?.toString(),
      headers: Object.fromEntries(
        Object.entries(message.headers ?? {}).map(([name, of]) => [name, [of].flat().map(String)]),
      ),
    }));
    expect(first).toMatchObject({ key: key.toString('hex'), headers: { twice: ['a', 'b'], ü: ['ü'] } });
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });
});

describe('compression', () => {
  it.each(COMPRESSIONS)('by %s is undone by every reader', async (compression) => {
    const log = await open({ compression });
    const topic = await topicWith(log);
    const values = Array.from({ length: 500 }, (_, index) => `${index} ${'much the same '.repeat(20)}`);
    await log.append(values.map((value) => record(topic, value)));
    expect(await read(await open(), topic)).toEqual(values);
    const printed = await kafka.tool(
      'org.apache.kafka.tools.consumer.ConsoleConsumer',
      ['--bootstrap-server', kafka.bootstrap, '--topic', topic, '--from-beginning', '--max-messages', '500'],
      { timeoutMs: 60_000 },
    );
    expect(printed.stdout.split('\n').slice(0, -1)).toEqual(values);
  });
});

describe('an owner', () => {
  /** As a member does that is late, or of another group by the same name. */
  async function takeTransactionalId(transactionalId: string): Promise<void> {
    const producer = new kafkajs.Kafka({
      brokers: kafka.bootstrap.split(','),
      logLevel: kafkajs.logLevel.NOTHING,
    }).producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    await (await producer.transaction()).abort();
    await producer.disconnect();
  }

  /** A log whose member is cut off from its group: it neither hears nor is heard, but thinks that it owns. */
  async function zombie(): Promise<{
    batch: RecordBatch;
    log: KafkaEventLog;
    topic: string;
    sink: string;
    group: string;
  }> {
    const setUp = await open();
    const [topic, sink, group] = [await topicWith(setUp), await topicWith(setUp), `group-${newId()}`];
    await setUp.append([record(topic, 'work')]);
    // Its heartbeats come too late for its session: to the group it is dead between two of them.
    const log = await open({ heartbeatMs: 600_000 });
    const kept: RecordBatch[] = [];
    await log.consume({
      group,
      topics: [topic],
      from: 'earliest',
      maxBatchRecords: 10,
      onBatch: async (batch) => {
        kept.push(batch);
        await new Promise<void>((resolve) => batch.signal.addEventListener('abort', () => resolve()));
      },
    });
    await eventually(() => expect(kept).toHaveLength(1));
    return { batch: kept[0]!, log, topic, sink, group };
  }

  it('that wakes up after its partition has moved commits nothing', async () => {
    const { batch, log, topic, sink, group } = await zombie();
    const successor = await open();
    const seen: string[] = [];
    const derive = (value: string): readonly string[] => {
      seen.push(value);
      return ['by the successor'];
    };
    await deriving(successor, { group, topic, sink, derive });
    await eventually(() => expect(seen).toEqual(['work']));
    const refusal = await refusalOf(
      log.transact({
        records: [record(sink, 'by the zombie')],
        consumed: { claim: batch.claim, offsets: [{ topic, partition: 0, nextOffset: 1 }] },
      }),
    );
    expect(refusal).toMatchObject({ code: 'FENCED', retryable: true });
    await successor.append([record(topic, 'more work')]);
    await eventually(() => expect(seen).toEqual(['work', 'more work']));
    await eventually(async () => expect(await read(successor, sink)).toEqual(['by the successor', 'by the successor']));
    expect(await successor.committedOffsets(group)).toEqual([{ topic, partition: 0, nextOffset: 2 }]);
  });

  it('whose producer was fenced by mistake takes the partition over again and continues', async () => {
    const log = await open();
    const [topic, sink, group] = [await topicWith(log), await topicWith(log), `group-${newId()}`];
    const seen: string[] = [];
    const derive = (value: string): readonly string[] => {
      seen.push(value);
      return [value];
    };
    await deriving(log, { group, topic, sink, derive });
    await log.append([record(topic, 'a')]);
    await eventually(async () => expect(await read(log, sink)).toEqual(['a']));
    await takeTransactionalId(`${group}.${topic}.0`);
    await log.append([record(topic, 'b')]);
    await eventually(async () => expect(await read(log, sink)).toEqual(['a', 'b']));
    expect(seen).toEqual(['a', 'b', 'b']);
  });

  it('that is fenced again and again waits ever longer before it takes its partition over, and continues afterwards', async () => {
    const log = await open();
    const [topic, sink, group] = [await topicWith(log), await topicWith(log), `group-${newId()}`];
    let rivalUntil = Number.POSITIVE_INFINITY;
    let tries = 0;
    await log.consume({
      group,
      topics: [topic],
      from: 'earliest',
      maxBatchRecords: 10,
      onBatch: async ({ records, claim, partition }) => {
        tries++;
        if (performance.now() < rivalUntil) await takeTransactionalId(`${group}.${topic}.0`);
        await log.transact({
          records: records.map((one) => record(sink, valueOf(one))),
          consumed: { claim, offsets: [{ topic, partition, nextOffset: records.at(-1)!.offset + 1 }] },
        });
      },
    });
    rivalUntil = performance.now() + 3000;
    await log.append([record(topic, 'a')]);
    await eventually(async () => expect(await read(log, sink)).toEqual(['a']));
    // At once, then after 0.1, 0.2, 0.4, 0.8 and 1.6 s.
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(10);
    await log.append([record(topic, 'b')]);
    await eventually(async () => expect(await read(log, sink)).toEqual(['a', 'b']), { withinMs: 2000 });
  });

  it('keeps its partition through a handler that takes longer than its session, and may commit afterwards', async () => {
    const log = await open();
    const [topic, group] = [await topicWith(log), `group-${newId()}`];
    await log.append([record(topic, 'slow')]);
    let deliveries = 0;
    let hasCommitted = false;
    await log.consume({
      group,
      topics: [topic],
      from: 'earliest',
      maxBatchRecords: 1,
      onBatch: async ({ claim, partition, signal }) => {
        deliveries++;
        await pause(5000);
        expect(signal.aborted).toBe(false);
        await log.transact({ records: [], consumed: { claim, offsets: [{ topic, partition, nextOffset: 1 }] } });
        hasCommitted = true;
      },
    });
    await eventually(() => expect(hasCommitted).toBe(true));
    expect(deliveries).toBe(1);
  });
});

describe('what came too late', () => {
  it('R04: a commit that arrives after the broker has given its transaction up changes nothing; the step is done again, whole', async () => {
    const port = Number(kafka.bootstrap.split(':')[1]);
    const proxy = await TcpProxy.start(port);
    // Side effect: sockets of this process know detours from now on.
    await import(new URL('../support/detours.mjs', import.meta.url).href);
    const reader = await open();
    const [topic, sink, group] = [await topicWith(reader), await topicWith(reader), `group-${newId()}`];
    process.env.DETOURS = proxy.detour;
    const late: string[] = [];
    let release: (() => void) | undefined;
    try {
      const log = await open({ transactionTimeoutMs: 2_000 });
      const rounds = process.env.SEAM_TEST_CHAOS === 'full' ? 50 : 3;
      let tries = 0;
      const derive = (value: string): readonly string[] => {
        tries++;
        return [`${value}a`, `${value}b`];
      };
      await deriving(log, { group, topic, sink, derive });
      const expected: string[] = [];
      for (let round = 0; round < rounds; round++) {
        proxy.holdBack = (piece) => {
          if (piece.length < 6 || piece.readInt16BE(4) !== END_TXN || release !== undefined) return undefined;
          late.push(`round ${round}`);
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        };
        await reader.append([record(topic, `${round}`)]);
        await eventually(() => expect(release).toBeDefined());
        // A reader waits for the open transaction; when this can be read, the broker has aborted it.
        await reader.append([record(sink, `after ${round}`)]);
        await eventually(async () => expect((await read(reader, sink)).at(-1)).toBe(`after ${round}`), {
          withinMs: 60_000,
        });
        proxy.holdBack = () => undefined;
        release!();
        release = undefined;
        expected.push(`after ${round}`, `${round}a`, `${round}b`);
        await eventually(async () => expect(await read(reader, sink)).toEqual(expected), { withinMs: 60_000 });
      }
      expect(late).toHaveLength(rounds);
      // Each was refused once and repeated by a new producer.
      expect(tries).toBe(2 * rounds);
      expect(await reader.committedOffsets(group)).toEqual([{ topic, partition: 0, nextOffset: rounds }]);
    } finally {
      delete process.env.DETOURS;
      release?.();
      await Promise.all(logs.splice(0).map((log) => log.close()));
      await proxy.stop();
    }
  }, 3_000_000);

  it.each([
    ['of the offset', TXN_OFFSET_COMMIT, END_TXN],
    ['of the end', END_TXN, TXN_OFFSET_COMMIT],
  ])(
    'R17: a commit %s that a broken connection delivers after it was repeated on another touches no later transaction',
    async (_what, late, held) => {
      const proxy = await TcpProxy.start(Number(kafka.bootstrap.split(':')[1]));
      await import(new URL('../support/detours.mjs', import.meta.url).href);
      const reader = await open();
      const [topic, sink, group] = [await topicWith(reader), await topicWith(reader), `group-${newId()}`];
      process.env.DETOURS = proxy.detour;
      proxy.deliversLate = true;
      const releases: (() => void)[] = [];
      /** Holds the next request of a kind back, on a connection that breaks at once or lasts. */
      const holdNext = (kind: number, breaks: boolean): void => {
        proxy.holdBack = (piece, client) => {
          if (piece.length < 6 || piece.readInt16BE(4) !== kind) return undefined;
          proxy.holdBack = () => undefined;
          if (breaks) client.resetAndDestroy();
          return new Promise<void>((resolve) => releases.push(resolve));
        };
      };
      const offset = async (): Promise<number | undefined> => (await reader.committedOffsets(group))[0]?.nextOffset;
      try {
        const log = await open();
        await deriving(log, { group, topic, sink, derive: (value) => [`${value}a`, `${value}b`] });
        holdNext(late, true);
        await reader.append([record(topic, '0')]);
        await eventually(async () => expect(await offset()).toBe(1), { withinMs: 30_000 });
        expect(releases).toHaveLength(1);
        holdNext(held, false);
        await reader.append([record(topic, '1')]);
        await eventually(() => expect(releases).toHaveLength(2));
        releases[0]!();
        await pause(500);
        expect(await read(reader, sink)).toEqual(['0a', '0b']);
        releases[1]!();
        await eventually(async () => expect(await read(reader, sink)).toEqual(['0a', '0b', '1a', '1b']), {
          withinMs: 30_000,
        });
        await eventually(async () => expect(await offset()).toBe(2), { withinMs: 30_000 });
        await reader.append([record(topic, '2')]);
        await eventually(async () => expect(await offset()).toBe(3), { withinMs: 30_000 });
        // The broker ends a transaction partition by partition: it may report the group's offset before the sink's records.
        const all = ['0a', '0b', '1a', '1b', '2a', '2b'];
        await eventually(async () => expect(await read(reader, sink)).toEqual(all), { withinMs: 30_000 });
      } finally {
        delete process.env.DETOURS;
        for (const release of releases) release();
        await Promise.all(logs.splice(0).map((log) => log.close()));
        await proxy.stop();
      }
    },
    120_000,
  );

  it('R09: a reader whose next records retention has deleted stops and says so; it does not jump', async () => {
    const log = await open();
    const [topic, group] = [await topicWith(log), `group-${newId()}`];
    await log.append(Array.from({ length: 20 }, (_, index) => record(topic, String(index))));
    const seen: string[] = [];
    const consume = (maxRecords: number) =>
      log.consume({
        group,
        topics: [topic],
        from: 'earliest',
        maxBatchRecords: 5,
        onBatch: async ({ records, claim, partition, signal }) => {
          if (seen.length >= maxRecords) {
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            return;
          }
          seen.push(...records.map(valueOf));
          const nextOffset = records.at(-1)!.offset + 1;
          await log.transact({ records: [], consumed: { claim, offsets: [{ topic, partition, nextOffset }] } });
        },
      });
    const first = await consume(5);
    await eventually(async () =>
      expect(await log.committedOffsets(group)).toEqual([{ topic, partition: 0, nextOffset: 5 }]),
    );
    await first.close();
    const offsets = join(tmpdir(), `${newId()}-offsets.json`);
    await writeFile(offsets, JSON.stringify({ version: 1, partitions: [{ topic, partition: 0, offset: 12 }] }));
    await kafka.tool('org.apache.kafka.tools.DeleteRecordsCommand', [
      '--bootstrap-server',
      kafka.bootstrap,
      '--offset-json-file',
      offsets,
    ]);
    const second = await consume(100);
    await expect(second.closed).rejects.toMatchObject({
      code: 'OFFSET_OUT_OF_RANGE',
      message: expect.stringMatching(/from 5.*12/),
    });
    expect(seen).toEqual(['0', '1', '2', '3', '4']);
    expect(await log.committedOffsets(group)).toEqual([{ topic, partition: 0, nextOffset: 5 }]);
  }, 120_000);
});

describe('security', () => {
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(tmpdir(), `${newId()}-${name}`);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const authority = () => file('authority.pem', kafka.secured!.certificates.authority);
  const works = async (brokers: string, security: KafkaSecurity): Promise<void> => {
    const log = await open({ brokers: brokers.split(','), security });
    const topic = await topicWith(log);
    await log.append([record(topic, 'over a secured connection')]);
    expect(await read(log, topic)).toEqual(['over a secured connection']);
  };
  const refused = async (brokers: string, security: KafkaSecurity): Promise<SeamError> => {
    const lines: string[] = [];
    const log = ({ message }: { message: string }): void => {
      lines.push(message);
    };
    const options = { brokers: brokers.split(','), security, operationTimeoutMs: 3000, log };
    const refusal = await refusalOf(KafkaEventLog.open(options));
    for (const text of [refusal.message, refusal.stack, JSON.stringify(refusal), ...lines])
      expect(text).not.toContain(security.sasl?.password ?? 'PRIVATE KEY');
    return refusal;
  };

  it('by TLS: the authority is trusted, and another one is not', async () => {
    await works(kafka.secured!.tls, { tls: { authorityFile: await authority() } });
    expect(await refused(kafka.secured!.tls, { tls: {} })).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('certificate'),
    });
    expect(await refused(kafka.secured!.tls, { tls: { authorityFile: '/nowhere.pem' } })).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('/nowhere.pem'),
    });
  });

  it('by mutual TLS: with a certificate of our own, and not without', async () => {
    const { mtls, certificates } = kafka.secured!;
    const tls = { authorityFile: await authority() };
    const pair = {
      certificateFile: await file('client.crt', certificates.client.certificate),
      keyFile: await file('client.key', certificates.client.key),
    };
    await works(mtls, { tls: { ...tls, ...pair } });
    expect(['INVALID_CONFIGURATION', 'LOG_UNAVAILABLE']).toContain((await refused(mtls, { tls })).code);
    const { keyFile } = pair;
    expect(await refused(mtls, { tls: { ...tls, keyFile } })).toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });

  it.each(['scram-sha-512', 'scram-sha-256', 'plain'] as const)(
    'by SASL %s: with the right password, and not with another',
    async (mechanism) => {
      const { saslTls, saslPlaintext, username, password } = kafka.secured!;
      const listeners: [string, KafkaSecurity][] = [[saslTls, { tls: { authorityFile: await authority() } }]];
      // The other listener offers all but this one.
      if (mechanism !== 'scram-sha-256') listeners.push([saslPlaintext, {}]);
      for (const [brokers, security] of listeners) {
        await works(brokers, { ...security, sasl: { mechanism, username, password } });
        expect(
          await refused(brokers, { ...security, sasl: { mechanism, username, password: 'guessed-7391' } }),
        ).toMatchObject({ code: 'INVALID_CONFIGURATION', message: expect.stringMatching(/[Aa]uthentication/) });
      }
    },
  );

  it('not by SASL where the listener takes none, and says so', async () => {
    const sasl = { mechanism: 'plain', username: 'somebody', password: 'guessed-7391' } as const;
    expect(await refused(kafka.bootstrap, { sasl })).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('leave user and password out'),
    });
  });

  it('not with a key that is no key, which is said before a broker is asked', async () => {
    const { mtls, certificates } = kafka.secured!;
    const certificateFile = await file('client.crt', certificates.client.certificate);
    const tls = { authorityFile: await authority(), certificateFile, keyFile: certificateFile };
    expect(await refused(mtls, { tls })).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('PEM'),
    });
  });

  it('not by a mechanism that the broker does not offer', async () => {
    const { saslPlaintext, username, password } = kafka.secured!;
    expect(await refused(saslPlaintext, { sasl: { mechanism: 'scram-sha-256', username, password } })).toMatchObject({
      code: 'INVALID_CONFIGURATION',
    });
  });
});

describe('a password that is changed', () => {
  it('R37: members keep their connections and are replaced one by one; nothing is lost or done twice', async () => {
    const { saslTls, username, password, certificates } = kafka.secured!;
    const authorityFile = join(tmpdir(), `${newId()}-authority.pem`);
    await writeFile(authorityFile, certificates.authority);
    const change = async (to: string): Promise<void> => {
      const config = ['--alter', '--add-config', `SCRAM-SHA-512=[iterations=8192,password=${to}]`];
      const user = ['--entity-type', 'users', '--entity-name', username];
      await kafka.tool('kafka.admin.ConfigCommand', ['--bootstrap-server', kafka.bootstrap, ...config, ...user]);
    };
    const as = (secret: string): Partial<KafkaEventLogOptions> => ({
      brokers: saslTls.split(','),
      security: { tls: { authorityFile }, sasl: { mechanism: 'scram-sha-512', username, password: secret } },
      operationTimeoutMs: 10_000,
    });
    const outside = await open();
    const [topic, sink, group] = [await topicWith(outside), await topicWith(outside), `group-${newId()}`];
    const joined = (log: KafkaEventLog) => deriving(log, { group, topic, sink, maxBatchRecords: 3 });
    let appended = 0;
    const expected: string[] = [];
    const work = async (): Promise<void> => {
      for (let count = 0; count < 10; count++) {
        expected.push(String(appended));
        await outside.append([record(topic, String(appended++))]);
      }
      await eventually(async () => expect(await read(outside, sink)).toEqual(expected), { withinMs: 60_000 });
    };
    try {
      const before = await joined(await open(as(password)));
      await work();
      await change('changed-8264');
      await work();
      expect((await refusalOf(open(as(password)))).code).toBe('INVALID_CONFIGURATION');
      const after = await joined(await open(as('changed-8264')));
      await before.close();
      await work();
      await after.close();
    } finally {
      await change(password);
    }
  }, 240_000);
});

describe('a password that is kept too weakly', () => {
  it('is refused, with what to do, unless that is asked for', async () => {
    const { saslPlaintext, username, password } = kafka.secured!;
    const keep = async (iterations: number): Promise<void> => {
      const config = ['--alter', '--add-config', `SCRAM-SHA-512=[iterations=${iterations},password=${password}]`];
      const user = ['--entity-type', 'users', '--entity-name', username];
      await kafka.tool('kafka.admin.ConfigCommand', ['--bootstrap-server', kafka.bootstrap, ...config, ...user]);
    };
    const as = (minIterations?: number): Partial<KafkaEventLogOptions> => ({
      brokers: saslPlaintext.split(','),
      security: {
        sasl: {
          mechanism: 'scram-sha-512',
          username,
          password,
          ...(minIterations === undefined ? {} : { minIterations }),
        },
      },
      operationTimeoutMs: 10_000,
    });
    try {
      await keep(4096);
      expect(await refusalOf(open(as()))).toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringMatching(
          /expected 8192 to 1000000 iterations, the broker asks for 4096.*iterations=8192/,
        ),
      });
      expect(await (await open(as(4096))).identity()).toBe(await (await open()).identity());
    } finally {
      await keep(8192);
    }
  }, 120_000);
});

describe('brokers that are not there', () => {
  it('are LOG_UNAVAILABLE in the time that an operation may take, and invalid addresses INVALID_CONFIGURATION', async () => {
    const begun = performance.now();
    expect(await refusalOf(KafkaEventLog.open({ brokers: ['127.0.0.1:1'], operationTimeoutMs: 1000 }))).toMatchObject({
      code: 'LOG_UNAVAILABLE',
      retryable: true,
    });
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(await refusalOf(KafkaEventLog.open({ brokers: ['kafka://a'] }))).toMatchObject({
      code: 'INVALID_CONFIGURATION',
    });
  });

  it('are passed over for one that answers, also when they take the connection and say nothing', async () => {
    const answering = kafka.bootstrap.split(',')[0]!;
    const hung = await TcpProxy.start(Number(answering.split(':')[1]));
    hung.isStalled = true;
    const silent = `127.0.0.1:${hung.port}`;
    try {
      for (const brokers of [
        [silent, answering],
        [silent, silent, answering],
        [answering, silent],
      ]) {
        const begun = performance.now();
        const log = await open({ brokers, connectTimeoutMs: 500, operationTimeoutMs: 10_000 });
        const topic = await topicWith(log);
        await log.append([record(topic, 'answered')]);
        expect(await read(log, topic)).toEqual(['answered']);
        expect(performance.now() - begun).toBeLessThan(10_000);
      }
    } finally {
      await hung.stop();
    }
  });

  it('and come back: what was appended is there once, and a group continues', async () => {
    const log = await open();
    const [topic, sink, group] = [await topicWith(log, 2), await topicWith(log), `group-${newId()}`];
    await deriving(log, { group, topic, sink, maxBatchRecords: 5 });
    const values = Array.from({ length: 60 }, (_, index) => String(index));
    const appending = (async () => {
      for (const value of values) {
        await log.append([record(topic, value, Number(value) % 2)]);
        await pause(20);
      }
    })();
    await pause(400);
    await kafka.kill(0);
    await pause(300);
    await kafka.restart(0);
    await appending;
    await eventually(
      async () => {
        const derived = await read(log, sink);
        expect(derived.map(Number).toSorted((a, b) => a - b)).toEqual(values.map(Number));
      },
      { withinMs: 60_000 },
    );
  }, 120_000);
});
