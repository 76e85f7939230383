/**
 * The demonstration on a cluster: installed by helm, upgraded and rolled back in the middle of its load, with a pod killed in between. What
 * is left equals what the same seed leaves in processes. A version that cannot read the log is refused before a pod changes.
 *
 * Besides SEAM_TEST_KUBECONFIG it needs SEAM_TEST_CLUSTER_IMAGE, an image that the nodes have, and servers that pods reach at the addresses
 * in SEAM_TEST_KAFKA and SEAM_TEST_S3 (infra/dev/README.md).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { jest } from '@jest/globals';
import { environmentOf as environmentOfServers, givenServers } from '@seamstream/dev-servers';
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import type { Environment } from '@seamstream/service-kit';
import { eventsOf, totalRecords, until } from '@seamstream/testing';
import { CHART } from '../acceptance/chart/rendering.js';
import {
  demonstration,
  environmentOf,
  FILES,
  filesData,
  itIsTheSameRun,
  KEYS,
  openLogOf,
  ROUND_SIZE,
  recordedInProcesses,
  valuesOf,
  writeFiles,
} from '../support/chart-demonstration.js';
import { type RecordedRun, recordedRun } from '../support/recorded-run.js';
import { type Cluster, givenCluster } from './given-cluster.js';

jest.setTimeout(1_800_000);

const BUCKET = 'seam-cluster';
const PATIENCE = { withinMs: 1_800_000, everyMs: 200 };
const image = process.env.SEAM_TEST_CLUSTER_IMAGE ?? '';
const { kafka, s3 } = givenServers(process.env);

async function runnable(): Promise<Cluster | undefined> {
  const cluster = await givenCluster();
  if (cluster === undefined) return undefined;
  if (cluster.hasNodes && image !== '' && kafka !== undefined && s3 !== undefined) return cluster;
  process.stderr.write(
    'SKIPPED: nothing was installed on the cluster. It needs nodes, and SEAM_TEST_CLUSTER_IMAGE, SEAM_TEST_KAFKA and SEAM_TEST_S3 (docs/how-to/kubernetes.md).\n',
  );
  await cluster.close();
  return undefined;
}

const given = await runnable();
const cluster = given!;

/** What the services of both runs have of the servers. */
function serversEnvironment(): Environment {
  return {
    ...environmentOfServers({ s3: s3! }),
    SEAM_SIGNATURES_UNSIGNED: 'allowed',
    SEAM_EVENT_LOG_DRIVER: 'kafka',
    SEAM_EVENT_LOG_KAFKA_BROKERS: kafka!,
    SEAM_EVENT_LOG_KAFKA_SESSION_TIMEOUT_MS: '4000',
    SEAM_EVENT_LOG_KAFKA_TRANSACTION_TIMEOUT_MS: '5000',
    SEAM_OBJECT_STORE_DRIVER: 's3',
    SEAM_OBJECT_STORE_S3_BUCKET: BUCKET,
    SEAM_OBJECT_STORE_S3_ENDPOINT: s3!.endpoint,
    SEAM_OBJECT_STORE_S3_REGION: s3!.region,
    SEAM_OBJECT_STORE_S3_PATH_STYLE: 'true',
  };
}

