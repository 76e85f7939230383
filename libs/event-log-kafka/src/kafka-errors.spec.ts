import { BrokerDistrust, BrokerRefusal, BrokerUnreachable } from './broker-protocol.port.js';
import { isFenced, notYet, remedyFor, translated } from './kafka-errors.js';

describe('an error of the broker protocol', () => {
  it('is retried with fresh metadata when no broker answered', () => {
    const error = new BrokerUnreachable('Connection timeout');
    expect(remedyFor(error)).toBe('refresh');
    expect(translated('open', error).code).toBe('LOG_UNAVAILABLE');
  });

  it('is retried by what the broker refused with', () => {
    expect(remedyFor(notYet('CONCURRENT_TRANSACTIONS'))).toBe('retry');
    expect(remedyFor(notYet('LEADER_NOT_AVAILABLE'))).toBe('refresh');
    expect(remedyFor(new BrokerRefusal('MESSAGE_TOO_LARGE', 'too large'))).toBe('none');
  });

  it('is retried, and an outage in the end, where a broker does not know what is wrong with itself', () => {
    const error = new BrokerRefusal(
      'UNKNOWN',
      'The server experienced an unexpected error when processing the request',
    );
    expect(remedyFor(error)).toBe('refresh');
    expect(translated('commit a transaction', error)).toMatchObject({
      code: 'LOG_UNAVAILABLE',
      message: expect.stringContaining("The broker's own log says what went wrong"),
    });
  });

  it('is final and internal when it is a bug of this driver', () => {
    const error = new TypeError('a mistake of our own');
    expect(remedyFor(error)).toBe('none');
    expect(translated('open', error)).toMatchObject({ code: 'INTERNAL', details: { driver: 'kafka' } });
  });

  it('names the brokers that were asked where none answers, and what to do', () => {
    const { message } = translated('open', new BrokerUnreachable('Connection timeout'), ['a:1', 'b:2']);
    expect(message).toBe(
      'Cannot open on Kafka: Connection timeout. Asked: a:1, b:2. Check that the brokers run and that their advertised addresses can be reached from here.',
    );
    expect(translated('read', new BrokerUnreachable('Connection timeout')).message).not.toContain('Asked');
  });

  it('is refused for good where one side does not trust the other', () => {
    const error = new BrokerDistrust('self-signed certificate in certificate chain');
    expect(remedyFor(error)).toBe('none');
    expect(translated('open', error).code).toBe('INVALID_CONFIGURATION');
  });

  it('advises to leave the password out where a listener takes no SASL', () => {
    const error = new BrokerDistrust('Request is not valid given the current SASL state', 'ILLEGAL_SASL_STATE');
    expect(translated('open', error)).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('leave user and password out'),
    });
  });

  it.each(['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED'])('is fencing when the broker answers %s', (type) => {
    const error = new BrokerRefusal(type, 'there is a newer producer with the same transactional id');
    expect(isFenced(error)).toBe(true);
    expect(translated('committing', error).code).toBe('FENCED');
  });
});
