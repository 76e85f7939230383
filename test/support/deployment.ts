/** Where services run in a test: which log, which object store, and the servers behind them, by the services' own configuration. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type KafkaOptions, startKafka, startS3 } from '@seamstream/dev-servers';
import type { EventLog } from '@seamstream/event-log';
import type { ObjectStore } from '@seamstream/object-store';
import {
  commonConfigSchema,
  type Environment,
  loadConfig,
  openEventLog,
  openObjectStore,
} from '@seamstream/service-kit';

export interface DeploymentOptions {
  /** Of the embedded drivers. */
  readonly folder: string;
  readonly log?: 'lmdb' | 'kafka';
  readonly objects?: 'fs' | 's3';
  readonly kafka?: KafkaOptions;
  /** What services read besides. */
  readonly environment?: Environment;
}

/** A server that can be killed and comes back on its data. */
export interface Server {
  /** e.g. broker-1 */
  readonly name: string;
  /** Resolves when it has ended, at once for SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when it serves again. */
  restart(): Promise<void>;
}

export interface Deployment {
  /** What every service is started with. */
  readonly environment: Environment;
  readonly servers: readonly Server[];
  /** Where Kafka's first broker keeps its partitions. */
  readonly brokerFolder: string | undefined;
  openLog(): Promise<EventLog>;
  /** Deletes what a group without members committed of a topic. Of Kafka alone. */
  forgetOffsets(group: string, topic: string): Promise<void>;
  /** Moves what a group without members committed of a topic's partitions back by so many records. Of Kafka alone. */
  setBackOffsets(group: string, topic: string, by: number): Promise<void>;
  openObjects(): Promise<ObjectStore>;
  /** Ends the servers. */
  close(): Promise<void>;
}

const BUCKET = 'seam-chaos';

/** Starts the servers that the drivers need; services are started by the caller. */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const { folder, log = 'lmdb', objects = 'fs' } = options;
  const servers: Server[] = [];
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(closers.map((each) => each()));
  };
  const ofKafkaAlone = (): Promise<never> => Promise.reject(new Error('offsets: expected a deployment on Kafka'));
  let forgetOffsets: Deployment['forgetOffsets'] = ofKafkaAlone;
  let setBackOffsets: Deployment['setBackOffsets'] = ofKafkaAlone;
  let brokerFolder: string | undefined;
  let environment: Environment = { ...options.environment, SEAM_DATA_FOLDER: folder };
  try {
    if (log === 'kafka') {
      const kafka = await startKafka(options.kafka);
      closers.push(() => kafka.stop());
      brokerFolder = kafka.brokers[0]!.dataFolder;
      servers.push(
        ...kafka.brokers.map(({ index }) => ({
          name: `broker-${index + 1}`,
          kill: (signal?: NodeJS.Signals) => kafka.kill(index, signal),
          restart: () => kafka.restart(index),
        })),
      );
      const ofGroup = async (group: string, topic: string, ...what: readonly string[]): Promise<void> => {
        const args = ['--bootstrap-server', kafka.bootstrap, '--group', group, '--topic', topic, ...what];
        await kafka.tool('org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', args);
      };
      forgetOffsets = (group, topic) => ofGroup(group, topic, '--delete-offsets');
      setBackOffsets = (group, topic, by) =>
        ofGroup(group, topic, '--reset-offsets', '--shift-by', String(-by), '--execute');
      environment = {
        ...environment,
        SEAM_EVENT_LOG_DRIVER: 'kafka',
        SEAM_SIGNATURES_UNSIGNED: 'allowed',
        SEAM_EVENT_LOG_KAFKA_BROKERS: kafka.bootstrap,
        // What is dead is replaced soon, and what it had begun is aborted: tests wait for both.
        SEAM_EVENT_LOG_KAFKA_SESSION_TIMEOUT_MS: '4000',
        SEAM_EVENT_LOG_KAFKA_TRANSACTION_TIMEOUT_MS: '5000',
      };
    }
    if (objects === 's3') {
      const s3 = await startS3();
      closers.push(() => s3.stop());
      servers.push({ name: 's3', kill: (signal) => s3.kill(signal), restart: () => s3.restart() });
      const credentials = {
        AWS_ACCESS_KEY_ID: s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
        AWS_REGION: s3.region,
        // What this machine has configured for its user is not for tests.
        AWS_CONFIG_FILE: '/dev/null',
        AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
        AWS_EC2_METADATA_DISABLED: 'true',
      };
      // This process opens the store as well: the SDK's default chain looks here first.
      Object.assign(process.env, credentials);
      const client = new S3Client({ endpoint: s3.endpoint, region: s3.region, forcePathStyle: true });
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
      client.destroy();
      environment = {
        ...environment,
        ...credentials,
        SEAM_OBJECT_STORE_DRIVER: 's3',
        SEAM_OBJECT_STORE_S3_BUCKET: BUCKET,
        SEAM_OBJECT_STORE_S3_ENDPOINT: s3.endpoint,
        SEAM_OBJECT_STORE_S3_REGION: s3.region,
        SEAM_OBJECT_STORE_S3_PATH_STYLE: 'true',
      };
    }
    const ofAll = /^SEAM_(DATA_FOLDER|EVENT_LOG_|OBJECT_STORE_|SCHEMA_REGISTRY_|SIGNATURES_)/;
    const config = loadConfig(
      commonConfigSchema,
      Object.fromEntries(Object.entries(environment).filter(([name]) => ofAll.test(name))),
    );
    return {
      environment,
      servers,
      brokerFolder,
      openLog: () => openEventLog(config),
      forgetOffsets,
      setBackOffsets,
      openObjects: () => openObjectStore(config),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