(given === undefined ? describe.skip : describe)('The demonstration on a cluster', () => {
  let folder: string;
  let log: EventLog;
  let values: string;
  let inProcesses: RecordedRun;
  let onCluster: RecordedRun;
  /** By deployment, after each change: the generation that the cluster has rolled out. */
  const generations: Readonly<Record<string, number>>[] = [];

  const helm = (...args: readonly string[]) => cluster.tools.helm([...args, '--namespace', cluster.namespace]);
  const release = (...more: readonly string[]): readonly string[] => [
    ...['demo', CHART, '--values', join(CHART, 'profiles/kind.yaml'), '--values', values],
    ...['--wait', '--timeout', '12m', ...more],
  ];
  const mustHelm = async (...args: readonly string[]): Promise<void> => {
    const { status, stderr } = await helm(...args);
    expect({ args: args[0], status, stderr: status === 0 ? '' : stderr }).toEqual({
      args: args[0],
      status: 0,
      stderr: '',
    });
  };
  const rolledOut = async (): Promise<Readonly<Record<string, number>>> => {
    const { items } = JSON.parse(await cluster.must(['get', 'deployments', '--output', 'json'])) as {
      readonly items: readonly {
        readonly metadata: { readonly name: string };
        readonly status: { readonly observedGeneration: number };
      }[];
    };
    return Object.fromEntries(items.map(({ metadata: { name }, status }) => [name, status.observedGeneration]));
  };
  /** Upgrades every pod, kills one, and rolls all of them back, while problems come in. */
  const disturb = async (): Promise<void> => {
    await until(async () => (await totalRecords(log, TOPIC.outcomes)) > 0, 'the first outcome', PATIENCE);
    await mustHelm('upgrade', ...release('--set', 'settings.SEAM_LOGGING_LEVEL=debug'));
    generations.push(await rolledOut());
    await until(async () => (await eventsOf(log, 'TrainingRunCheckpointed')).length > 0, 'a checkpoint', PATIENCE);
    const worker = 'app.kubernetes.io/component=worker';
    await cluster.must(['delete', 'pod', '--selector', worker, '--grace-period=0', '--force']);
    await until(async () => (await totalRecords(log, TOPIC.problems)) > ROUND_SIZE, 'a second round', PATIENCE);
    await mustHelm('rollback', 'demo', '1', '--wait', '--timeout', '12m');
    generations.push(await rolledOut());
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loop-on-cluster-'));
    const files = await writeFiles(folder);
    const servers = serversEnvironment();
    Object.assign(process.env, environmentOfServers({ s3: s3! }));
    const client = new S3Client({ endpoint: s3!.endpoint, region: s3!.region, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch(() => undefined);
    client.destroy();
    const of = { servers, folder, validation: files.validation };
    // Names that no earlier run on these servers has left.
    inProcesses = await recordedInProcesses(`${cluster.namespace}-processes`, of);

    const environment = environmentOf(cluster.namespace, of);
    values = join(folder, 'values.json');
    await writeFile(values, JSON.stringify(valuesOf(folder, environment, image)));
    const manifest = (kind: string, name: string, field: string, data: object): string =>
      JSON.stringify({ apiVersion: 'v1', kind, metadata: { name }, [field]: data });
    const { accessKeyId, secretAccessKey } = s3!;
    const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    for (const each of [
      manifest('ConfigMap', FILES, 'data', await filesData(files)),
      manifest('Secret', KEYS, 'stringData', keys),
    ])
      await cluster.must(['create', '--filename', '-'], each);
    await mustHelm('install', ...release());
    generations.push(await rolledOut());
    log = await openLogOf(environment);
    await Promise.all([demonstration(join(folder, 'cluster'), environment, ['--services', 'none']), disturb()]);
    onCluster = await recordedRun(log);
  });

  afterAll(async () => {
    await log.close();
    await helm('uninstall', 'demo');
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  });

  itIsTheSameRun('every pod was upgraded and rolled back', () => ({ elsewhere: onCluster, inProcesses }));

  it('rolls every deployment out at each change', () => {
    for (const [name, first] of Object.entries(generations[0]!))
      expect([name, generations[1]![name]! > first, generations[2]![name]! > generations[1]![name]!]).toEqual([
        name,
        true,
        true,
      ]);
    expect(Object.keys(generations[0]!)).toHaveLength(5);
  });

  it('refuses a version that cannot read the log, before a pod changes', async () => {
    // Avro's single-object encoding with a fingerprint that no schema has.
    const value = Buffer.from('c301ffffffffffffffff00', 'hex');
    await log.append([{ topic: TOPIC.problems, key: 'tomorrow', value }]);
    const before = await rolledOut();
    const { status, stderr } = await helm('upgrade', ...release('--set', 'settings.SEAM_LOGGING_LEVEL=debug'));
    expect(status).toBe(1);
    expect(stderr).toContain('pre-upgrade hooks failed');
    expect(await rolledOut()).toEqual(before);
  });
});
