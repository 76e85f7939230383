/**
 * Clients that are not ours next to the whole system on Kafka with a schema registry: a Python producer poses problems in
 * every way that is accepted, the services solve them, a Python consumer reads every topic and decodes every record, and
 * Kafka's own tools know the groups. `foreign_clients.py` is the Python side.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { type Python, pythonWith, runKafkaTool, testServers } from '@seamstream/dev-servers';
import type { EventLog, LogRecord } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, eventSchemas, TOPICS } from '@seamstream/events';
import { isSeamError, newId } from '@seamstream/kernel';
import { commonConfigSchema, type Environment, loadConfig, openEventLog } from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { allEventsOf, ofType } from '../support/recorded-run.js';
import { ServiceProcesses } from '../support/service-processes.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

// A broker, a registry, four services and a training run, on a machine that may be busy.
jest.setTimeout(300_000);

const PACKAGES = ['confluent-kafka[avro,schemaregistry]==2.16.0', 'fastavro==1.13.1'];
const SCRIPT = fileURLToPath(new URL('foreign_clients.py', import.meta.url));
const RELEASED_SCHEMAS = fileURLToPath(new URL('../../schemas/history', import.meta.url));
const TOPIC_NAMES = TOPICS.map(({ name }) => name);

/** A record for the Python producer, see there. */
interface Publication {
  readonly way: 'registry' | 'single-object' | 'raw';
  readonly topic: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly schema?: unknown;
  readonly event?: unknown;
  readonly base64?: string;
}

/** A record as the Python consumer saw it. */
interface SeenRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly framing: 'registry' | 'single-object' | 'none';
  readonly schema: string | null;
  readonly event: unknown;
}

let servers: Awaited<ReturnType<typeof testServers<'kafka' | 'registry'>>>;
let python: Python;
beforeAll(async () => {
  [servers, python] = await Promise.all([testServers(['kafka', 'registry']), pythonWith(PACKAGES)]);
});
afterAll(() => servers.stop());

/** The cluster under names of our own, with the registry or without. */
function settings(prefix: string, { withRegistry }: { readonly withRegistry: boolean }): Environment {
  return {
    SEAM_EVENT_LOG_DRIVER: 'kafka',
    SEAM_SIGNATURES_UNSIGNED: 'allowed',
    SEAM_EVENT_LOG_KAFKA_BROKERS: JSON.stringify(servers.kafka.bootstrap.split(',')),
    SEAM_EVENT_LOG_KAFKA_PREFIX: prefix,
    ...(withRegistry ? { SEAM_SCHEMA_REGISTRY_URL: servers.registry.url } : {}),
  };
}

const open = (environment: Environment): Promise<EventLog> => openEventLog(loadConfig(commonConfigSchema, environment));

async function runPython(args: readonly string[], input = ''): Promise<string> {
  const { status, stdout, stderr } = await python.run(SCRIPT, [...args, '--brokers', servers.kafka.bootstrap], {
    input,
    timeoutMs: 120_000,
  });
  if (status !== 0) throw new Error(`foreign_clients.py ${args[0] ?? ''} ended with ${String(status)}:\n${stderr}`);
  return stdout;
}

const inOrder = <T extends Pick<SeenRecord, 'topic' | 'partition' | 'offset'>>(records: readonly T[]): T[] =>
  records.toSorted((a, b) => a.topic.localeCompare(b.topic) || a.partition - b.partition || a.offset - b.offset);

interface ProblemSchema {
  name: string;
  fields: { name: string; type: unknown; default?: unknown }[];
}

/** Fields that may be missing, of a problem that is to be judged. */
const JUDGED_BY: ReadonlySet<string> = new Set(['reference', 'verifier']);

interface SchemaField {
  readonly name: string;
  readonly default?: unknown;
}

