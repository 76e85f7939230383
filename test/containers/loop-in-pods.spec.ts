/**
 * The demonstration's services in containers: the image, the pods that the chart renders, run by podman, with Kafka and S3. Two are
 * killed and one is rolled over while they work. What is left equals what the same seed leaves in processes.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import type { Manifest } from '@seamstream/dev-servers';
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { commonConfigSchema, type Environment, loadConfig, openEventLog, settingsOf } from '@seamstream/service-kit';
import { embeddedEnvironment, validationProblems, worldFiles, writeWorldFiles } from '@seamstream/standalone';
import { openChart } from '../acceptance/chart/rendering.js';
import { SCHEMAS, type Values } from '../acceptance/chart/values.js';
import { type Deployment, deploy } from '../support/deployment.js';
import { eventsOf, ofType, type RecordedRun, recordedRun, repeatedIds } from '../support/recorded-run.js';
import { containers, haveImage, IMAGE } from './engine.js';
import { Pods } from './pods.js';

jest.setTimeout(900_000);

const START = fileURLToPath(new URL('../../apps/standalone/bin/start.js', import.meta.url));
const SEED = 2;
const ROUND_SIZE = 32;
const ROUNDS = 3;
/** How a demonstration ends whose rounds were over before every domain reached its target. */
const NOT_CONVERGED = 3;
/** A ConfigMap holds 1 MiB; the demonstration's 2.4 MB of validation problems do not fit. */
const EVERY = 4;
const SERVICES = {
  generator: 'generator',
  executor: 'executor',
  buffer: 'buffer',
  planner: 'trainer',
  worker: 'trainer',
};
const PORT = { generator: 18081, executor: 18082, buffer: 18083, planner: 18084, worker: 18085 };
const GRACE_SECONDS = 60;
/** Names of what the chart's values name. */
const FILES = 'seam-test-files';
const KEYS = 'seam-test-s3';

type Files = ReturnType<typeof worldFiles>;

/** What all services of a run read: few rounds see both algorithms, and few steps more than one checkpoint. */
const FASTER: Environment = {
  SEAM_TRAINER_CURRICULUM_IMITATE_BELOW: '0.2',
  SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '3',
};

const engine = await containers();
const opened = engine === undefined ? undefined : await openChart();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (isReached: () => Promise<boolean>): Promise<void> => {
  while (!(await isReached())) await pause(50);
};

/** Values of the chart, on top of the profile for one machine, that give services what the demonstration gives them. */
function valuesFor(environment: Environment, deployment: Environment): Values {
  const common = new Set(settingsOf(SCHEMAS.common).map(({ name }) => name));
  const settings = (program: keyof typeof SCHEMAS): Environment => {
    const known = new Set(settingsOf(SCHEMAS[program]).map(({ name }) => name));
    const own = Object.entries(environment).filter(
      // The image has the shipped models where the services look for them.
      ([name]) => known.has(name) && !common.has(name) && !/_(MODEL|EXECUTOR)_FOLDER$/.test(name),
    );
    return Object.fromEntries(own);
  };
  return {
    image: { repository: IMAGE.split(':')[0], tag: IMAGE.split(':')[1] },
    kafka: {
      brokers: [deployment.SEAM_EVENT_LOG_KAFKA_BROKERS],
      prefix: deployment.SEAM_EVENT_LOG_KAFKA_PREFIX,
    },
    objectStore: {
      bucket: deployment.SEAM_OBJECT_STORE_S3_BUCKET,
      prefix: deployment.SEAM_OBJECT_STORE_S3_PREFIX,
      endpoint: deployment.SEAM_OBJECT_STORE_S3_ENDPOINT,
      credentialsSecret: KEYS,
    },
    files: { configMap: FILES },
    settings: {
      SEAM_ENTRY_SCHEMAS: environment.SEAM_ENTRY_SCHEMAS,
      SEAM_EVENT_LOG_KAFKA_SESSION_TIMEOUT_MS: deployment.SEAM_EVENT_LOG_KAFKA_SESSION_TIMEOUT_MS,
      SEAM_EVENT_LOG_KAFKA_TRANSACTION_TIMEOUT_MS: deployment.SEAM_EVENT_LOG_KAFKA_TRANSACTION_TIMEOUT_MS,
    },
    services: Object.fromEntries(
      Object.entries(SERVICES).map(([name, program]) => [
        name,
        { settings: settings(program as keyof typeof SCHEMAS), terminationGraceSeconds: GRACE_SECONDS },
      ]),
    ),
  };
}

