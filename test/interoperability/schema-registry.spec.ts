/** The client of the schema registry against a real one, which is killed and started again. */
import { type SchemaRegistry as RegistryServer, startSchemaRegistry, testServers } from '@seamstream/dev-servers';
import { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, eventSchemas, learnSchema } from '@seamstream/events';
import { isSeamError, newId, systemClock } from '@seamstream/kernel';
import { ConfluentSchemaRegistry, FramedEventLog, KnownSchemas, subjectOf } from '@seamstream/schema-registry';
import { describeSchemaRegistryContract } from '@seamstream/schema-registry/contract';
import { commonConfigSchema, loadConfig, openEventLog } from '@seamstream/service-kit';
import { toyPublication } from '../support/toy-world.js';

const TOPIC = 'seam.problems';

interface Field {
  readonly name: string;
  readonly type: unknown;
  readonly default?: unknown;
  readonly aliases?: readonly string[];
}

function enumOf(symbols: readonly string[], whenUnknown?: string): object {
  return { type: 'enum', name: 'Mode', symbols, ...(whenUnknown === undefined ? {} : { default: whenUnknown }) };
}

/** The fields, one of them with other attributes. */
const altered =
  (name: string, attributes: Partial<Field>) =>
  (fields: Field[]): Field[] =>
    fields.map((field) => (field.name === name ? { ...field, ...attributes } : field));

describe('a real registry', () => {
  let servers: Awaited<ReturnType<typeof testServers<'registry'>>>;
  beforeAll(async () => {
    servers = await testServers(['registry']);
  }, 120_000);
  afterAll(() => servers.stop());

  describeSchemaRegistryContract(
    'through its REST API',
    async () => new ConfluentSchemaRegistry({ url: servers.registry.url }),
  );

  it('takes the schemas of all events from processes that start at once, and gives each the same ids', async () => {
    const starting = (): Promise<KnownSchemas> =>
      KnownSchemas.register(eventSchemas(), {
        registry: new ConfluentSchemaRegistry({ url: servers.registry.url }),
        learn: learnSchema,
        clock: systemClock,
      });
    const [first, ...others] = await Promise.all([starting(), starting(), starting()]);
    const { value } = encodeEvent(toyPublication('any', 0));
    for (const other of others) expect(other.framed(value)).toEqual(first.framed(value));
    expect(first.framed(value)[0]).toBe(0);
  });

  it('refuses a schema that breaks its subject, and the start says which and why', async () => {
    const registry = new ConfluentSchemaRegistry({ url: servers.registry.url });
    const topic = `refusing-${newId()}`;
    const broken = eventSchemas().map((event) => ({ ...event, topic }));
    const subject = subjectOf(topic, 'seamstream.ProblemPublished');
    // What stands there lacks a field that today's schema has no default for.
    const { schema = '' } = broken.find(({ fullName }) => fullName === 'seamstream.ProblemPublished') ?? {};
    const older = JSON.parse(schema) as { fields: { name: string }[] };
    await registry.register(
      subject,
      JSON.stringify({ ...older, fields: older.fields.filter(({ name }) => name !== 'mode') }),
    );
    const error = await KnownSchemas.register(broken, { registry, learn: learnSchema, clock: systemClock }).catch(
      (refusal: unknown) => refusal,
    );
    if (!isSeamError(error)) throw new Error('expected a refusal');
    expect(error.code).toBe('INCOMPATIBLE_SCHEMA');
    expect(error.message).toContain(subject);
    expect(error.message).toMatch(/the registry refuses it: .*mode/);
  });

  const changes: readonly [string, boolean, (fields: Field[]) => Field[]][] = [
    ['a new field with a default', true, (fields) => [...fields, { name: 'n', type: 'string', default: '' }]],
    ['a field taken away', true, (fields) => fields.filter(({ name }) => name !== 'text')],
    ['a rename that keeps the old name as alias', true, altered('text', { name: 'words', aliases: ['text'] })],
    ['an int made long', true, altered('number', { type: 'long' })],
    ['an enum with one symbol less and a default', true, altered('mode', { type: enumOf(['explore'], 'explore') })],
    ['a new field without default', false, (fields) => [...fields, { name: 'n', type: 'string' }]],
    ['a rename without alias', false, altered('text', { name: 'words' })],
    ['a text made a number', false, altered('text', { type: 'int' })],
    ['an enum with one symbol less', false, altered('mode', { type: enumOf(['explore']) })],
    ['a value that may no longer be null', false, altered('perhaps', { type: 'string' })],
  ];
  it.each(changes)('R13: registration goes by compatibility: %s, taken: %s', async (_, isTaken, change) => {
    const registry = new ConfluentSchemaRegistry({ url: servers.registry.url });
    const schemaOf = (fields: readonly Field[]): string =>
      JSON.stringify({ type: 'record', name: 'Changing', namespace: 'seamstream.test', fields });
    const fields: Field[] = [
      { name: 'text', type: 'string' },
      { name: 'number', type: 'int' },
      { name: 'mode', type: enumOf(['explore', 'deploy']) },
      { name: 'perhaps', type: ['null', 'string'] },
    ];
    const subject = subjectOf(`changing-${newId()}`, 'seamstream.test.Changing');
    await registry.register(subject, schemaOf(fields));
    const changed = registry.register(subject, schemaOf(change(fields)));
    if (isTaken) expect(await changed).toEqual(expect.any(Number));
    else await expect(changed).rejects.toMatchObject({ code: 'INCOMPATIBLE_SCHEMA', details: { subject } });
  });

  it('is chosen by configuration alone', async () => {
    const config = loadConfig(commonConfigSchema, {
      SEAM_EVENT_LOG_DRIVER: 'memory',
      SEAM_SCHEMA_REGISTRY_URL: servers.registry.url,
    });
    const log = await openEventLog(config);
    expect(log).toBeInstanceOf(FramedEventLog);
    await log.close();
  });
});

