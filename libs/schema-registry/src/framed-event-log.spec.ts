import { type ConsumeOptions, InMemoryEventLog, InMemoryLogStorage } from '@seamstream/event-log';
import { describeEventLogContract } from '@seamstream/event-log/contract';
import { decodeEvent, encodeEvent, eventSchemas, learnSchema, type SeamEvent } from '@seamstream/events';
import { type Clock, isSeamError, ManualClock, systemClock } from '@seamstream/kernel';
import { EXAMPLE_EVENTS, recordsOf } from '@seamstream/testing';
import { FramedEventLog, type FramedEventLogOptions } from './framed-event-log.js';
import { KnownSchemas, subjectOf } from './known-schemas.js';
import { InMemorySchemaRegistry } from './schema-registry.fake.js';

const published = EXAMPLE_EVENTS.ProblemPublished;
const TOPIC = 'seam.problems';

/** A log of one partition whose records are framed, and the bare log under it: what other clients see. */
async function open(options: Partial<FramedEventLogOptions> = {}, clock: Clock = systemClock) {
  const registry = new InMemorySchemaRegistry();
  const schemas = await KnownSchemas.register(eventSchemas(), { registry, learn: learnSchema, clock });
  const bare = new InMemoryEventLog();
  await bare.createTopics([{ name: TOPIC, partitions: 1 }]);
  const log = new FramedEventLog({ log: bare, schemas, firstRetryMs: 1, maxRetryMs: 5, ...options });
  return { log, bare, registry, schemas };
}

type World = Awaited<ReturnType<typeof open>>;

const schemaText = (): string => eventSchemas().find(({ topic }) => topic === TOPIC)?.schema ?? '';

const problemIdOf = (event: SeamEvent): string =>
  event.type === 'ProblemPublished' ? event.problem.problemId : event.type;

describeEventLogContract('a framed log', async (clock) => {
  const storage = new InMemoryLogStorage();
  const schemas = await KnownSchemas.register(eventSchemas(), {
    registry: new InMemorySchemaRegistry(),
    learn: learnSchema,
    clock,
  });
  return {
    open: async () => new FramedEventLog({ log: new InMemoryEventLog({ storage, clock }), schemas }),
    dispose: async () => undefined,
  };
});

describe('records in a framed log', () => {
  it('are 00, the id of their schema, and the body; and read as they were written', async () => {
    const { log, bare, registry } = await open();
    const encoded = encodeEvent(published);
    await log.append([encoded]);
    const [version] = await registry.versions(subjectOf(TOPIC, 'seamstream.ProblemPublished'));
    const [stored] = await recordsOf(bare, TOPIC);
    expect(Buffer.from(stored?.value ?? []).toString('hex')).toBe(
      `00${(version?.id ?? 0).toString(16).padStart(8, '0')}${Buffer.from(encoded.value).toString('hex').slice(20)}`,
    );
    const [read] = await recordsOf(log, TOPIC);
    expect(Buffer.from(read?.value ?? [])).toEqual(Buffer.from(encoded.value));
    expect(stored?.headers).toEqual(encoded.headers);
  });

  it('of every event have their own subject', async () => {
    const { registry } = await open();
    for (const { topic, fullName, schema } of eventSchemas())
      expect(await registry.versions(`${topic}-${fullName}`)).toEqual([{ id: expect.any(Number) as number, schema }]);
  });

  it('are framed and read without a question to the registry', async () => {
    const { log, registry } = await open();
    registry.isDown = true;
    const before = registry.numQuestions;
    await log.append([encodeEvent(published)]);
    expect((await recordsOf(log, TOPIC)).map((record) => problemIdOf(decodeEvent(record)))).toEqual(['p-1']);
    expect(registry.numQuestions).toBe(before);
  });

  it('may be mixed with tombstones, single-object records and anything else, which stay as they are', async () => {
    const { log, bare } = await open();
    const strange = [
      Buffer.from('{}'),
      Buffer.from([0, 0, 1]),
      Buffer.from([]),
      Buffer.from('c3010011223344556677', 'hex'),
    ];
    await log.append(strange.map((value) => ({ topic: TOPIC, key: null, value })));
    await log.append([{ topic: TOPIC, key: null, value: null }]);
    await bare.append([encodeEvent(published)]);
    const read = await recordsOf(log, TOPIC);
    expect(read.slice(0, 5).map(({ value }) => value && Buffer.from(value))).toEqual([...strange, null]);
    expect(problemIdOf(decodeEvent(read[5]!))).toBe('p-1');
    expect((await recordsOf(bare, TOPIC)).map(({ value }) => value)).toEqual(read.map(({ value }) => value));
  });

  it("of a stranger's schema are read through the registry, which is asked once", async () => {
    const world = await open();
    const record = await foreign(world.registry);
    await world.bare.append([record, record, record]);
    const before = world.registry.numQuestions;
    expect((await recordsOf(world.log, TOPIC)).map((each) => problemIdOf(decodeEvent(each)))).toEqual(
      Array.from({ length: 3 }, () => 'p-foreign'),
    );
    expect(world.registry.numQuestions).toBe(before + 1);
    // Sent again, as from the dead letters, they are what the stranger wrote.
    const [read] = await recordsOf(world.log, TOPIC);
    await world.log.append([{ ...record, value: read?.value ?? null }]);
    expect((await recordsOf(world.bare, TOPIC)).at(-1)?.value).toEqual(record.value);
  });

  it('with an id that the registry has not are handed on as they are, and not asked for again for a while', async () => {
    const clock = new ManualClock(0);
    const world = await open({}, clock);
    const record = await foreign(world.registry, { register: false });
    await world.bare.append([record]);
    const before = world.registry.numQuestions;
    for (let round = 0; round < 3; round++) {
      const [read] = await recordsOf(world.log, TOPIC);
      expect(() => decodeEvent(read!)).toThrow('schema id 4000000000');
    }
    expect(world.registry.numQuestions).toBe(before + 1);
    clock.advance(30_001);
    await recordsOf(world.log, TOPIC);
    expect(world.registry.numQuestions).toBe(before + 2);
  });
});

