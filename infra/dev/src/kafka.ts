/**
 * Apache Kafka in KRaft mode on this machine: one broker or three, each a process that can be killed and started again on
 * its data. It runs on 127.0.0.1, on free ports, with its data in a temporary folder.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { type Certificates, makeCertificates } from './certificates.js';
import { freePorts } from './free-ports.js';
import { type RunOptions, runTool, type ToolResult } from './host-tools.js';
import { KAFKA_VERSIONS } from './kafka-jars.js';
import { kafkaJvm } from './kafka-jvm.js';
import { type BrokerSecurity, bootstrapOf, brokerProperties, type NodePorts } from './kafka-properties.js';
import { removeFolder, ServerProcess, temporaryFolder } from './server-process.js';

export type { ToolResult } from './host-tools.js';

export interface KafkaOptions {
  /** Brokers of the cluster, each also a controller. Default 1. */
  brokers?: 1 | 3;
  /** A version that Maven has; the tested ones are {@link KAFKA_VERSIONS}. Default the first of them. */
  version?: string;
  /** Whether there are listeners with TLS, mutual TLS and SASL besides the plain one. Default false. */
  security?: boolean;
  /** Further users of SCRAM-SHA-512 on a cluster with security: passwords by name. */
  users?: Readonly<Record<string, string>>;
  /** Broker properties that win over ours. */
  properties?: Readonly<Record<string, string>>;
}

export interface KafkaBroker {
  /** From 0; its `node.id` is one more. */
  readonly index: number;
  /** Undefined while it is killed. */
  readonly pid: number | undefined;
  readonly logFile: string;
  /** Where its partitions lie, each a folder. */
  readonly dataFolder: string;
  /** Its address on the plain listener. */
  readonly address: string;
}

/** Address lists by what the listener demands, and what a client needs to satisfy it. */
export interface KafkaListeners {
  tls: string;
  mtls: string;
  saslTls: string;
  saslPlaintext: string;
  /** SASL/SCRAM, SHA-512 and with TLS SHA-256 as well, and SASL/PLAIN know this user. */
  username: string;
  password: string;
  certificates: Pick<Certificates, 'authority' | 'client'>;
}