describe('a registry that is killed', () => {
  let server: RegistryServer;
  beforeAll(async () => {
    server = await startSchemaRegistry();
  }, 120_000);
  afterAll(() => server.stop());

  it('R15: stops no client that knows the schema; an unknown one waits and is read soon after it is back', async () => {
    const registry = new ConfluentSchemaRegistry({ url: server.url });
    const schemas = await KnownSchemas.register(eventSchemas(), { registry, learn: learnSchema, clock: systemClock });
    const bare = new InMemoryEventLog();
    await bare.createTopics([{ name: TOPIC, partitions: 1 }]);
    let waits = 0;
    const log = new FramedEventLog({ log: bare, schemas, onWait: () => waits++ });

    const problem = eventSchemas().find(({ topic }) => topic === TOPIC);
    const theirs = JSON.parse(problem?.schema ?? '') as { fields: object[] };
    theirs.fields.push({ name: 'note', type: 'string' });
    const id = await registry.register('theirs', JSON.stringify(theirs));
    const ours = encodeEvent(toyPublication('known', 0));
    const foreign = Buffer.concat([
      Buffer.from([0, 0, 0, id >> 8, id & 0xff]),
      Buffer.from(encodeEvent(toyPublication('unknown', 0)).value).subarray(10),
      Buffer.from([2, 0x61]),
    ]);
    await server.kill('SIGKILL');

    const read: string[] = [];
    const readAt: number[] = [];
    const subscription = await log.consume({
      group: 'readers',
      topics: [TOPIC],
      from: 'earliest',
      maxBatchRecords: 10,
      onBatch: async ({ records, claim }) => {
        for (const record of records) {
          const event = decodeEvent(record);
          read.push(event.type === 'ProblemPublished' ? event.problem.problemId : event.type);
          readAt.push(performance.now());
        }
        const nextOffset = (records.at(-1)?.offset ?? 0) + 1;
        await log.transact({
          records: [],
          consumed: { claim, offsets: [{ topic: TOPIC, partition: 0, nextOffset }] },
        });
      },
    });
    await log.append([ours, ours]);
    await bare.append([{ topic: TOPIC, key: null, value: foreign }]);
    await log.append([ours]);
    while (waits < 6) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(read).toEqual(['known-0', 'known-0']);

    await server.restart();
    const back = performance.now();
    while (read.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(read).toEqual(['known-0', 'known-0', 'unknown-0', 'known-0']);
    expect(readAt[3]! - back).toBeLessThan(30_000);
    await subscription.close();
  }, 120_000);
});
