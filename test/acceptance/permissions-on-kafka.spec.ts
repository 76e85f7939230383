/** The system with the rights that docs/distributed.md lists, and no others, on a cluster that refuses what is not allowed. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Kafka, startKafka } from '@seamstream/dev-servers';
import { encodeEvent } from '@seamstream/events';
import { commonConfigSchema, type Environment, loadConfig, openEventLog } from '@seamstream/service-kit';
import kafkajs from 'kafkajs';
import { ledgerOf } from '../support/recorded-run.js';
import { ServiceProcesses } from '../support/service-processes.js';
import { createToyWorld, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

const { AclOperationTypes: MAY, AclResourceTypes: RESOURCE } = kafkajs;
const SEAM = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const PREFIX = 'acme.';
const PROBLEMS = 4;

type Right = readonly [
  resource: kafkajs.AclResourceTypes,
  name: string,
  operations: readonly kafkajs.AclOperationTypes[],
];

// The table of docs/distributed.md.
const READING: readonly Right[] = [[RESOURCE.TOPIC, 'seam.', [MAY.DESCRIBE, MAY.READ]]];
const WRITING: readonly Right[] = [
  [RESOURCE.TOPIC, 'seam.', [MAY.WRITE]],
  [RESOURCE.TRANSACTIONAL_ID, 'seam.', [MAY.WRITE, MAY.DESCRIBE]],
  [RESOURCE.TRANSACTIONAL_ID, 'append.', [MAY.WRITE, MAY.DESCRIBE]],
];
const CONSUMING: readonly Right[] = [[RESOURCE.GROUP, 'seam.', [MAY.READ]]];
const MAKING: readonly Right[] = [
  [RESOURCE.TOPIC, 'seam.', [MAY.DESCRIBE, MAY.CREATE, MAY.DESCRIBE_CONFIGS, MAY.ALTER_CONFIGS]],
];

let kafka: Kafka;
let world: ToyWorld;
let folder: string;
let environment: Environment;
let admin: kafkajs.Admin;

beforeAll(async () => {
  [world, kafka, folder] = await Promise.all([
    createToyWorld(),
    startKafka({
      security: true,
      properties: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        // The broker itself, and this test's hand over it.
        'super.users': 'User:ANONYMOUS',
      },
    }),
    mkdtemp(join(tmpdir(), 'permissions-')),
  ]);
  const { saslPlaintext, username, password } = kafka.secured!;
  environment = {
    ...toyEnvironment(world, folder),
    SEAM_EVENT_LOG_DRIVER: 'kafka',
    SEAM_SIGNATURES_UNSIGNED: 'allowed',
    SEAM_EVENT_LOG_KAFKA_BROKERS: saslPlaintext,
    SEAM_EVENT_LOG_KAFKA_PREFIX: PREFIX,
    SEAM_EVENT_LOG_KAFKA_SASL_USERNAME: username,
    SEAM_EVENT_LOG_KAFKA_SASL_PASSWORD: password,
  };
  admin = new kafkajs.Kafka({ brokers: kafka.bootstrap.split(','), logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
}, 300_000);

afterAll(async () => {
  await admin.disconnect();
  await kafka.stop();
  await Promise.all([world.folder, folder].map((each) => rm(each, { recursive: true })));
});

/** From now on these, and nothing else. */
async function allow(rights: readonly Right[]): Promise<void> {
  const principal = `User:${kafka.secured!.username}`;
  const everything = {
    resourceType: RESOURCE.ANY,
    resourcePatternType: kafkajs.ResourcePatternTypes.ANY,
    operation: MAY.ANY,
    permissionType: kafkajs.AclPermissionTypes.ANY,
  };
  await admin.deleteAcls({ filters: [{ ...everything, principal }] });
  const acl = rights.flatMap(([resourceType, name, operations]) =>
    operations.map((operation) => ({
      resourceType,
      resourceName: `${PREFIX}${name}`,
      resourcePatternType: kafkajs.ResourcePatternTypes.PREFIXED,
      principal,
      host: '*',
      operation,
      permissionType: kafkajs.AclPermissionTypes.ALLOW,
    })),
  );
  await admin.createAcls({ acl });
}

const seam = (...args: string[]): Promise<{ exitCode: number | null; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const ofAll = /^SEAM_(DATA_FOLDER|EVENT_LOG_)/;
    const env = Object.fromEntries(Object.entries(environment).filter(([name]) => ofAll.test(name)));
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, timeout: 60_000 };
    const child = execFile(process.execPath, [SEAM, ...args], options, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });

it('whoever makes topics needs to create them, and to see and set their configuration', async () => {
  await allow(MAKING);
  expect(await seam('topics', 'apply')).toMatchObject({ exitCode: 0 });
  expect(await seam('topics', 'diff')).toMatchObject({ exitCode: 0 });
}, 60_000);

it('services work with the rights to read, write and consume, and to name their transactions', async () => {
  await allow([...READING, ...WRITING, ...CONSUMING]);
  const ofAll = /^SEAM_(DATA_FOLDER|EVENT_LOG_)/;
  const log = await openEventLog(
    loadConfig(
      commonConfigSchema,
      Object.fromEntries(Object.entries(environment).filter(([name]) => ofAll.test(name))),
    ),
  );
  const services = new ServiceProcesses(environment);
  try {
    services.startAll();
    await log.append(Array.from({ length: PROBLEMS }, (_, number) => encodeEvent(toyPublication('problem', number))));
    const giveUp = performance.now() + 60_000;
    for (;;) {
      const { solved, failed, inFlight } = await ledgerOf(log);
      if (solved + failed === PROBLEMS && inFlight === 0) break;
      if (performance.now() > giveUp) throw new Error(`not at an end:\n${services.said('').slice(-30).join('\n')}`);
      await pause(200);
    }
    expect(services.complaints()).toEqual([]);
    expect(await services.end()).toEqual([0, 0, 0, 0]);
  } finally {
    await services.end();
    await log.close();
  }
}, 120_000);

it('who publishes needs no group, and who only reads no right to write: that is refused by name', async () => {
  const problems = join(folder, 'problems.jsonl');
  await writeFile(problems, JSON.stringify({ prompt: 'What is 1 + 1?', reference: '2' }));
  await allow([...READING, ...WRITING]);
  expect(await seam('publish', problems)).toMatchObject({ exitCode: 0 });
  await allow(READING);
  const ledger = await seam('--json', 'ledger', '--check');
  expect([ledger.exitCode, JSON.parse(ledger.stdout)]).toMatchObject([0, { published: PROBLEMS + 1, balanced: true }]);
  expect(await seam('publish', problems, '--again')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/AUTHORIZATION_FAILED.*rights of this client/),
  });
}, 60_000);