/** The pods of a run, with the files that the chart's values name and the keys of the object store. */
async function podsOn(
  { entrySchemas, validation }: Files,
  { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' }: Environment,
): Promise<Pods> {
  const data = {
    'entry-schemas.json': await readFile(entrySchemas, 'utf8'),
    'validation.jsonl': await readFile(validation, 'utf8'),
  };
  const pods = new Pods(engine!, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: FILES }, data }]);
  await pods.makeSecret(KEYS, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
  return pods;
}

/** The demonstration's rounds; its services too, unless they are elsewhere. */
async function demonstration(folder: string, environment: Environment, more: readonly string[] = []): Promise<void> {
  const options = [
    ...['--exit', '--seed', String(SEED), '--data-dir', folder, '--round-size', String(ROUND_SIZE)],
    ...['--max-rounds', String(ROUNDS), '--max-shifted-rounds', '0', '--held-out', '8', ...more],
  ];
  const env = { PATH: process.env.PATH, ...environment };
  await promisify(execFile)(process.execPath, [START, ...options], { env, maxBuffer: 1 << 26 }).catch(
    (error: unknown) => {
      const { code, stderr } = error as { readonly code: number; readonly stderr: string };
      if (code !== NOT_CONVERGED) throw new Error(`the demonstration ended with ${code}\n${stderr.slice(-4000)}`);
    },
  );
}

async function recordsOf(log: EventLog, topic: string): Promise<number> {
  return (await log.watermarks(topic)).reduce((sum, { high }) => sum + high, 0);
}

/** Kills the executor and the worker in the midst of their work, and rolls the generator over. */
async function disturb(pods: Pods, log: EventLog, documents: readonly Manifest[]): Promise<void> {
  const deployment = (name: string): Manifest => documents.find((each) => isOf(each, 'Deployment', name))!;
  await until(async () => (await recordsOf(log, TOPIC.outcomes)) > 0);
  await pods.killAndRestart('executor');
  await until(async () => ofType(await eventsOf(log, [TOPIC.training]), 'TrainingRunCheckpointed').length > 0);
  await pods.killAndRestart('worker');
  await until(async () => (await recordsOf(log, TOPIC.problems)) > ROUND_SIZE);
  // As the chart rolls over: what guards the upgrade, the new pod, and when that is ready the end of the old one.
  expect(await pods.run(documents.find((each) => isOf(each, 'Job', 'schemas'))!, 'schemas')).toMatchObject({
    status: 0,
  });
  await pods.start(deployment('generator'), 'generator-2', 18086);
  await pods.ready('generator-2');
  expect(await pods.end('generator', GRACE_SECONDS)).toBe(0);
}

const isOf = ({ kind, metadata }: Manifest, of: string, name: string): boolean =>
  kind === of && metadata.name === `demo-${name}`;

