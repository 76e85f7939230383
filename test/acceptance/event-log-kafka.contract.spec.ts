/**
 * The contract of the event log on real brokers: of the current version and of the last that speaks every old protocol; the
 * second time below a prefix, as one of several logs in a cluster.
 */
import { KAFKA_VERSIONS, startKafka, testServers } from '@seamstream/dev-servers';
import { describeEventLogContract } from '@seamstream/event-log/contract';
import { KafkaEventLog, type KafkaEventLogOptions } from '@seamstream/event-log-kafka';

/** As short as a broker allows by default, so that groups settle soon. */
const quick = { sessionTimeoutMs: 6000, heartbeatMs: 200 } satisfies Partial<KafkaEventLogOptions>;
const patience = { settleMs: 20_000, quietMs: 500 };

describeEventLogContract(
  'the log in Kafka',
  async (clock) => {
    const servers = await testServers(['kafka']);
    const brokers = servers.kafka.bootstrap.split(',');
    return { open: () => KafkaEventLog.open({ brokers, clock, ...quick }), dispose: () => servers.stop() };
  },
  patience,
);

describeEventLogContract(
  `the log below a prefix in Kafka ${KAFKA_VERSIONS[1]}`,
  async (clock) => {
    const kafka = await startKafka({ version: KAFKA_VERSIONS[1] });
    const brokers = kafka.bootstrap.split(',');
    return {
      open: () => KafkaEventLog.open({ brokers, clock, prefix: 'one.of-many_', ...quick }),
      dispose: () => kafka.stop(),
    };
  },
  patience,
);
