/**
 * The demonstration's services in containers: the image, the pods that the chart renders, run by podman, with Kafka and S3. Two are
 * killed and one is rolled over while they work. What is left equals what the same seed leaves in processes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Manifest } from '@seamstream/dev-servers';
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import type { Environment } from '@seamstream/service-kit';
import { eventsOf, totalRecords, until } from '@seamstream/testing';
import { openChart } from '../acceptance/chart/rendering.js';
import {
  demonstration,
  environmentOf,
  FILES,
  type Files,
  filesData,
  GRACE_SECONDS,
  itIsTheSameRun,
  KEYS,
  openLogOf,
  ROUND_SIZE,
  recordedInProcesses,
  valuesOf,
  writeFiles,
} from '../support/chart-demonstration.js';
import { type Deployment, deploy } from '../support/deployment.js';
import { type RecordedRun, recordedRun } from '../support/recorded-run.js';
import { containers, haveImage, IMAGE } from './engine.js';
import { Pods } from './pods.js';

jest.setTimeout(900_000);

const PORT = { generator: 18081, executor: 18082, buffer: 18083, planner: 18084, worker: 18085 };

const engine = await containers();
const opened = engine === undefined ? undefined : await openChart();

/** The loop's start takes minutes on a loaded machine; a spec that waits longer has failed. */
const PATIENCE = { withinMs: 1_800_000, everyMs: 50 };

/** The pods of a run, with the files that the chart's values name and the keys of the object store. */
async function podsOn(
  files: Files,
  { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' }: Environment,
): Promise<Pods> {
  const data = await filesData(files);
  const pods = new Pods(engine!, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: FILES }, data }]);
  await pods.makeSecret(KEYS, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
  return pods;
}

/** Kills the executor and the worker in the midst of their work, and rolls the generator over. */
async function disturb(pods: Pods, log: EventLog, documents: readonly Manifest[]): Promise<void> {
  const deployment = (name: string): Manifest => documents.find((each) => isOf(each, 'Deployment', name))!;
  await until(async () => (await totalRecords(log, TOPIC.outcomes)) > 0, 'the first outcome', PATIENCE);
  await pods.killAndRestart('executor');
  await until(async () => (await eventsOf(log, 'TrainingRunCheckpointed')).length > 0, 'a checkpoint', PATIENCE);
  await pods.killAndRestart('worker');
  await until(async () => (await totalRecords(log, TOPIC.problems)) > ROUND_SIZE, 'a second round', PATIENCE);
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

  const playInPods = async (environment: Environment, files: Files): Promise<RecordedRun> => {
    const { documents } = await opened!.checked(['kind'], valuesOf(folder, environment, IMAGE));
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
    const files = await writeFiles(folder);
    const given = { servers: deployment.environment, folder, validation: files.validation };
    const began = performance.now();
    inProcesses = await recordedInProcesses('processes', given);
    const between = performance.now();
    inPods = await playInPods(environmentOf('pods', given), files);
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

  itIsTheSameRun('two services were killed and one was rolled over', () => ({ elsewhere: inPods, inProcesses }));

  it('ends every service when it is asked to', () => {
    expect(exits).toEqual([0, 0, 0, 0, 0]);
  });
});