(opened === undefined ? describe.skip : describe)('The demonstration in pods', () => {
  let folder: string;
  let deployment: Deployment | undefined;
  let inProcesses: RecordedRun;
  let inPods: RecordedRun;
  let exits: readonly number[];
  let pods: Pods | undefined;

  /** What a run of this name has in common with its services. */
  const environmentOf = (name: string, validation: string): Environment => ({
    ...deployment!.environment,
    ...FASTER,
    SEAM_EVENT_LOG_KAFKA_PREFIX: `${name}.`,
    SEAM_OBJECT_STORE_S3_PREFIX: name,
    SEAM_OBJECT_STORE_S3_ALLOW_PLAINTEXT: 'true',
    SEAM_DATA_FOLDER: join(folder, name),
    SEAM_TRAINER_VALIDATION_PROBLEMS: validation,
  });

  const openLogOf = (environment: Environment): Promise<EventLog> => {
    const common = new Set(settingsOf(commonConfigSchema).map(({ name }) => name));
    const known = Object.entries(environment).filter(([name]) => common.has(name));
    return openEventLog(loadConfig(commonConfigSchema, Object.fromEntries(known)));
  };

  const playInPods = async (environment: Environment, files: Files): Promise<RecordedRun> => {
    const settings = { dataFolder: folder, seed: SEED, roundSize: ROUND_SIZE, algorithm: 'curriculum' };
    const services = embeddedEnvironment(settings, {
      ...FASTER,
      SEAM_ENTRY_SCHEMAS: '/files/entry-schemas.json',
      SEAM_TRAINER_VALIDATION_PROBLEMS: '/files/validation.jsonl',
      SEAM_TRAINER_LEASE_MS: '4000',
    });
    const { documents } = await opened!.checked(['kind'], valuesFor(services, environment));
    const here = await podsOn(files, environment);
    pods = here;
    for (const name of ['topics', 'bucket'])
      expect(await here.run(documents.find((each) => isOf(each, 'Job', name))!, name)).toMatchObject({ status: 0 });
    for (const [name, port] of Object.entries(PORT))
      await here.start(documents.find((each) => isOf(each, 'Deployment', name))!, name, port);
    for (const name of Object.keys(PORT)) await here.ready(name);
    const log = await openLogOf(environment);
    try {
      const over = demonstration(join(folder, 'pods'), environment, ['--services', 'none']);
      await Promise.all([over, disturb(here, log, documents)]);
      exits = await Promise.all(here.names().map((name) => here.end(name, GRACE_SECONDS)));
      return await recordedRun(log);
    } finally {
      await log.close();
    }
  };

  beforeAll(async () => {
    await haveImage(engine!);
    folder = await mkdtemp(join(tmpdir(), 'loop-in-pods-'));
    deployment = await deploy({ folder, log: 'kafka', objects: 's3' });
    await writeWorldFiles(folder);
    const files = { ...worldFiles(folder), validation: join(folder, 'validation.jsonl') };
    const fewer = validationProblems().filter((_, index) => index % EVERY === 0);
    await writeFile(files.validation, fewer.map((problem) => `${JSON.stringify(problem)}\n`).join(''));
    const began = performance.now();
    const processes = environmentOf('processes', files.validation);
    await demonstration(join(folder, 'processes'), processes);
    const log = await openLogOf(processes);
    inProcesses = await recordedRun(log).finally(() => log.close());
    const between = performance.now();
    inPods = await playInPods(environmentOf('pods', files.validation), files);
    const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(0)} s`;
    process.stderr.write(
      `the loop: ${seconds(began, between)} in processes, ${seconds(between, performance.now())} in pods\n`,
    );
  });

  afterAll(async () => {
    await pods?.close();
    await deployment?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('learns: runs end, and adapters are promoted', () => {
    expect(inPods.ends).toHaveLength(ROUNDS);
    expect(inPods.ends.filter((end) => end.startsWith('AdapterPromoted')).length).toBeGreaterThan(0);
  });

  it('leaves the same buffer and the same adapters as the same seed in processes', () => {
    expect(inPods.bufferDigests).toEqual(inProcesses.bufferDigests);
    expect(inPods.adapterDigests).toEqual(inProcesses.adapterDigests);
  });

  it('loses nothing and does nothing twice, though two services were killed and one was rolled over', () => {
    expect(inPods.deadLetters).toBe(0);
    expect(inPods.ledger).toEqual(inProcesses.ledger);
    expect(inPods.ledger).toMatchObject({ published: ROUNDS * ROUND_SIZE, inFlight: 0, orphaned: 0, balanced: true });
    for (const kind of ['experiences', 'outcomes', 'admissions'] as const) {
      expect(repeatedIds(inPods[kind])).toEqual([]);
      expect([...inPods[kind]].sort()).toEqual([...inProcesses[kind]].sort());
    }
  });

  it('ends every service when it is asked to', () => {
    expect(exits).toEqual([0, 0, 0, 0, 0]);
  });
});