describe('with a schema registry', () => {
  const prefix = `interop-${newId()}.`;
  const topic = `${prefix}seam.problems`;
  const cloudEvent = { 'content-type': 'application/avro', ce_specversion: '1.0', ce_id: 'x', ce_type: 'anything' };
  let world: ToyWorld;
  let log: EventLog;
  let seen: SeenRecord[];
  let ours: Omit<SeenRecord, 'framing'>[];
  const published: string[] = [];
  const numRefused = 3;

  /** A quarter of a round in each way that is accepted, and three records that are not. */
  function publications(): Publication[] {
    const accepted = Array.from({ length: TOY_ROUND }, (_, number): Publication => {
      const event = toyPublication('foreign', number);
      const { meta, problem, mode } = event;
      const { problemId } = problem;
      published.push(problemId);
      const bare = {
        meta: without(meta, 'causationId', 'subject', 'traceparent', 'tenant'),
        problem: { ...without(problem, 'metadata'), verifier: without(problem.verifier!, 'options') },
        mode,
        course: 'arithmetic',
      };
      const ways: readonly Publication[] = [
        { way: 'registry', topic, key: problemId, headers: cloudEvent, schema: problemSchema(), event },
        { way: 'registry', topic, key: null, headers: {}, schema: problemSchema(), event },
        { way: 'registry', topic, key: problemId, headers: {}, schema: ownSchema(), event: bare },
        { way: 'single-object', topic, key: problemId, headers: {}, schema: problemSchema(), event },
      ];
      return ways[number % ways.length]!;
    });
    const event = without(toyPublication('refused', 0), 'mode');
    const schema = problemSchema();
    const withoutMode = { ...schema, fields: schema.fields.filter(({ name }) => name !== 'mode') };
    const base = { topic, key: 'refused', headers: {} };
    return [
      ...accepted,
      { ...base, way: 'raw', base64: Buffer.from('{"problemId": "json"}').toString('base64') },
      { ...base, way: 'raw', base64: Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 2, 0x61]).toString('base64') },
      { ...base, way: 'registry', schema: withoutMode, event },
    ];
  }

  beforeAll(async () => {
    world = await createToyWorld();
    const environment = {
      ...toyEnvironment(world, join(world.folder, 'data')),
      ...settings(prefix, { withRegistry: true }),
    };
    log = await open(environment);
    const services = new ServiceProcesses(environment);
    try {
      services.startAll();
      await publish(publications());
      const giveUp = Date.now() + 200_000;
      const isOver = async (): Promise<boolean> => {
        const events = await allEventsOf(log, ['seam.training', 'seam.adapters', 'seam.dead-letters']);
        const ends = ofType(events, 'AdapterPromoted', 'TrainingRunRejected', 'TrainingRunFailed');
        return ends.length > 0 && ofType(events, 'DeadLettered').length >= numRefused;
      };
      while (!(await isOver())) {
        if (Date.now() > giveUp) {
          const types = (await allEventsOf(log)).map(({ type }) => type);
          const counts = [...new Set(types)].map((type) => `${type} ${types.filter((each) => each === type).length}`);
          throw new Error(['the round did not end', counts.join(', '), ...services.lastLines(40)].join('\n'));
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      // The last transactions may still be under way.
      await new Promise((resolve) => setTimeout(resolve, 1000));
    } finally {
      await services.end();
    }
    // Node has an opinion on a timer of kafkajs, in three lines.
    const opinion = /TimeoutNegativeWarning|Timeout duration was set to 1|--trace-warnings/;
    expect(services.complaints().filter((line) => !opinion.test(line))).toEqual([]);
    seen = inOrder(await consume(prefix, { withRegistry: true }));
    ours = inOrder(await ourView(log, prefix));
  });
  afterAll(async () => {
    await log.close();
    await rm(world.folder, { recursive: true });
  });

  it('problems that others pose, however they frame them, are solved', async () => {
    const outcomes = ofType(await allEventsOf(log, ['seam.outcomes']), 'OutcomeRecorded');
    const judged = new Set(outcomes.map(({ problem }) => problem.problemId));
    expect([...judged].sort()).toEqual(published.toSorted());
    const solved = new Set(outcomes.filter(({ success }) => success).map(({ problem }) => problem.problemId));
    expect(solved.size).toBeGreaterThan(TOY_ROUND / 4);
  });

  it('what cannot be read is a dead letter with its reason and its bytes', async () => {
    const letters = ofType(await allEventsOf(log, ['seam.dead-letters']), 'DeadLettered');
    expect(letters.map(({ code, key }) => [code, key]).sort()).toEqual([
      ['INCOMPATIBLE_SCHEMA', 'refused'],
      ['MALFORMED_RECORD', 'refused'],
      ['UNKNOWN_SCHEMA', 'refused'],
    ]);
    const bytes = letters.map(({ value }) => Buffer.from(value ?? []).toString('latin1'));
    expect(bytes).toContain('{"problemId": "json"}');
  });

  it('a client that is not ours reads every record of every topic as we do', () => {
    const decodable = seen.filter(({ framing }) => framing !== 'none');
    // This round has no problem without a verifier, no team and no gateway.
    const unused: readonly string[] = ['seam.answers', 'seam.feedback', 'seam.teams', 'seam.access', 'seam.usage'];
    const used = TOPIC_NAMES.filter((name) => !unused.includes(name));
    expect(new Set(decodable.map(({ topic }) => topic)).size).toBe(used.length);
    expect(seen.map(({ topic, partition, offset }) => [topic, partition, offset])).toEqual(
      ours.map(({ topic, partition, offset }) => [topic, partition, offset]),
    );
    // Problems are as their writers wrote them; everything else is ours.
    for (const [index, { framing, ...record }] of seen.entries()) {
      if (record.topic !== topic) {
        expect(framing).toBe('registry');
        expect(record).toEqual(ours[index]);
      }
    }
  });

  it("every record of ours is a CloudEvent whose headers say what the body's meta says", () => {
    for (const { topic: where, headers, schema, event } of seen) {
      if (where === topic) continue;
      const { meta } = event as { meta: { messageId: string; occurredAt: number; source: string } };
      expect(headers).toMatchObject({
        ce_specversion: '1.0',
        ce_id: meta.messageId,
        ce_type: schema,
        ce_source: meta.source,
        ce_time: new Date(meta.occurredAt).toISOString(),
      });
    }
  });

  it("Kafka's own tools list the groups with their offsets and lag, and the ends of the topics", async () => {
    const connect = ['--bootstrap-server', servers.kafka.bootstrap];
    const { stdout } = await runKafkaTool('org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', [
      ...connect,
      '--describe',
      '--all-groups',
    ]);
    const rows = stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([group]) => group?.startsWith(prefix));
    const groups = new Set(rows.map(([group = '']) => group.slice(prefix.length)));
    expect([...groups].sort()).toEqual(['seam.buffer', 'seam.executor', 'seam.generator', 'seam.trainer']);
    for (const [group = '', where = '', partition, offset, end, lag] of rows) {
      const committed = (await log.committedOffsets(group.slice(prefix.length))).find(
        (each) => prefix + each.topic === where && each.partition === Number(partition),
      );
      expect(offset).toBe(committed === undefined ? '-' : String(committed.nextOffset));
      if (committed !== undefined) expect(Number(lag)).toBe(Number(end) - committed.nextOffset);
      // Problems came without transactions, so no marker stands behind the last of them.
      if (group === `${prefix}seam.generator`) expect(Number(end) === 0 || lag === '0').toBe(true);
    }
    const ends = await runKafkaTool('org.apache.kafka.tools.GetOffsetShell', [
      ...connect,
      '--topic-partitions',
      `${prefix}.*`,
    ]);
    const told = ends.stdout.trimEnd().split('\n').sort();
    const known: string[] = [];
    for (const name of TOPIC_NAMES)
      known.push(...(await log.watermarks(name)).map(({ partition, high }) => `${prefix}${name}:${partition}:${high}`));
    expect(told).toEqual(known.sort());
  });
});

