/** What an error of the broker protocol means for the caller; none of them leaves this package. */
import { type ErrorCode, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { BrokerDistrust, BrokerRefusal, BrokerUnreachable } from './broker-protocol.port.js';

/** An answer of a broker that this driver gives itself: the awaited state is not there yet. */
export function notYet(type: 'LEADER_NOT_AVAILABLE' | 'CONCURRENT_TRANSACTIONS'): BrokerRefusal {
  return new BrokerRefusal(
    type,
    type === 'LEADER_NOT_AVAILABLE' ? 'the partition has no leader at the moment' : 'the transaction is not ended yet',
  );
}

/** What can be done about an error. `refresh`: try again after asking again who leads and who coordinates. */
export type Remedy = 'retry' | 'refresh' | 'none';

/** The broker's name for what is wrong; undefined for errors that no broker answered. */
export function brokerErrorOf(error: unknown): string | undefined {
  return error instanceof BrokerRefusal || error instanceof BrokerDistrust ? error.type : undefined;
}

/** Another producer has the transactional id by now, or the coordinator ended the transaction. */
const FENCING = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'UNKNOWN_PRODUCER_ID',
  'PRODUCER_FENCED',
]);

export function isFenced(error: unknown): boolean {
  return error instanceof BrokerRefusal && FENCING.has(error.type);
}

const RETRY = new Set([
  'CONCURRENT_TRANSACTIONS',
  'UNSTABLE_OFFSET_COMMIT',
  'REQUEST_TIMED_OUT',
  'OFFSET_NOT_AVAILABLE',
]);
const REFRESH = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
  'NETWORK_EXCEPTION',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'KAFKA_STORAGE_ERROR',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'NOT_CONTROLLER',
  'TRANSACTION_COORDINATOR_FENCED',
  // UNKNOWN_SERVER_ERROR. A broker that was paused for longer than its own sessions answers so while it catches up, and says no
  // more. Repeating is safe: records carry sequence numbers, and a transaction that is ended twice has ended once.
  'UNKNOWN',
]);
export function remedyFor(error: unknown): Remedy {
  if (error instanceof BrokerUnreachable) return 'refresh';
  if (!(error instanceof BrokerRefusal)) return 'none';
  return RETRY.has(error.type) ? 'retry' : REFRESH.has(error.type) ? 'refresh' : 'none';
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'UNKNOWN_TOPIC',
  OFFSET_OUT_OF_RANGE: 'OFFSET_OUT_OF_RANGE',
  MESSAGE_TOO_LARGE: 'RECORD_TOO_LARGE',
  RECORD_LIST_TOO_LARGE: 'RECORD_TOO_LARGE',
  INVALID_TOPIC_EXCEPTION: 'INVALID_INPUT',
  INVALID_TIMESTAMP: 'INVALID_INPUT',
  INVALID_RECORD: 'INVALID_INPUT',
  INVALID_GROUP_ID: 'INVALID_INPUT',
  INVALID_CONFIG: 'INVALID_INPUT',
  POLICY_VIOLATION: 'INVALID_INPUT',
  TOPIC_ALREADY_EXISTS: 'CONFLICT',
  INVALID_REPLICATION_FACTOR: 'INVALID_CONFIGURATION',
  INVALID_TRANSACTION_TIMEOUT: 'INVALID_CONFIGURATION',
  INVALID_SESSION_TIMEOUT: 'INVALID_CONFIGURATION',
  INCONSISTENT_GROUP_PROTOCOL: 'CONFLICT',
  TOPIC_AUTHORIZATION_FAILED: 'INVALID_CONFIGURATION',
  GROUP_AUTHORIZATION_FAILED: 'INVALID_CONFIGURATION',
  CLUSTER_AUTHORIZATION_FAILED: 'INVALID_CONFIGURATION',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'INVALID_CONFIGURATION',
  CORRUPT_MESSAGE: 'LOG_CORRUPT',
  UNSUPPORTED_VERSION: 'LOG_INCOMPATIBLE_VERSION',
  UNSUPPORTED_FOR_MESSAGE_FORMAT: 'LOG_INCOMPATIBLE_VERSION',
};

const ADVICE: Partial<Record<ErrorCode, string>> = {
  INVALID_CONFIGURATION: 'Check user, password, certificates and the rights of this client.',
  LOG_UNAVAILABLE: 'Check that the brokers run and that their advertised addresses can be reached from here.',
};

const ADVICE_BY_TYPE: Readonly<Record<string, string>> = {
  UNKNOWN: "The broker's own log says what went wrong.",
  ILLEGAL_SASL_STATE:
    'This listener takes no SASL: leave user and password out, or name the address of a listener that takes them.',
};

/**
 * The error as the port knows it; `brokers` are those that were asked first. Messages of brokers and of TLS carry no
 * secrets; options never go into one.
 */
export function translated(operation: string, error: unknown, brokers: readonly string[] = []): SeamError {
  if (isSeamError(error)) return error;
  const type = brokerErrorOf(error);
  const code: ErrorCode = isFenced(error)
    ? 'FENCED'
    : error instanceof BrokerDistrust
      ? 'INVALID_CONFIGURATION'
      : type !== undefined && CODES[type] !== undefined
        ? CODES[type]
        : remedyFor(error) === 'none'
          ? 'INTERNAL'
          : 'LOG_UNAVAILABLE';
  const said = `Cannot ${operation} on Kafka: ${messageOf(error)}${type === undefined ? '' : ` (${type})`}`;
  const asked = code === 'LOG_UNAVAILABLE' && brokers.length > 0 ? `Asked: ${brokers.join(', ')}` : undefined;
  const advice = (type === undefined ? undefined : ADVICE_BY_TYPE[type]) ?? ADVICE[code];
  return new SeamError(code, [said, asked, advice].filter((part) => part !== undefined).join('. '), {
    details: { driver: 'kafka', ...(type === undefined ? {} : { kafkaError: type }) },
    cause: error,
  });
}
