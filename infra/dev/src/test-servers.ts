/**
 * The servers that tests run against: those that the environment names, else ones started here, else those of Docker. There
 * is no silent skip: what can be neither found nor started is an error that names it, and the test that asked fails.
 */
import { messageOf, SeamError } from '@seamstream/kernel';
import { startComposed } from './compose.js';
import { startKafka } from './kafka.js';
import { S3_BUCKET, startS3 } from './s3.js';
import { startSchemaRegistry } from './schema-registry.js';
import type { S3Address, TestServerKind, TestServers } from './test-servers.types.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment gives; a server that it does not name is undefined. */
export interface GivenServers {
  /** `SEAM_TEST_KAFKA`: `host:port,host:port` without TLS or authentication. */
  kafka: string | undefined;
  /** `SEAM_TEST_S3`: a URL, with `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_REGION` (default us-east-1). */
  s3: S3Address | undefined;
  /** `SEAM_TEST_REGISTRY`: the base URL of a Confluent REST API. */
  registry: string | undefined;
}

/** Reads the environment. Throws INVALID_CONFIGURATION when an S3 server is given without credentials. */
export function givenServers(environment: Environment): GivenServers {
  const value = (name: string): string | undefined => (environment[name] === '' ? undefined : environment[name]);
  const endpoint = value('SEAM_TEST_S3');
  const accessKeyId = value('AWS_ACCESS_KEY_ID');
  const secretAccessKey = value('AWS_SECRET_ACCESS_KEY');
  if (endpoint !== undefined && (accessKeyId === undefined || secretAccessKey === undefined)) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot use SEAM_TEST_S3 (${endpoint}): expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, got at most one of them. Set both to the credentials of that server.`,
    );
  }
  return {
    kafka: value('SEAM_TEST_KAFKA'),
    s3:
      endpoint === undefined || accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { endpoint, region: value('AWS_REGION') ?? 'us-east-1', accessKeyId, secretAccessKey },
    registry: value('SEAM_TEST_REGISTRY'),
  };
}

/** Servers that run; those that do not are absent. */
interface RunningServers {
  kafka?: { bootstrap: string };
  s3?: S3Address;
  registry?: { url: string };
}

/** What the AWS SDK's default chain reads. */
function awsEnvironment({ accessKeyId, secretAccessKey, region }: S3Address): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region };
}

/** The environment variables that give these servers to tests, see {@link givenServers}. */
export function environmentOf({ kafka, s3, registry }: RunningServers): Record<string, string> {
  return {
    ...(kafka === undefined ? {} : { SEAM_TEST_KAFKA: kafka.bootstrap }),
    ...(s3 === undefined ? {} : { SEAM_TEST_S3: s3.endpoint, ...awsEnvironment(s3) }),
    ...(registry === undefined ? {} : { SEAM_TEST_REGISTRY: registry.url }),
  };
}

/** The environment variables by which services and commands work on these servers. */
export function serviceEnvironmentOf({ kafka, s3, registry }: RunningServers): Record<string, string> {
  return {
    ...(kafka === undefined
      ? {}
      : {
          SEAM_EVENT_LOG_DRIVER: 'kafka',
          SEAM_EVENT_LOG_KAFKA_BROKERS: kafka.bootstrap,
          SEAM_SIGNATURES_UNSIGNED: 'allowed',
        }),
    ...(s3 === undefined
      ? {}
      : {
          SEAM_OBJECT_STORE_DRIVER: 's3',
          SEAM_OBJECT_STORE_S3_BUCKET: S3_BUCKET,
          SEAM_OBJECT_STORE_S3_ENDPOINT: s3.endpoint,
          SEAM_OBJECT_STORE_S3_PATH_STYLE: 'true',
          ...awsEnvironment(s3),
        }),
    ...(registry === undefined ? {} : { SEAM_SCHEMA_REGISTRY_URL: registry.url }),
  };
}

/**
 * The servers of the given kinds, with `stop`, which ends those that were started here. Throws INVALID_CONFIGURATION naming
 * every kind that was not run, with the reason of each.
 */
export async function testServers<Kind extends TestServerKind>(
  kinds: readonly Kind[],
): Promise<Pick<TestServers, Kind> & { stop(): Promise<void> }> {
  const given = givenServers(process.env);
  const started: { stop(): Promise<void> }[] = [];
  const own = async <K extends TestServerKind>(
    kind: K,
    start: () => Promise<TestServers[K] & { stop(): Promise<void> }>,
  ): Promise<TestServers[K]> => {
    try {
      const server = await start();
      started.push(server);
      return server;
    } catch (failure) {
      return startComposed(kind).catch((another: unknown) => {
        throw new AggregateError([failure, another], `${messageOf(failure)}\n${messageOf(another)}`);
      });
    }
  };
  const makers: { [K in TestServerKind]: () => Promise<TestServers[K]> } = {
    kafka: async () => (given.kafka === undefined ? own('kafka', startKafka) : { bootstrap: given.kafka }),
    s3: async () => given.s3 ?? own('s3', startS3),
    registry: async () =>
      given.registry === undefined ? own('registry', startSchemaRegistry) : { url: given.registry },
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const outcomes = await Promise.allSettled(kinds.map(async (kind) => [kind, await makers[kind]()] as const));
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [`${kinds[index] ?? ''}: ${messageOf(outcome.reason)}`] : [],
  );
  if (failures.length > 0) {
    await stop();
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot run the tests that need ${kinds.join(', ')}: their servers are neither in the environment (SEAM_TEST_KAFKA, SEAM_TEST_S3, SEAM_TEST_REGISTRY) nor could be started:\n${failures.join('\n')}`,
    );
  }
  const servers = Object.fromEntries(
    outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
  ) as unknown as Pick<TestServers, Kind>;
  return { ...servers, stop };
}