describe('without a schema registry', () => {
  it('a client that has the released schemas reads every event with fastavro', async () => {
    const prefix = `interop-${newId()}.`;
    const log = await open(settings(prefix, { withRegistry: false }));
    await log.append(Object.values(EXAMPLE_EVENTS).map(encodeEvent));
    const seen = inOrder(await consume(prefix, { withRegistry: false }));
    expect(seen.map((record) => without(record, 'framing'))).toEqual(inOrder(await ourView(log, prefix)));
    expect(new Set(seen.map(({ framing }) => framing))).toEqual(new Set(['single-object']));
    await log.close();
  });

  it('a log that is given a registry afterwards is read on from both framings', async () => {
    const prefix = `interop-${newId()}.`;
    const before = await open(settings(prefix, { withRegistry: false }));
    await before.append(Object.values(EXAMPLE_EVENTS).map(encodeEvent));
    await before.close();
    const log = await open(settings(prefix, { withRegistry: true }));
    await log.append(Object.values(EXAMPLE_EVENTS).map(encodeEvent));
    const seen = inOrder(await consume(prefix, { withRegistry: true }));
    const events = Object.keys(EXAMPLE_EVENTS).length;
    expect(seen.filter(({ framing }) => framing === 'single-object')).toHaveLength(events);
    expect(seen.filter(({ framing }) => framing === 'registry')).toHaveLength(events);
    expect(seen.map(({ event }) => event)).toEqual(inOrder(await ourView(log, prefix)).map(({ event }) => event));
    await log.close();
  });
});