describe('while the registry is down', () => {
  it('known schemas continue, an unknown one waits with the records behind it, and all arrive once it is back', async () => {
    const waits: number[] = [];
    const world = await open({ onWait: (_, waitMs) => waits.push(waitMs) });
    const { registry, bare, log } = world;
    const unknown = await foreign(registry);
    registry.isDown = true;
    await log.append([encodeEvent(published), encodeEvent(published)]);
    await bare.append([unknown]);
    await log.append([encodeEvent(published)]);
    const { said, enough, subscription } = await consumeUntil(world, 4);
    while (waits.length < 5) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(said).toEqual(['p-1', 'p-1']);
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 5, 5]);
    registry.isDown = false;
    await enough;
    expect(said).toEqual(['p-1', 'p-1', 'p-foreign', 'p-1']);
    await subscription.close();
  });

  it('a reader gets an error, a follower waits', async () => {
    const world = await open();
    const { registry, bare, log } = world;
    await bare.append([await foreign(registry)]);
    registry.isDown = true;
    const refused = await recordsOf(log, TOPIC).catch((error: unknown) => error);
    expect(isSeamError(refused, 'SCHEMA_REGISTRY_UNAVAILABLE')).toBe(true);
    const stop = new AbortController();
    const followed = (async () => {
      for await (const [record] of log.follow({ topics: [TOPIC], from: 'earliest', signal: stop.signal }))
        return problemIdOf(decodeEvent(record!));
      return 'nothing';
    })();
    await new Promise((resolve) => setTimeout(resolve, 20));
    registry.isDown = false;
    expect(await followed).toBe('p-foreign');
    stop.abort();
  });

  it('a follower and a consumer that wait can be stopped', async () => {
    const waiting = Promise.withResolvers<undefined>();
    let waits = 0;
    const world = await open({
      firstRetryMs: 60_000,
      maxRetryMs: 60_000,
      onWait: () => {
        if (++waits === 2) waiting.resolve(undefined);
      },
    });
    await world.bare.append([await foreign(world.registry)]);
    world.registry.isDown = true;
    const stop = new AbortController();
    const followed = (async () => {
      for await (const records of world.log.follow({ topics: [TOPIC], from: 'earliest', signal: stop.signal }))
        return records.length;
      return 0;
    })();
    const { said, subscription } = await consumeUntil(world, 1);
    await waiting.promise;
    stop.abort();
    expect(await followed).toBe(0);
    await subscription.close();
    expect(said).toEqual([]);
  });

  it('nothing starts: ids are known at start or not at all', async () => {
    const registry = new InMemorySchemaRegistry();
    registry.isDown = true;
    await expect(
      KnownSchemas.register(eventSchemas(), { registry, learn: learnSchema, clock: systemClock }),
    ).rejects.toMatchObject({ code: 'SCHEMA_REGISTRY_UNAVAILABLE' });
  });
});

/** A problem as a client with another schema text, hence another id, writes it. */
async function foreign(
  registry: InMemorySchemaRegistry,
  { register = true, problemId = 'p-foreign' } = {},
): Promise<{ topic: string; key: null; value: Buffer }> {
  const schema = JSON.parse(schemaText()) as { fields: object[] };
  schema.fields.push({ name: `note${Math.random().toString(36).slice(2)}`, type: 'string' });
  const text = JSON.stringify(schema);
  const id = register ? await registry.register('theirs', text) : 4_000_000_000;
  const event = { ...published, problem: { ...published.problem, problemId } };
  const body = Buffer.from(encodeEvent(event).value).subarray(10);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(id, 1);
  return { topic: TOPIC, key: null, value: Buffer.concat([header, body, Buffer.from([2, 0x61])]) };
}

/** Consumes until so many records were decoded; what each said, in order. */
async function consumeUntil(world: World, wanted: number, options: Partial<ConsumeOptions> = {}) {
  const said: string[] = [];
  const enough = Promise.withResolvers<undefined>();
  const subscription = await world.log.consume({
    group: 'readers',
    topics: [TOPIC],
    from: 'earliest',
    maxBatchRecords: 10,
    ...options,
    onBatch: async ({ claim, records }) => {
      for (const record of records) {
        try {
          said.push(problemIdOf(decodeEvent(record)));
        } catch (error) {
          if (!isSeamError(error)) throw error;
          said.push(error.code);
        }
      }
      const nextOffset = (records.at(-1)?.offset ?? 0) + 1;
      await world.log.transact({
        records: [],
        consumed: { claim, offsets: [{ topic: TOPIC, partition: 0, nextOffset }] },
      });
      if (said.length >= wanted) enough.resolve(undefined);
    },
  });
  return { said, enough: enough.promise, subscription };
}