export interface Kafka {
  readonly version: string;
  /** `host:port,host:port` of the plain listener. */
  readonly bootstrap: string;
  readonly brokers: readonly KafkaBroker[];
  /** Present when started with security. */
  readonly secured?: KafkaListeners;
  /** Signals one broker (default SIGKILL); resolves when it has ended, at once for SIGSTOP and SIGCONT. */
  kill(brokerIndex: number, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a broker on its data again, ending it first by SIGTERM where it still runs; resolves when it serves. */
  restart(brokerIndex: number): Promise<void>;
  /** Runs a console tool of this version, see {@link runKafkaTool}. */
  tool(className: string, args: readonly string[], options?: RunOptions): Promise<ToolResult>;
  /** Ends all brokers and deletes their data. */
  stop(): Promise<void>;
}

export interface ToolOptions extends RunOptions {
  /** Default the first of {@link KAFKA_VERSIONS}. */
  version?: string;
}

/**
 * Runs one of Kafka's console tools to its end: `org.apache.kafka.tools.TopicCommand`,
 * `org.apache.kafka.tools.consumer.group.ConsumerGroupCommand`, `org.apache.kafka.tools.consumer.ConsoleConsumer`,
 * `org.apache.kafka.tools.ConsoleProducer` (`kafka.tools.ConsoleProducer` before 4.0), `org.apache.kafka.tools.TransactionsCommand`, ...
 */
export async function runKafkaTool(
  className: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<ToolResult> {
  const { version = KAFKA_VERSIONS[0], ...runOptions } = options;
  const jvm = await kafkaJvm(version);
  return runTool('java', jvm.tool(className, args), `run Kafka's ${className}`, runOptions);
}

/**
 * Starts a cluster and waits until every broker serves. Throws INVALID_CONFIGURATION when Java, Maven or the network is
 * missing, INTERNAL with the broker's last words when it does not start.
 */
export async function startKafka(options: KafkaOptions = {}): Promise<Kafka> {
  const {
    brokers: numBrokers = 1,
    version = KAFKA_VERSIONS[0],
    security: isSecured = false,
    users = {},
    properties = {},
  } = options;
  const jvm = await kafkaJvm(version);
  const folder = await temporaryFolder('kafka');
  const processes: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((server) => server.kill('SIGKILL')));
    await removeFolder(folder);
  };
  try {
    const nodes: NodePorts[] = [];
    for (let node = 0; node < numBrokers; node++) nodes.push(await nodePorts(isSecured));
    const secured = isSecured ? await makeSecurity(folder, nodes) : undefined;
    // A first dash would be taken for an option by the formatting tool.
    const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    const brokers = await Promise.all(
      nodes.map(async ({ plaintext }, index): Promise<KafkaBroker> => {
        const home = join(folder, `broker-${index}`);
        await mkdir(home);
        const config = join(home, 'server.properties');
        const dataFolder = join(home, 'data');
        const settings = { nodeId: index + 1, nodes, dataFolder, overrides: properties };
        const security = secured && { security: secured.broker };
        await writeFile(config, brokerProperties({ ...settings, ...security }));
        const passwords = secured && { ...users, [secured.listeners.username]: secured.listeners.password };
        await jvm.formatStorage(config, clusterId, passwords);
        const logFile = join(home, 'broker.log');
        const server = new ServerProcess({ name: `Kafka broker ${index}`, ...jvm.broker(config), logFile });
        processes[index] = server;
        return {
          ...{ index, logFile, dataFolder, address: bootstrapOf([plaintext]) },
          get pid() {
            return server.pid;
          },
        };
      }),
    );
    await Promise.all(processes.map((server) => server.start()));
    const processOf = (index: number): ServerProcess => {
      const server = processes[index];
      if (server !== undefined) return server;
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot find broker ${index}: expected an index from 0 to ${numBrokers - 1}, got ${index}.`,
      );
    };
    return {
      version,
      bootstrap: bootstrapOf(nodes.map((ports) => ports.plaintext)),
      brokers,
      ...(secured === undefined ? {} : { secured: secured.listeners }),
      kill: async (index, signal = 'SIGKILL') => processOf(index).kill(signal),
      restart: async (index) => {
        await processOf(index).kill('SIGTERM');
        await processOf(index).start();
      },
      tool: (className, args, runOptions) => runKafkaTool(className, args, { ...runOptions, version }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function nodePorts(security: boolean): Promise<NodePorts> {
  const [controller, plaintext, tls, mtls, saslTls, saslPlaintext] = (await freePorts(security ? 6 : 2)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { controller, plaintext, ...(security ? { secured: { tls, mtls, saslTls, saslPlaintext } } : {}) };
}

async function makeSecurity(
  folder: string,
  nodes: readonly NodePorts[],
): Promise<{ broker: BrokerSecurity; listeners: KafkaListeners }> {
  const certificates = await makeCertificates(folder);
  const user = { username: 'seamstream', password: randomBytes(12).toString('hex') };
  const broker = { keystoreFile: join(folder, 'keystore.pem'), truststoreFile: join(folder, 'authority.crt'), ...user };
  await writeFile(broker.keystoreFile, certificates.server);
  const listener = (name: 'tls' | 'mtls' | 'saslTls' | 'saslPlaintext'): string =>
    bootstrapOf(nodes.flatMap((ports) => ports.secured?.[name] ?? []));
  return {
    broker,
    listeners: {
      tls: listener('tls'),
      mtls: listener('mtls'),
      saslTls: listener('saslTls'),
      saslPlaintext: listener('saslPlaintext'),
      ...user,
      certificates: { authority: certificates.authority, client: certificates.client },
    },
  };
}