async function publish(publications: readonly Publication[]): Promise<void> {
  const input = publications.map((each) => `${JSON.stringify(each)}\n`).join('');
  await runPython(['publish', '--registry', servers.registry.url], input);
}

async function consume(prefix: string, { withRegistry }: { readonly withRegistry: boolean }): Promise<SeenRecord[]> {
  const topics = TOPIC_NAMES.map((name) => prefix + name);
  const source = withRegistry ? ['--registry', servers.registry.url] : [];
  const stdout = await runPython(['consume', ...topics, '--schemas', RELEASED_SCHEMAS, ...source]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SeenRecord);
}

/** The same records as ours: what Python has to agree with. */
async function ourView(log: EventLog, prefix: string): Promise<Omit<SeenRecord, 'framing'>[]> {
  const seen: Omit<SeenRecord, 'framing'>[] = [];
  for (const topic of TOPIC_NAMES) {
    for (const { partition, low, high } of await log.watermarks(topic)) {
      for await (const records of log.read({ topic, partition, from: low, to: high }))
        seen.push(...records.map((record) => ourRecord(record, prefix)));
    }
  }
  return seen;
}

function ourRecord(record: LogRecord, prefix: string): Omit<SeenRecord, 'framing'> {
  const { topic, partition, offset, key, headers } = record;
  const place = { topic: prefix + topic, partition, offset, key, headers };
  try {
    const { type, ...event } = decodeEvent(record);
    return { ...place, schema: `seamstream.${type}`, event: plain(event) };
  } catch (error) {
    if (!isSeamError(error)) throw error;
    return { ...place, schema: null, event: null };
  }
}

function without(value: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** Bytes, and numbers that are not finite, as Python shows them. */
function plain(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

function problemSchema(): ProblemSchema {
  const found = eventSchemas().find(({ fullName }) => fullName === 'seamstream.ProblemPublished');
  return JSON.parse(found?.schema ?? '') as ProblemSchema;
}

/** The schema with the fields that a judged problem needs, in reverse order, and a field that only the writer knows. */
function ownSchema(): ProblemSchema {
  const isNeeded = ({ name, default: value }: SchemaField): boolean => value === undefined || JUDGED_BY.has(name);
  const stripped = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(stripped);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
      name,
      name === 'fields' ? (inner as SchemaField[]).filter(isNeeded).map(stripped) : stripped(inner),
    ]);
    return Object.fromEntries(entries);
  };
  const schema = stripped(problemSchema()) as ProblemSchema;
  // The default is for the registry: its rule says that a newer schema reads what an older one wrote.
  return { ...schema, fields: [...schema.fields.toReversed(), { name: 'course', type: 'string', default: '' }] };
}
