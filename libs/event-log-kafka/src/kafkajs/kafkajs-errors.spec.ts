import kafkajs from 'kafkajs';
import { BrokerDistrust, BrokerRefusal, BrokerUnreachable } from '../broker-protocol.port.js';
import { connectFailure, protocolError, refusalOf } from './kafkajs-errors.js';

const { KafkaJSConnectionError, KafkaJSRequestTimeoutError, KafkaJSNumberOfRetriesExceeded } = kafkajs;

describe('an error of kafkajs in the words of the port', () => {
  it('is unreachable when a broker was asked before its versions were known', () => {
    expect(protocolError(new Error('Broker not connected'))).toBeInstanceOf(BrokerUnreachable);
  });

  it('is unreachable when the connection failed, and distrust by the code of the error, never by names in its message', () => {
    const unknownHost = 'Connection error: getaddrinfo ENOTFOUND certificate-store';
    expect(protocolError(new KafkaJSConnectionError(unknownHost, { code: 'ENOTFOUND' }))).toBeInstanceOf(
      BrokerUnreachable,
    );
    for (const code of [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_SSL_WRONG_VERSION_NUMBER',
    ]) {
      const error = new KafkaJSConnectionError('Connection error: refused', { code });
      expect(protocolError(error)).toBeInstanceOf(BrokerDistrust);
    }
  });

  it('is distrust with its name where a listener takes no SASL', () => {
    const error = Object.assign(new Error('Request is not valid given the current SASL state'), {
      name: 'KafkaJSProtocolError',
      type: 'ILLEGAL_SASL_STATE',
    });
    expect(protocolError(error)).toMatchObject({ name: 'BrokerDistrust', type: 'ILLEGAL_SASL_STATE' });
  });

  it('is the refusal inside what kafkajs gave up on', () => {
    const cause = refusalOf(6);
    const error = Object.assign(new KafkaJSNumberOfRetriesExceeded('gave up', { retryCount: 1, retryTime: 1 }), {
      cause,
    });
    expect(protocolError(error)).toMatchObject({ name: 'BrokerRefusal', type: 'NOT_LEADER_FOR_PARTITION' });
  });

  it('knows that code 90, which kafkajs does not know, fences a producer', () => {
    expect(refusalOf(90)).toMatchObject({ type: 'PRODUCER_FENCED' });
    expect(refusalOf(9999)).toBeInstanceOf(BrokerRefusal);
  });

  it('stays as it is when it is not about a broker', () => {
    const error = new TypeError('a mistake of our own');
    expect(protocolError(error)).toBe(error);
  });
});

describe('a broker that could not be connected', () => {
  const of = (error: unknown) => connectFailure(error, 'a:1');

  it('is left for the next one after silence, an end, and an answer that is not of Kafka', () => {
    for (const error of [
      new KafkaJSRequestTimeoutError('Request ApiVersions timed out'),
      Object.assign(new Error('Closed connection'), { name: 'KafkaJSConnectionClosedError' }),
      new RangeError('The value of "offset" is out of range'),
    ]) {
      expect(of(error)).toMatchObject({ name: 'KafkaJSConnectionError', message: expect.stringContaining('a:1') });
    }
  });

  it('keeps the error of kafkajs otherwise', () => {
    for (const error of [
      new KafkaJSConnectionError('refused', { code: 'ECONNREFUSED' }),
      Object.assign(new Error('wrong password'), { name: 'KafkaJSSASLAuthenticationError' }),
      Object.assign(new Error('no leader'), { name: 'KafkaJSProtocolError', type: 'LEADER_NOT_AVAILABLE' }),
    ]) {
      expect(of(error)).toBe(error);
    }
  });
});
