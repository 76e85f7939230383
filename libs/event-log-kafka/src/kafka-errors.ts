/**
 * What an error of kafkajs means for the caller. kafkajs knows errors by name (its own troubles) and by `type` (what a
 * broker answered); neither leaves this package.
 */
import { type ErrorCode, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import kafkajs from 'kafkajs';

/** What a broker would say, said by us: the state that was waited for is not there yet. */
export class NotYet extends Error {
  override readonly name = 'KafkaJSProtocolError';

  constructor(readonly type: 'LEADER_NOT_AVAILABLE' | 'CONCURRENT_TRANSACTIONS') {
    super(
      type === 'LEADER_NOT_AVAILABLE'
        ? 'the partition has no leader at the moment'
        : 'the transaction is not ended yet',
    );
  }
}

/** What can be done about an error. `refresh`: try again after asking anew who leads and who coordinates. */
export type Remedy = 'retry' | 'refresh' | 'none';

interface KafkaError {
  readonly name: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly message: string;
}

/** The innermost error that says something: kafkajs wraps what it gave up on. */
function innermost(error: unknown): KafkaError {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error && at.name === 'KafkaJSNumberOfRetriesExceeded'; depth++)
    at = at.cause ?? at;
  if (at instanceof Error && at.name === 'KafkaJSNonRetriableError' && at.cause instanceof Error) at = at.cause;
  const { name, type, code } = at as { name?: unknown; type?: unknown; code?: unknown };
  return {
    name: String(name),
    type: typeof type === 'string' ? type : undefined,
    code: typeof code === 'string' ? code : undefined,
    message: messageOf(at),
  };
}

/** The broker's word for what is wrong; undefined for troubles on the way there. */
export function brokerErrorOf(error: unknown): string | undefined {
  return innermost(error).type;
}

/** Somebody else has the transactional id by now, or the coordinator ended the transaction for us. */
const FENCING = new Set(['INVALID_PRODUCER_EPOCH', 'INVALID_PRODUCER_ID_MAPPING', 'UNKNOWN_PRODUCER_ID']);

export function isFenced(error: unknown): boolean {
  const { type, message } = innermost(error);
  // 90 is PRODUCER_FENCED, younger than kafkajs.
  return type !== undefined && (FENCING.has(type) || message.endsWith('Unknown error code 90'));
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
]);
const ON_THE_WAY = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
]);

/** A plain Error of kafkajs, about a broker whose versions it does not have yet: somebody else's connect is not through. */
const NOT_CONNECTED = 'Broker not connected';

export function remedyFor(error: unknown): Remedy {
  if (isSeamError(error)) return 'none';
  const { name, type, message } = innermost(error);
  if (refusesUs(error)) return 'none';
  if (type !== undefined) return RETRY.has(type) ? 'retry' : REFRESH.has(type) ? 'refresh' : 'none';
  return ON_THE_WAY.has(name) || message === NOT_CONNECTED ? 'refresh' : 'none';
}

/** kafkajs' own words for a connection that was made and came to nothing. */
const CAME_TO_NOTHING = new Set(['KafkaJSRequestTimeoutError', 'KafkaJSConnectionClosedError']);

/**
 * Why a broker could not be connected, as kafkajs has to hear it: only after a KafkaJSConnectionError does it leave this
 * broker alone and take the next one. What is not kafkajs' at all came of an answer that is not Kafka's.
 */
export function connectFailure(error: unknown, broker: string): unknown {
  const { name, message } = innermost(error);
  if (name.startsWith('KafkaJS') && !CAME_TO_NOTHING.has(name)) return error;
  return new kafkajs.KafkaJSConnectionError(`${broker} did not answer as a broker does: ${message}`, { broker });
}

/** The broker will not have us, or we will not have the broker: no retry changes that. */
function refusesUs(error: unknown): boolean {
  const { name, type, code } = innermost(error);
  return (
    name === 'KafkaJSSASLAuthenticationError' ||
    type === 'SASL_AUTHENTICATION_FAILED' ||
    type === 'UNSUPPORTED_SASL_MECHANISM' ||
    type === 'ILLEGAL_SASL_STATE' ||
    // Never by the message: names of hosts are in it. EPROTO is a TLS that OpenSSL could not make sense of.
    (code !== undefined && /CERT|SIGNATURE|^INVALID_CA$|^INVALID_PURPOSE$|^ERR_(SSL|TLS|OSSL)|^EPROTO$/.test(code))
  );
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
  ILLEGAL_SASL_STATE:
    'This listener takes no SASL: leave user and password out, or name the address of a listener that takes them.',
};

/**
 * The error as the port knows it; `brokers` are those that were asked first. Messages of brokers and of TLS carry no
 * secrets; options never go into one.
 */
export function translated(operation: string, error: unknown, brokers: readonly string[] = []): SeamError {
  if (isSeamError(error)) return error;
  const { type, message } = innermost(error);
  const code: ErrorCode = isFenced(error)
    ? 'FENCED'
    : refusesUs(error)
      ? 'INVALID_CONFIGURATION'
      : type !== undefined && CODES[type] !== undefined
        ? CODES[type]
        : remedyFor(error) === 'none'
          ? 'INTERNAL'
          : 'LOG_UNAVAILABLE';
  const said = `${operation} on Kafka: ${message}${type === undefined ? '' : ` (${type})`}`;
  const asked = code === 'LOG_UNAVAILABLE' && brokers.length > 0 ? `Asked: ${brokers.join(', ')}` : undefined;
  const advice = (type === undefined ? undefined : ADVICE_BY_TYPE[type]) ?? ADVICE[code];
  return new SeamError(code, [said, asked, advice].filter((part) => part !== undefined).join('. '), {
    details: { driver: 'kafka', ...(type === undefined ? {} : { kafkaError: type }) },
    cause: error,
  });
}
