import kafkajs from 'kafkajs';
import { connectFailure, NotYet, remedyFor, translated } from './kafka-errors.js';

const { KafkaJSConnectionError } = kafkajs;

describe('what kafkajs could not do', () => {
  it('is tried again when a broker was asked before it was known what it can', () => {
    const error = new Error('Broker not connected');
    expect(remedyFor(error)).toBe('refresh');
    expect(translated('opening', error).code).toBe('LOG_UNAVAILABLE');
    expect(remedyFor(new Error('a mistake of our own'))).toBe('none');
    expect(translated('opening', new TypeError('a mistake of our own'))).toMatchObject({
      code: 'INTERNAL',
      details: { driver: 'kafka' },
    });
  });

  it('names the brokers that were asked where none answers, and what to do', () => {
    const { message } = translated('opening', new KafkaJSConnectionError('Connection timeout'), ['a:1', 'b:2']);
    expect(message).toBe(
      'opening on Kafka: Connection timeout. Asked: a:1, b:2. Check that the brokers run and that their advertised addresses can be reached from here.',
    );
    expect(translated('reading', new KafkaJSConnectionError('Connection timeout')).message).not.toContain('Asked');
  });

  it('is refused for good by the code of an error, not by names in its message', () => {
    const unknownHost = 'Connection error: getaddrinfo ENOTFOUND certificate-store';
    expect(remedyFor(new KafkaJSConnectionError(unknownHost, { code: 'ENOTFOUND' }))).toBe('refresh');
    for (const code of [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_SSL_WRONG_VERSION_NUMBER',
    ]) {
      const error = new KafkaJSConnectionError('Connection error: refused', { code });
      expect(remedyFor(error)).toBe('none');
      expect(translated('opening', error).code).toBe('INVALID_CONFIGURATION');
    }
  });

  it('is refused for good where a listener takes no SASL, with advice of its own', () => {
    const error = Object.assign(new Error('Request is not valid given the current SASL state'), {
      name: 'KafkaJSProtocolError',
      type: 'ILLEGAL_SASL_STATE',
    });
    expect(remedyFor(error)).toBe('none');
    expect(translated('opening', error)).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('leave user and password out'),
    });
  });
});

describe('a broker that could not be connected', () => {
  const of = (error: unknown) => connectFailure(error, 'a:1');

  it('is left for the next one after silence, an end, and an answer that is not of Kafka', () => {
    for (const error of [
      new kafkajs.KafkaJSRequestTimeoutError('Request ApiVersions timed out'),
      Object.assign(new Error('Closed connection'), { name: 'KafkaJSConnectionClosedError' }),
      new RangeError('The value of "offset" is out of range'),
    ]) {
      expect(of(error)).toMatchObject({ name: 'KafkaJSConnectionError', message: expect.stringContaining('a:1') });
    }
  });

  it('is what kafkajs says it is otherwise', () => {
    for (const error of [
      new KafkaJSConnectionError('refused', { code: 'ECONNREFUSED' }),
      Object.assign(new Error('wrong password'), { name: 'KafkaJSSASLAuthenticationError' }),
      new NotYet('LEADER_NOT_AVAILABLE'),
    ]) {
      expect(of(error)).toBe(error);
    }
  });
});
