/**
 * Records that are no events, among good ones, on each log: all of the former go to the dead letters with reason, place and
 * bytes, all of the latter are worked off. The service is the transport with a consumer that needs no model.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventLog, NewRecord } from '@seamstream/event-log';
import { deriveMeta, type EventOf, encodeEvent, TOPIC } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';
import {
  commonConfigSchema,
  createServiceLogger,
  type DeliveredBatch,
  deadLetter,
  done,
  EventLogStrategy,
  type HandlerResult,
  ServiceMetrics,
} from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type Deployment, deploy } from '../support/deployment.js';
import { allEventsOf, ledgerOf, ofType } from '../support/recorded-run.js';

const FULL = process.env.SEAM_TEST_CHAOS === 'full';
const GOOD = FULL ? 100_000 : 10_000;
const BAD = GOOD / 10;
const GROUP = 'seam.test';
const APPEND_RECORDS = 500;
const MAX_ATTEMPTS = 3;
/** A record cannot be larger (libs/event-log/src/record-rules.ts). */
const LARGEST_BYTES = 999_000;
const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));

const { ProblemPublished } = EXAMPLE_EVENTS;

/** Of a record of zeros: some five kilobytes when compressed with zstd, 30 000 to 1. */
const BOMB_BYTES = 160_000_000;
/** Sends good records and between them bombs, each in a separate batch, to the first partition. */
const BOMBER = `
  import kafkajs from 'kafkajs';
  import { TOPIC } from '@seamstream/events';
  import '@seamstream/event-log-kafka';
  const { BROKERS, BOMB_BYTES, GOOD } = process.env;
  const { CompressionTypes: { None, GZIP, ZSTD, LZ4 } } = kafkajs;
  const producer = new kafkajs.Kafka({ brokers: BROKERS.split(','), logLevel: 0 }).producer();
  await producer.connect();
  const send = (compression, { key, value }) =>
    producer.send({ topic: TOPIC.problems, compression, messages: [{ key, value, partition: 0 }] });
  const [first, flipped, last] = JSON.parse(GOOD).map(({ key, value }) => ({ key, value: Buffer.from(value, 'base64') }));
  await send(None, first);
  for (const codec of [ZSTD, GZIP, LZ4]) await send(codec, { key: 'bomb', value: Buffer.alloc(Number(BOMB_BYTES)) });
  await send(None, flipped);
  await send(None, last);
  await producer.disconnect();
`;

/** Bytes that are no event of the problems' topic, made from those of one. */
const KINDS: Readonly<Record<string, (good: Buffer, random: Random) => Buffer | null>> = {
  'no value': () => null,
  'no bytes': () => Buffer.alloc(0),
  'one byte': () => Buffer.of(0xc3),
  text: () => Buffer.from('not avro'),
  json: () => Buffer.from(JSON.stringify(problem('json'))),
  'another marker': (good) => Buffer.concat([Buffer.of(0xc4), good.subarray(1)]),
  'an unknown schema': (good, random) =>
    Buffer.concat([
      good.subarray(0, 2),
      Buffer.from(Array.from({ length: 8 }, () => random.int(256))),
      good.subarray(10),
    ]),
  'a registry’s schema': (good) => Buffer.concat([Buffer.of(0, 0, 0, 4, 210), good.subarray(10)]),
  'a header only': (good) => good.subarray(0, 10),
  'cut short': (good, random) => good.subarray(0, 11 + random.int(good.length - 12)),
  'cut by one': (good) => good.subarray(0, good.length - 1),
  'one byte more': (good) => Buffer.concat([good, Buffer.of(0)]),
  'twice in one': (good) => Buffer.concat([good, good]),
  'no UTF-8': (good) => {
    const copy = Buffer.from(good);
    copy.fill(0xff, copy.indexOf('Do '), copy.indexOf('Do ') + 3);
    return copy;
  },
  'an endless length': (good) => Buffer.concat([good.subarray(0, 10), Buffer.alloc(12, 0xff)]),
  'a negative length': (good) => Buffer.concat([good.subarray(0, 10), Buffer.of(0x03), good.subarray(11)]),
  'a length of gigabytes': (good) =>
    Buffer.concat([good.subarray(0, 10), Buffer.of(0xfe, 0xff, 0xff, 0xff, 0x0f), good.subarray(11)]),
  'another topic’s event': () => Buffer.from(encodeEvent(expired(problem('elsewhere'))).value),
  'zeros for a body': (good) => Buffer.concat([good.subarray(0, 10), Buffer.alloc(good.length - 10, 0x7f)]),
  noise: (_, random) => Buffer.from(Array.from({ length: 1 + random.int(400) }, () => random.int(256))),
};
const CODES = ['MALFORMED_RECORD', 'UNKNOWN_SCHEMA'];

