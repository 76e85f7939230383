/** The contract of the event log on a real Apache Kafka. */
import { testServers } from '@seamstream/dev-servers';
import { describeEventLogContract } from '@seamstream/event-log/contract';
import { KafkaEventLog } from '@seamstream/event-log-kafka';

describeEventLogContract(
  'the log in Kafka',
  async (clock) => {
    const servers = await testServers(['kafka']);
    return {
      open: () =>
        KafkaEventLog.open({
          brokers: servers.kafka.bootstrap.split(','),
          clock,
          // As short as a broker takes by default.
          sessionTimeoutMs: 6000,
          heartbeatMs: 200,
        }),
      dispose: () => servers.stop(),
    };
  },
  { settleMs: 20_000, quietMs: 500 },
);
