/**
 * An error of kafkajs as the port knows it. kafkajs distinguishes its own errors by `name` and a broker's answers by `type`.
 * An error after which it gave up is wrapped in another.
 */
import { isSeamError, messageOf } from '@seamstream/kernel';
import kafkajs from 'kafkajs';
import { BrokerDistrust, BrokerRefusal, BrokerUnreachable } from '../broker-protocol.port.js';
import { brokerErrors } from './kafkajs-internals.js';

interface KafkajsError {
  readonly name: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly message: string;
}

/** The innermost error that says something. */
function innermost(error: unknown): KafkajsError {
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

const ON_THE_WAY = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
]);
/** A plain Error of kafkajs, about a broker whose versions it does not have yet: another caller's connect is under way. */
const NOT_CONNECTED = 'Broker not connected';
const REFUSED_CREDENTIALS = new Set(['SASL_AUTHENTICATION_FAILED', 'UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE']);
/** Never by the message: names of hosts are in it. EPROTO is a TLS that OpenSSL could not make sense of. */
const CERTIFICATE_CODES = /CERT|SIGNATURE|^INVALID_CA$|^INVALID_PURPOSE$|^ERR_(SSL|TLS|OSSL)|^EPROTO$/;
/** PRODUCER_FENCED is younger than kafkajs. */
const UNKNOWN_FENCED = 'Unknown error code 90';

/** One of the port's three errors; anything else is returned as it is. */
export function protocolError(error: unknown): unknown {
  if (isSeamError(error) || error instanceof BrokerRefusal) return error;
  const { name, type, code, message } = innermost(error);
  const cause = { cause: error };
  if (name === 'KafkaJSSASLAuthenticationError' || (type !== undefined && REFUSED_CREDENTIALS.has(type)))
    return new BrokerDistrust(message, type, cause);
  if (code !== undefined && CERTIFICATE_CODES.test(code)) return new BrokerDistrust(message, undefined, cause);
  if (type !== undefined)
    return new BrokerRefusal(message.endsWith(UNKNOWN_FENCED) ? 'PRODUCER_FENCED' : type, message, cause);
  return ON_THE_WAY.has(name) || message === NOT_CONNECTED ? new BrokerUnreachable(message, cause) : error;
}

/** Does something with kafkajs; throws the port's errors. */
export async function asProtocol<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw protocolError(error);
  }
}

/** A refusal, from its number in an answer. */
export function refusalOf(code: number): BrokerRefusal {
  return protocolError(brokerErrors.createErrorFromCode(code)) as BrokerRefusal;
}

/** kafkajs' own messages for a connection that was opened and failed. */
const CAME_TO_NOTHING = new Set(['KafkaJSRequestTimeoutError', 'KafkaJSConnectionClosedError']);

/**
 * Why a broker could not be connected, as kafkajs needs it: only after a KafkaJSConnectionError does it leave this broker
 * alone and take the next one. An error that is not kafkajs' comes from an answer that is not Kafka's.
 */
export function connectFailure(error: unknown, broker: string): unknown {
  const { name, message } = innermost(error);
  if (name.startsWith('KafkaJS') && !CAME_TO_NOTHING.has(name)) return error;
  return new kafkajs.KafkaJSConnectionError(`${broker} did not answer as a broker does: ${message}`, { broker });
}