/** What the consumer cannot do yet; a later version can. */
let refuses: (id: string) => boolean;

describe.each(['lmdb', 'kafka'] as const)('on %s', (driver) => {
  beforeAll(() => {
    refuses = (id) => id.startsWith('later-');
  });

  let folder: string;
  let deployment: Deployment;
  let log: EventLog;
  let service: EventLogStrategy;

  const serve = async (): Promise<EventLogStrategy> => {
    const { consuming } = commonConfigSchema.parse({
      consuming: { maxAttempts: MAX_ATTEMPTS, firstRetryMs: 1, maxRetryMs: 5 },
    });
    const strategy = new EventLogStrategy({
      log,
      source: 'seam/test',
      consuming,
      metrics: new ServiceMetrics(),
      logger: createServiceLogger('test', 'silent'),
    });
    const consumption = { topic: TOPIC.problems, group: GROUP, maxBatchRecords: 200 };
    strategy.addHandler(GROUP, consume, true, { consumption });
    await strategy.listen((error) => {
      if (error !== undefined) throw error as Error;
    });
    return strategy;
  };
  const lettersAndEnds = async (): Promise<{ letters: EventOf<'DeadLettered'>[]; ends: string[] }> => {
    const events = await allEventsOf(log, [TOPIC.outcomes, TOPIC.deadLetters]);
    return {
      letters: ofType(events, 'DeadLettered'),
      ends: ofType(events, 'ProblemExpired').map(({ problem: { problemId } }) => problemId),
    };
  };
  const until = async (
    isReached: (counts: Awaited<ReturnType<typeof lettersAndEnds>>) => boolean,
  ): Promise<Awaited<ReturnType<typeof lettersAndEnds>>> => {
    const giveUp = performance.now() + (FULL ? 900_000 : 240_000);
    for (;;) {
      const counts = await lettersAndEnds();
      if (isReached(counts)) return counts;
      if (performance.now() > giveUp)
        throw new Error(`${counts.letters.length} letters, ${counts.ends.length} ends, and no more came`);
      await pause(FULL ? 5_000 : 250);
    }
  };
  const append = async (records: readonly NewRecord[]): Promise<void> => {
    for (let from = 0; from < records.length; from += APPEND_RECORDS)
      await log.append(records.slice(from, from + APPEND_RECORDS));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'malformed-'));
    deployment = await deploy({ folder, log: driver });
    log = await deployment.openLog();
    service = await serve();
  }, 300_000);

  afterAll(async () => {
    await service.close();
    await log.close();
    await deployment.close();
    await rm(folder, { recursive: true });
  });

  it(
    'R10: twenty kinds of records that are no events are dead-lettered, byte for byte, and every good one is worked off',
    async () => {
      const random = Random.of('R10', driver);
      const kinds = Object.entries(KINDS);
      expect(kinds).toHaveLength(20);
      const sent = new Map<string, Buffer | null>();
      const records: NewRecord[] = Array.from({ length: GOOD }, (_, index) => encodeEvent(problem(`good-${index}`)));
      const bad = Array.from({ length: BAD }, (_, index): NewRecord => {
        const key = `bad-${index}`;
        // One in two hundred is of the largest size, too large for a dead letter that holds all of it.
        const value =
          index % 200 === 199
            ? Buffer.alloc(LARGEST_BYTES, 7)
            : kinds[index % kinds.length]![1](Buffer.from(encodeEvent(problem(key)).value), random);
        sent.set(key, value);
        return { topic: TOPIC.problems, key, value, headers: { origin: key } };
      });
      for (const record of bad) records.splice(random.int(records.length), 0, record);
      await append(records.filter(({ value }) => (value?.length ?? 0) < LARGEST_BYTES));
      for (const record of records.filter(({ value }) => (value?.length ?? 0) >= LARGEST_BYTES))
        await log.append([record]);
      const { letters, ends } = await until((counts) => counts.letters.length >= BAD && counts.ends.length >= GOOD);
      expect(ends).toHaveLength(GOOD);
      expect(new Set(ends).size).toBe(GOOD);
      expect(letters).toHaveLength(BAD);
      expect(new Set(letters.map(({ key }) => key)).size).toBe(BAD);
      expect(new Set(letters.map(({ partition, offset }) => `${partition}/${offset}`)).size).toBe(BAD);
      for (const { key, value, code, reason, headers, topic } of letters) {
        const original = sent.get(key!) ?? null;
        const kept = value === null ? null : Buffer.from(value);
        expect([key, CODES.includes(code), reason.length > 20, topic]).toEqual([key, true, true, TOPIC.problems]);
        if (original !== null && original.length >= LARGEST_BYTES) {
          expect(reason).toMatch(/only the first \d+ of \d+ bytes are kept/);
          expect(original.subarray(0, kept!.length).equals(kept!)).toBe(true);
        } else {
          expect(headers).toEqual({ origin: key });
          expect([key, kept?.toString('hex')]).toEqual([key, original?.toString('hex')]);
        }
      }
      expect(await ledgerOf(log)).toMatchObject({
        published: GOOD,
        expired: GOOD,
        inFlight: 0,
        balanced: true,
        deadLetterRecords: BAD,
      });
    },
    FULL ? 1_200_000 : 300_000,
  );

  it('R11: a record on which the consumer throws is tried three times and given up; its neighbours are worked off', async () => {
    const before = await lettersAndEnds();
    const records = Array.from({ length: 300 }, (_, index) =>
      encodeEvent(problem(index % 100 === 50 ? `poison-${index}` : `near-${index}`)),
    );
    await append(records);
    const { letters, ends } = await until(
      (counts) => counts.letters.length >= before.letters.length + 3 && counts.ends.length >= before.ends.length + 297,
    );
    const poisoned = letters.filter(({ key }) => key?.startsWith('poison-'));
    expect(poisoned.map(({ key }) => key).sort()).toEqual(['poison-150', 'poison-250', 'poison-50']);
    for (const { reason, attempts } of poisoned) {
      expect(reason).toContain('this record is too much for me');
      expect(attempts).toBeLessThanOrEqual(MAX_ATTEMPTS);
    }
    expect(ends).toHaveLength(before.ends.length + 297);
  }, 300_000);

  it('R12: after a mend, dead records are given back once, however often that is asked', async () => {
    const before = await lettersAndEnds();
    const late = FULL ? 1000 : 200;
    await append(Array.from({ length: late }, (_, index) => encodeEvent(problem(`later-${index}`))));
    await until((counts) => counts.letters.length >= before.letters.length + late);
    await service.close();
    refuses = () => false;
    service = await serve();
    const redrive = (): unknown => {
      const args = [
        SEAM,
        'dead-letters',
        'redrive',
        '--code',
        'DATA_REFUSED',
        '--by',
        'ada',
        '--reason',
        'mended',
        '--json',
      ];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        env: { PATH: process.env.PATH, ...deployment.environment },
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`redriving ended with ${status}: ${stderr}`);
      return JSON.parse(stdout);
    };
    expect(redrive()).toMatchObject({ selected: late, toRedrive: late, redriven: late, alreadyRedriven: 0 });
    const { ends } = await until((counts) => counts.ends.length >= before.ends.length + late);
    expect(redrive()).toMatchObject({ selected: late, toRedrive: 0, redriven: 0, alreadyRedriven: late });
    expect(ends.filter((id) => id.startsWith('later-')).sort()).toEqual(
      Array.from({ length: late }, (_, index) => `later-${index}`).sort(),
    );
    expect(await ledgerOf(log)).toMatchObject({ inFlight: 0, balanced: true });
  }, 300_000);

  if (driver === 'kafka') {
    it('R10: of bombs and of bits that flipped on the disk, each batch is one dead letter with its place; what stands around them is worked off', async () => {
      const before = await lettersAndEnds();
      await service.close();
      // 1. A good record, a bomb of each codec, another good record, in one partition; by a client that knows no limits.
      const sent = spawnSync(process.execPath, ['--input-type=module', '-e', BOMBER], {
        env: {
          PATH: process.env.PATH,
          BROKERS: deployment.environment.SEAM_EVENT_LOG_KAFKA_BROKERS,
          BOMB_BYTES: String(BOMB_BYTES),
          GOOD: JSON.stringify(
            ['around-1', 'flipped', 'around-2'].map((id) => {
              const { key, value } = encodeEvent(problem(id));
              return { key, value: Buffer.from(value).toString('base64') };
            }),
          ),
        },
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        encoding: 'utf8',
      });
      if (sent.status !== 0) throw new Error(`the bombs were not sent: ${sent.stderr}`);
      // 2. A bit flips where the broker keeps the second good record.
      const segment = join(deployment.brokerFolder!, `${TOPIC.problems}-0`, '00000000000000000000.log');
      const at = (await readFile(segment)).lastIndexOf('Do flipped.');
      expect(at).toBeGreaterThan(0);
      const file = await open(segment, 'r+');
      await file.write('d', at);
      await file.close();
      // 3. All of it is read on, and memory holds no bomb.
      const rss = process.memoryUsage.rss();
      let most = rss;
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
      service = await serve();
      const after = await until(
        (counts) => counts.letters.length >= before.letters.length + 4 && counts.ends.length >= before.ends.length + 2,
      );
      clearInterval(watch);
      const unreadable = after.letters.filter(({ code }) => code === 'UNREADABLE_BATCH');
      expect(unreadable.map(({ topic, partition, value }) => [topic, partition, value])).toEqual(
        Array.from({ length: 4 }, () => [TOPIC.problems, 0, null]),
      );
      expect(unreadable.map(({ reason, offset }) => reason.includes(`offset ${offset} cannot be read`))).toEqual(
        Array.from({ length: 4 }, () => true),
      );
      expect(unreadable.filter(({ reason }) => /are more than \d+ when decompressed/.test(reason))).toHaveLength(3);
      expect(unreadable.filter(({ reason }) => reason.includes('its checksum is'))).toHaveLength(1);
      expect(after.ends.filter((id) => id.startsWith('around-')).sort()).toEqual(['around-1', 'around-2']);
      expect(after.letters).toHaveLength(before.letters.length + 4);
      expect(most - rss).toBeLessThan(BOMB_BYTES / 2);
    }, 300_000);
  }
});

function problem(id: string): EventOf<'ProblemPublished'> {
  return {
    ...ProblemPublished,
    meta: { ...ProblemPublished.meta, messageId: derivedId(id, 'published'), correlationId: id },
    problem: { ...ProblemPublished.problem, problemId: id, prompt: `Do ${id}.` },
  };
}

function expired({ meta, problem: subject }: EventOf<'ProblemPublished'>): EventOf<'ProblemExpired'> {
  return {
    type: 'ProblemExpired',
    meta: deriveMeta(meta, { role: 'expired', source: 'seam/test', occurredAt: 1_700_000_000_001 }),
    problem: subject,
    expiredAt: 1,
  };
}

async function consume({ records }: DeliveredBatch): Promise<readonly HandlerResult[]> {
  return records.map(({ event }) => {
    if (event.type !== 'ProblemPublished') return done();
    const { problemId } = event.problem;
    if (problemId.startsWith('poison-')) throw new Error('this record is too much for me');
    return refuses(problemId) ? deadLetter('DATA_REFUSED', 'not yet') : done([expired(event)]);
  });
}
