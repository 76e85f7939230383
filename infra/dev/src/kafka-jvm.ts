/** Java processes of a Kafka version: its jars, a broker's data folder, and an archive of its classes, with which they start in half the time. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { freePorts } from './free-ports.js';
import { mustRun } from './host-tools.js';
import { kafkaJars } from './kafka-jars.js';
import { brokerProperties } from './kafka-properties.js';
import { cached } from './server-cache.js';
import { type ServerCommand, ServerProcess } from './server-process.js';

// Programs that live for seconds or minutes: no time is spent on compiling hot code well, and none on counters for tools that look at them.
const SHORT_LIVED = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', '-Xlog:disable'];
const TOOL = ['-Xmx128m', ...SHORT_LIVED, '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
// Kafka's own scripts give a broker 1 GB; these hold a test's data, and the machine has other work.
const BROKER = ['-Xms96m', '-Xmx384m', ...SHORT_LIVED, '-Dorg.slf4j.simpleLogger.showDateTime=true'];

/** Kafka's own default, 4096, is what RFC 7677 asked for in 2015. */
const SCRAM_ITERATIONS = 8192;

export interface KafkaJvm {
  /** Arguments of `java` for a console tool. */
  tool(className: string, args: readonly string[]): readonly string[];
  /** The command of a broker with this configuration. Its files (unpacked libraries) go into its folder. */
  broker(config: string, options?: readonly string[]): Pick<ServerCommand, 'command' | 'args' | 'isReady'>;
  /** Gives a node's data folder the cluster's id, and the cluster its SCRAM users: passwords by name. */
  formatStorage(config: string, clusterId: string, users?: Readonly<Record<string, string>>): Promise<void>;
}

/** Fetches the version's jars where they are not there yet, and makes the archive of its classes, once for a Java. */
export async function kafkaJvm(version: string): Promise<KafkaJvm> {
  const classPath = join(await kafkaJars(version), '*');
  const java = await javaRelease();
  if (java === undefined) return jvm(classPath, []);
  const id = createHash('sha256').update(java).digest('hex').slice(0, 12);
  const folder = await cached(`kafka-${version}-classes-${id}`, (target) => archiveClasses(jvm(classPath, []), target));
  const archive = join(folder, ARCHIVE);
  return jvm(classPath, existsSync(archive) ? [`-XX:SharedArchiveFile=${archive}`] : []);
}

const ARCHIVE = 'classes.jsa';

function jvm(classPath: string, classes: readonly string[]): KafkaJvm {
  const tool: KafkaJvm['tool'] = (className, args) => [...TOOL, ...classes, '-cp', classPath, className, ...args];
  return {
    tool,
    broker: (config, options = []) => ({
      command: 'java',
      args: [
        ...BROKER,
        ...classes,
        ...options,
        `-Djava.io.tmpdir=${dirname(config)}`,
        '-cp',
        classPath,
        'kafka.Kafka',
        config,
      ],
      isReady: (logged) => logged().includes('Kafka Server started'),
    }),
    formatStorage: async (config, clusterId, users = {}) => {
      const scram = Object.entries(users).flatMap(([name, password]) =>
        ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
          '--add-scram',
          `${mechanism}=[name=${name},password=${password},iterations=${SCRAM_ITERATIONS}]`,
        ]),
      );
      await mustRun(
        'java',
        tool('kafka.tools.StorageTool', ['format', '-t', clusterId, '-c', config, ...scram]),
        "Formatting a Kafka broker's data folder",
        'Kafka 4 needs Java 17 or newer ("java -version"); the output says what it refused.',
      );
    },
  };
}

/**
 * Starts a broker once and keeps the classes that it loaded as the JVM wants them (dynamic class data sharing, JEP 350): 4.8 s and 5.0 s of
 * processor time to a broker that serves become 2.0 s and 1.7 s. A JVM that another one made an archive for does without it.
 */
async function archiveClasses(kafka: KafkaJvm, folder: string): Promise<void> {
  const config = join(folder, 'server.properties');
  const [controller, plaintext] = (await freePorts(2)) as [number, number];
  await writeFile(
    config,
    brokerProperties({ nodeId: 1, nodes: [{ controller, plaintext }], dataFolder: join(folder, 'data') }),
  );
  await kafka.formatStorage(config, 'archive-of-classes-00');
  const broker = new ServerProcess({
    name: 'Kafka broker whose classes are archived',
    ...kafka.broker(config, [`-XX:ArchiveClassesAtExit=${join(folder, ARCHIVE)}`]),
    logFile: join(folder, 'broker.log'),
  });
  await broker.start();
  await broker.kill('SIGTERM');
  for (const name of await readdir(folder)) if (name !== ARCHIVE) await rm(join(folder, name), { recursive: true });
}

/** What the Java on the path says of its build (the file `release` of a JDK or JRE); undefined where there is none. */
async function javaRelease(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const java = join(folder, 'java');
    const isThere = await access(java, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return readFile(join(dirname(await realpath(java)), '../release'), 'utf8').catch(() => undefined);
  }
  return undefined;
}
