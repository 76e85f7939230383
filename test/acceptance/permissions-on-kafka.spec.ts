/**
 * One principal per service with the rights of infra/kafka/acls.json and no others, on a cluster that refuses what is not
 * allowed: they suffice for the whole flow, and each is all that its principal can do.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Kafka, startKafka } from '@seamstream/dev-servers';
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { commonConfigSchema, type Environment, loadConfig, openEventLog } from '@seamstream/service-kit';
import kafkajs from 'kafkajs';
import { ledgerOf } from '../support/recorded-run.js';
import { SERVICES, ServiceProcesses } from '../support/service-processes.js';
import { createToyWorld, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const FILE = fileURLToPath(new URL('../../infra/kafka/acls.json', import.meta.url));
const PREFIX = 'acme.';
const PROBLEMS = 4;
const OF_ALL = /^SEAM_(DATA_FOLDER|EVENT_LOG_|SIGNATURES_)/;

interface Rights {
  readonly principal: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly groups: readonly string[];
  readonly transactionalIds: readonly string[];
  readonly makes?: readonly string[];
}

let principals: readonly Rights[];
const passwords: Record<string, string> = {};
let kafka: Kafka;
let world: ToyWorld;
let folder: string;
/** Of the administrator of the cluster. */
let administration: Environment;
const logs: EventLog[] = [];

const nameOf = ({ principal }: Rights): string => principal.replace('User:', '');
const rightsOf = (name: string): Rights => principals.find((each) => nameOf(each) === name)!;
const covers = (names: readonly string[], name: string): boolean =>
  names.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));

/** What a process is started with that works under this name. */
function environmentOf(name: string): Environment {
  return {
    ...administration,
    SEAM_EVENT_LOG_KAFKA_BROKERS: kafka.secured!.saslPlaintext,
    SEAM_EVENT_LOG_KAFKA_CLIENT_ID: name,
    SEAM_EVENT_LOG_KAFKA_SASL_USERNAME: name,
    SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD: passwords[name]!,
  };
}

/** The log as this principal sees it. */
async function logOf(name: string): Promise<EventLog> {
  const own = Object.fromEntries(Object.entries(environmentOf(name)).filter(([variable]) => OF_ALL.test(variable)));
  const log = await openEventLog(loadConfig(commonConfigSchema, own), 'read');
  logs.push(log);
  return log;
}

/** Another client, which may send any request. */
const clientOf = (name: string): kafkajs.Kafka =>
  new kafkajs.Kafka({
    brokers: kafka.secured!.saslPlaintext.split(','),
    sasl: { mechanism: 'scram-sha-512', username: name, password: passwords[name]! },
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 0 },
  });

beforeAll(async () => {
  ({ principals } = JSON.parse(await readFile(FILE, 'utf8')) as { principals: readonly Rights[] });
  for (const each of principals) passwords[nameOf(each)] = randomBytes(12).toString('hex');
  [world, kafka, folder] = await Promise.all([
    createToyWorld(),
    startKafka({
      security: true,
      users: passwords,
      properties: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        // The broker itself, and the administrator of the cluster.
        'super.users': 'User:ANONYMOUS',
      },
    }),
    mkdtemp(join(tmpdir(), 'permissions-')),
  ]);
  administration = {
    ...toyEnvironment(world, folder),
    SEAM_EVENT_LOG_DRIVER: 'kafka',
    SEAM_SIGNATURES_UNSIGNED: 'allowed',
    SEAM_EVENT_LOG_KAFKA_BROKERS: kafka.bootstrap,
    SEAM_EVENT_LOG_KAFKA_PREFIX: PREFIX,
  };
}, 300_000);

afterAll(async () => {
  await Promise.all(logs.map((log) => log.close()));
  await kafka.stop();
  await Promise.all([world.folder, folder].map((each) => rm(each, { recursive: true })));
});

