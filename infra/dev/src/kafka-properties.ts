/**
 * The configuration of one broker of a small KRaft cluster on one machine. Every node is broker and controller.
 * https://kafka.apache.org/documentation/#brokerconfigs names each property; here stand only those that differ for tests.
 */

/** One node's ports by listener. Clients choose by what a listener demands of them. */
export interface NodePorts {
  controller: number;
  /** No encryption, no authentication; the brokers themselves use it too. */
  plaintext: number;
  /** Present on a cluster with security. */
  secured?: SecuredPorts;
}

interface SecuredPorts {
  /** TLS, any client. */
  tls: number;
  /** TLS, only clients with a certificate of the cluster's authority. */
  mtls: number;
  /** TLS, then SASL/SCRAM-SHA-256, SASL/SCRAM-SHA-512 or SASL/PLAIN. */
  saslTls: number;
  /** No TLS, SASL/SCRAM-SHA-512 or SASL/PLAIN. */
  saslPlaintext: number;
}

export interface BrokerSecurity {
  /** PEM files: the broker's key and certificate chain in one, and the authority that signs clients. */
  keystoreFile: string;
  truststoreFile: string;
  /** Of SASL/PLAIN; SCRAM credentials are in the cluster's metadata. */
  username: string;
  password: string;
}

export interface BrokerSettings {
  /** From 1. */
  nodeId: number;
  /** Of all nodes, in the order of their ids. */
  nodes: readonly NodePorts[];
  dataFolder: string;
  security?: BrokerSecurity;
  /** Further properties; they win. */
  overrides?: Readonly<Record<string, string>>;
}

const HOST = '127.0.0.1';

/** The address list that a client is given for one listener. */
export function bootstrapOf(ports: readonly number[]): string {
  return ports.map((port) => `${HOST}:${port}`).join(',');
}

/** The text of `server.properties`. */
export function brokerProperties(settings: BrokerSettings): string {
  const { nodeId, nodes, dataFolder, security, overrides } = settings;
  const own = nodes[nodeId - 1];
  if (own === undefined)
    throw new RangeError(`Broker ${nodeId} of a cluster of ${nodes.length}: ids are 1 to ${nodes.length}.`);
  // Three copies, two of which must have a record: what one broker's death must not lose. A lone broker has one.
  const copies = Math.min(nodes.length, 3);
  const inSync = Math.max(1, copies - 1);
  const listeners: [string, number, string][] = [
    ['PLAINTEXT', own.plaintext, 'PLAINTEXT'],
    ...(own.secured === undefined
      ? []
      : ([
          ['TLS', own.secured.tls, 'SSL'],
          ['MTLS', own.secured.mtls, 'SSL'],
          ['SASLTLS', own.secured.saslTls, 'SASL_SSL'],
          ['SASLPLAIN', own.secured.saslPlaintext, 'SASL_PLAINTEXT'],
        ] as [string, number, string][])),
  ];
  const address = ([name, port]: [string, number, string]): string => `${name}://${HOST}:${port}`;
  const properties: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': String(nodeId),
    'controller.quorum.voters': nodes.map((node, index) => `${index + 1}@${HOST}:${node.controller}`).join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: [...listeners.map(address), `CONTROLLER://${HOST}:${own.controller}`].join(','),
    'advertised.listeners': listeners.map(address).join(','),
    'listener.security.protocol.map': [
      'CONTROLLER:PLAINTEXT',
      ...listeners.map(([name, , protocol]) => `${name}:${protocol}`),
    ].join(','),
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': dataFolder,
    'auto.create.topics.enable': 'false',
    'num.partitions': '4',
    'default.replication.factor': String(copies),
    'min.insync.replicas': String(inSync),
    'offsets.topic.replication.factor': String(copies),
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': String(copies),
    'transaction.state.log.min.isr': String(inSync),
    'transaction.state.log.num.partitions': '4',
    'share.coordinator.state.topic.replication.factor': String(copies),
    'share.coordinator.state.topic.min.isr': String(inSync),
    // Tests wait for groups, dead members, dead brokers and expired transactions: sooner than the defaults of 3, 6, 9 and 10 s.
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': '1000',
    // A broker of a test holds little: fewer threads, and a cleaner's buffer that fits into the small heap (default 128 MB).
    'num.network.threads': '2',
    'num.io.threads': '4',
    'background.threads': '2',
    'log.cleaner.dedupe.buffer.size': String(8 * 1024 * 1024),
    ...(security === undefined ? {} : securityProperties(security)),
    ...overrides,
  };
  return `${Object.entries(properties)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
}

/** One listener lacks a mechanism, so that its refusal can be seen. */
const MECHANISMS = {
  sasltls: ['SCRAM-SHA-256', 'SCRAM-SHA-512', 'PLAIN'],
  saslplain: ['SCRAM-SHA-512', 'PLAIN'],
} as const;

function securityProperties(security: BrokerSecurity): Record<string, string> {
  const users = `username="${security.username}" password="${security.password}" user_${security.username}="${security.password}"`;
  const sasl = Object.fromEntries(
    (['sasltls', 'saslplain'] as const).flatMap((listener) => [
      [`listener.name.${listener}.sasl.enabled.mechanisms`, MECHANISMS[listener].join(',')],
      [
        `listener.name.${listener}.plain.sasl.jaas.config`,
        `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`,
      ],
      ...MECHANISMS[listener]
        .filter((mechanism) => mechanism.startsWith('SCRAM'))
        .map((mechanism) => [
          `listener.name.${listener}.${mechanism.toLowerCase()}.sasl.jaas.config`,
          'org.apache.kafka.common.security.scram.ScramLoginModule required;',
        ]),
    ]),
  ) as Record<string, string>;
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': security.keystoreFile,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': security.truststoreFile,
    'listener.name.mtls.ssl.client.auth': 'required',
    ...sasl,
  };
}
