/**
 * A schema registry that speaks the Confluent REST API: Apicurio Registry from Maven, its schemas in a file of a temporary
 * folder, so that they and their ids outlive a kill. It does not need Kafka.
 */
import { join } from 'node:path';
import { freePorts } from './free-ports.js';
import { mustRun } from './host-tools.js';
import { cached } from './server-cache.js';
import { removeFolder, ServerProcess, temporaryFolder } from './server-process.js';

/** The newest that runs on Java 17; 3.3 wants 21. */
export const REGISTRY_VERSION = '3.0.9';
const JSON_TYPE = 'application/vnd.schemaregistry.v1+json';

export interface SchemaRegistry {
  /** The address that clients of the Confluent API are given; it has a path. */
  readonly url: string;
  /** Undefined while it is killed. */
  readonly pid: number | undefined;
  /** Signals it (default SIGKILL); resolves when it has ended, at once for SIGSTOP and SIGCONT. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it on its schemas again, at the same address, ending it first where it still runs. */
  restart(): Promise<void>;
  /** Ends it and deletes its schemas. */
  stop(): Promise<void>;
}

async function distribution(): Promise<string> {
  return cached(`apicurio-registry-${REGISTRY_VERSION}`, async (folder) => {
    await mustRun(
      'mvn',
      [
        '-B',
        '-q',
        'dependency:unpack',
        `-Dartifact=io.apicurio:apicurio-registry-app:${REGISTRY_VERSION}:tar.gz:all`,
        `-DoutputDirectory=${folder}`,
      ],
      `Fetching Apicurio Registry ${REGISTRY_VERSION}`,
      'Maven needs the network (or a mirror in ~/.m2/settings.xml) the first time, and 300 MB of disk.',
      // Without a project, Maven keeps its notes in the working directory.
      { cwd: folder },
    );
  });
}

/** Whether the registry answers questions. */
export async function registryAnswers(url: string): Promise<boolean> {
  return fetch(`${url}/subjects`, { signal: AbortSignal.timeout(5_000) }).then(
    async (response) => Array.isArray(await response.json()),
    () => false,
  );
}

/** Sets the global compatibility to BACKWARD, Confluent's default. */
export async function demandCompatibility(url: string): Promise<void> {
  await fetch(`${url}/config`, {
    method: 'PUT',
    headers: { 'content-type': JSON_TYPE },
    body: JSON.stringify({ compatibility: 'BACKWARD' }),
  });
}

/**
 * Starts an empty registry whose global compatibility is BACKWARD, as Confluent's is. Throws INVALID_CONFIGURATION when Java,
 * Maven or the network is missing, INTERNAL with its last words when it does not start.
 */
export async function startSchemaRegistry(): Promise<SchemaRegistry> {
  const jar = join(await distribution(), `apicurio-registry-app-${REGISTRY_VERSION}-runner.jar`);
  const folder = await temporaryFolder('registry');
  const [port] = (await freePorts(1)) as [number];
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const properties = {
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': String(port),
    'apicurio.storage.kind': 'sql',
    'apicurio.storage.sql.kind': 'h2',
    // H2 would lose the last half second to a kill: no delay between a commit and its write.
    'apicurio.datasource.url': `jdbc:h2:file:${join(folder, 'schemas')};WRITE_DELAY=0`,
  };
  const server = new ServerProcess({
    name: 'Schema registry',
    command: 'java',
    args: [
      ...['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', `-Djava.io.tmpdir=${folder}`],
      ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
      '-jar',
      jar,
    ],
    logFile: join(folder, 'registry.log'),
    isReady: () => registryAnswers(url),
  });
  const stop = async (): Promise<void> => {
    await server.kill('SIGKILL');
    await removeFolder(folder);
  };
  try {
    await server.start();
    await demandCompatibility(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    get pid() {
      return server.pid;
    },
    kill: (signal = 'SIGKILL') => server.kill(signal),
    restart: async () => {
      await server.kill('SIGTERM');
      await server.start();
    },
    stop,
  };
}