const seam = (
  environment: Environment,
  ...args: string[]
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = Object.fromEntries(Object.entries(environment).filter(([name]) => OF_ALL.test(name)));
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, timeout: 60_000 };
    const child = execFile(process.execPath, [SEAM, ...args], options, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });

it('rights are given as the file says, once, and other rights are reported and taken back', async () => {
  const before = await seam(administration, '--json', 'acls', 'diff');
  expect(before.exitCode).toBe(1);
  const { differences } = JSON.parse(before.stdout) as { differences: readonly { what: string }[] };
  expect(new Set(differences.map(({ what }) => what))).toEqual(new Set(['missing']));
  expect(await seam(administration, 'acls', 'apply')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await seam(administration, 'acls', 'diff')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('rights as wanted'),
  });
  await kafka.tool('org.apache.kafka.tools.AclCommand', [
    ...['--bootstrap-server', kafka.bootstrap, '--add', '--allow-principal', 'User:*'],
    ...['--operation', 'Write', '--topic', `${PREFIX}seam.outcomes`],
  ]);
  const surplus = { stdout: `User:*  surplus: write on topic ${PREFIX}seam.outcomes`, exitCode: 1 };
  expect(await seam(administration, 'acls', 'apply')).toMatchObject({
    ...surplus,
    stdout: expect.stringContaining(surplus.stdout),
  });
  expect(await seam(administration, 'acls', 'apply', '--revoke')).toMatchObject({ exitCode: 0 });
  expect(await seam(administration, 'acls', 'diff')).toMatchObject({ exitCode: 0 });
  expect(await seam(environmentOf('seam-operator'), 'acls', 'apply')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('CLUSTER_AUTHORIZATION_FAILED'),
  });
}, 180_000);

it('the operator makes the topics; the services work side by side, each under its own name', async () => {
  expect(await seam(environmentOf('seam-operator'), 'topics', 'apply')).toMatchObject({ exitCode: 0 });
  expect(await seam(environmentOf('seam-operator'), 'topics', 'diff')).toMatchObject({ exitCode: 0 });
  const reader = await logOf('seam-reader');
  const publisher = await logOf('seam-publisher');
  const services = new ServiceProcesses(administration);
  try {
    for (const service of SERVICES) services.start(service, environmentOf(`seam-${service}`));
    await publisher.append(
      Array.from({ length: PROBLEMS }, (_, number) => encodeEvent(toyPublication('problem', number))),
    );
    const giveUp = performance.now() + 120_000;
    for (;;) {
      const { solved, failed, inFlight } = await ledgerOf(reader);
      if (solved + failed === PROBLEMS && inFlight === 0) break;
      if (performance.now() > giveUp) throw new Error(`not at an end:\n${services.said('').slice(-30).join('\n')}`);
      await pause(200);
    }
    expect(services.complaints()).toEqual([]);
    expect(await services.end()).toEqual([0, 0, 0, 0]);
  } finally {
    await services.end();
  }
}, 240_000);

it('who publishes needs no group, and who only reads no right to write: that is refused by name', async () => {
  const problems = join(folder, 'problems.jsonl');
  await writeFile(problems, JSON.stringify({ prompt: 'What is 1 + 1?', reference: '2' }));
  expect(await seam(environmentOf('seam-publisher'), 'publish', problems)).toMatchObject({ exitCode: 0 });
  const ledger = await seam(environmentOf('seam-reader'), '--json', 'ledger', '--check');
  expect([ledger.exitCode, JSON.parse(ledger.stdout)]).toMatchObject([0, { published: PROBLEMS + 1, balanced: true }]);
  expect(await seam(environmentOf('seam-reader'), 'publish', problems, '--again')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/AUTHORIZATION_FAILED.*rights of this client/),
  });
}, 120_000);

