import { type BrokerSettings, bootstrapOf, brokerProperties } from './kafka-properties.js';

const node = (first: number): { controller: number; plaintext: number } => ({
  controller: first,
  plaintext: first + 1,
});

/** The properties as a broker reads them: the last line of a name wins. */
function read(settings: BrokerSettings): Record<string, string> {
  const lines = brokerProperties(settings).trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

describe("a broker's properties", () => {
  it('make a lone broker its own controller, with one copy of everything', () => {
    expect(read({ nodeId: 1, nodes: [node(100)], dataFolder: '/data' })).toMatchObject({
      'node.id': '1',
      'process.roles': 'broker,controller',
      'controller.quorum.voters': '1@127.0.0.1:100',
      listeners: 'PLAINTEXT://127.0.0.1:101,CONTROLLER://127.0.0.1:100',
      'advertised.listeners': 'PLAINTEXT://127.0.0.1:101',
      'log.dirs': '/data',
      'default.replication.factor': '1',
      'min.insync.replicas': '1',
      'transaction.state.log.replication.factor': '1',
      'transaction.state.log.min.isr': '1',
    });
  });

  it('keep three copies in a cluster of three, of which one may be missing', () => {
    expect(read({ nodeId: 2, nodes: [node(100), node(200), node(300)], dataFolder: '/data' })).toMatchObject({
      'node.id': '2',
      'controller.quorum.voters': '1@127.0.0.1:100,2@127.0.0.1:200,3@127.0.0.1:300',
      'advertised.listeners': 'PLAINTEXT://127.0.0.1:201',
      'default.replication.factor': '3',
      'min.insync.replicas': '2',
      'offsets.topic.replication.factor': '3',
      'transaction.state.log.min.isr': '2',
    });
  });

  it('offer a listener for each demand, and ask for a client certificate on one alone', () => {
    const properties = read({
      nodeId: 1,
      nodes: [{ ...node(100), secured: { tls: 1, mtls: 2, saslTls: 3, saslPlaintext: 4 } }],
      dataFolder: '/data',
      security: { keystoreFile: '/k.pem', truststoreFile: '/t.pem', username: 'ann', password: 'secret' },
    });
    expect(properties['advertised.listeners']).toBe(
      'PLAINTEXT://127.0.0.1:101,TLS://127.0.0.1:1,MTLS://127.0.0.1:2,SASLTLS://127.0.0.1:3,SASLPLAIN://127.0.0.1:4',
    );
    expect(properties['listener.security.protocol.map']).toBe(
      'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,TLS:SSL,MTLS:SSL,SASLTLS:SASL_SSL,SASLPLAIN:SASL_PLAINTEXT',
    );
    expect(Object.entries(properties).filter(([name]) => name.endsWith('ssl.client.auth'))).toEqual([
      ['listener.name.mtls.ssl.client.auth', 'required'],
    ]);
    expect(properties['listener.name.sasltls.sasl.enabled.mechanisms']).toBe('SCRAM-SHA-256,SCRAM-SHA-512,PLAIN');
    expect(properties['listener.name.saslplain.plain.sasl.jaas.config']).toContain('user_ann="secret"');
  });

  it('give way to those that a test asks for', () => {
    const overrides = { 'message.max.bytes': '1000', 'num.io.threads': '1' };
    expect(read({ nodeId: 1, nodes: [node(100)], dataFolder: '/data', overrides })).toMatchObject(overrides);
  });

  it('are refused for a node that the cluster does not have', () => {
    expect(() => brokerProperties({ nodeId: 2, nodes: [node(100)], dataFolder: '/data' })).toThrow(
      'Broker 2 of a cluster of 1: ids are 1 to 1.',
    );
  });
});

it('a bootstrap list names every broker', () => {
  expect(bootstrapOf([9092, 9093])).toBe('127.0.0.1:9092,127.0.0.1:9093');
});