describe('the matrix of principals and rights, each cell asked of the cluster', () => {
  const names = TOPICS.map(({ name }) => name);
  /** Whether the cluster does it; anything but a refusal of rights fails. */
  const isAllowed = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      const { errors = [error] } = error as { errors?: readonly unknown[] };
      const said = errors.map((each) => `${(each as Error).name} ${(each as Error).message}`).join('; ');
      // The last is how kafkajs says that it may not ask who coordinates a transaction.
      if (/AUTHORIZATION_FAILED|not authorized|KafkaJSGroupCoordinatorNotFound/i.test(said)) return false;
      throw error;
    }
  };
  const matrix = async (
    kind: (rights: Rights) => readonly string[],
    columns: readonly string[],
    act: (principal: string) => Promise<(column: string) => Promise<unknown>>,
  ): Promise<void> => {
    const found: Record<string, readonly string[]> = {};
    const wanted: Record<string, readonly string[]> = {};
    for (const rights of principals) {
      const ask = await act(nameOf(rights));
      const allowed: string[] = [];
      for (const column of columns) if (await isAllowed(() => ask(column))) allowed.push(column);
      found[nameOf(rights)] = allowed;
      wanted[nameOf(rights)] = columns.filter((column) => covers(kind(rights), column));
    }
    expect(found).toEqual(wanted);
  };
  const open: { disconnect: () => Promise<void> }[] = [];
  const connected = async <T extends { connect: () => Promise<void>; disconnect: () => Promise<void> }>(
    client: T,
  ): Promise<T> => {
    open.push(client);
    await client.connect();
    return client;
  };
  afterAll(() => Promise.all(open.map((client) => client.disconnect())));

  it('topics to write', async () => {
    await matrix(
      ({ writes }) => writes,
      names,
      async (principal) => {
        const producer = await connected(clientOf(principal).producer());
        return (topic) => producer.send({ topic: PREFIX + topic, messages: [{ value: 'x', partition: 0 }] });
      },
    );
  }, 120_000);

  it('topics to read', async () => {
    await matrix(
      ({ reads }) => reads,
      names,
      async (principal) => {
        const log = await logOf(principal);
        return async (topic) => {
          const [first] = await log.watermarks(topic);
          for await (const records of log.read({ topic, partition: 0, from: first!.low })) {
            expect(records.length).toBeGreaterThan(0);
            return;
          }
          throw new Error(`${topic}: expected a record to read`);
        };
      },
    );
  }, 120_000);

  it('groups to be a member of', async () => {
    // A member of one that is not its own would take partitions from those that are.
    const groups = [...SERVICES.map((service) => `seam.${service}`), 'seam.buffer.1-of-2', 'seam.copy'];
    await matrix(
      (rights) => rights.groups,
      groups,
      async (principal) => {
        const log = await logOf(principal);
        return (group) => log.committedOffsets(group);
      },
    );
  }, 120_000);

  it('transactions to commit, so that no client ends those of others', async () => {
    const ids = [
      ...SERVICES.map((service) => `seam.${service}.seam.problems.0`),
      ...principals.map((rights) => `append.${nameOf(rights)}.1`),
      'append.publish.1',
    ];
    await matrix(
      (rights) => rights.transactionalIds,
      ids,
      async (principal) => async (id) => {
        const producer = await connected(clientOf(principal).producer({ transactionalId: PREFIX + id }));
        await (await producer.transaction()).abort();
      },
    );
  }, 120_000);

  it('topics to make', async () => {
    await matrix(
      ({ makes = [] }) => makes,
      ['seam.another'],
      async (principal) => {
        const admin = await connected(clientOf(principal).admin());
        return (topic) => admin.createTopics({ topics: [{ topic: PREFIX + topic, numPartitions: 1 }] });
      },
    );
  }, 120_000);

  it('publishing gives no right to outcomes, adapters or training', () => {
    const { writes, transactionalIds, groups } = rightsOf('seam-publisher');
    expect([writes, groups]).toEqual([['seam.problems'], []]);
    expect(transactionalIds.every((id) => id.startsWith('append.'))).toBe(true);
  });

  it('giving feedback gives no right but to feedback', () => {
    const { writes, groups } = rightsOf('seam-judge');
    expect([writes, groups]).toEqual([['seam.feedback'], []]);
  });
});
