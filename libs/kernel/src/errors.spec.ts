import { ERROR_CODES, isSeamError, messageOf, SeamError } from './errors.js';

describe('SeamError', () => {
  it('knows from its code whether a retry may help', () => {
    expect(new SeamError('FENCED', 'another member owns the partition').retryable).toBe(ERROR_CODES.FENCED.retryable);
    expect(new SeamError('MALFORMED_RECORD', 'bytes end early').retryable).toBe(false);
  });

  it('is recognised by its brand, also when another copy of the package made it', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('seamstream.error')]: true, code: 'CONFLICT' });
    expect(isSeamError(foreign)).toBe(true);
    expect(isSeamError(foreign, 'CONFLICT')).toBe(true);
    expect(isSeamError(foreign, 'FENCED')).toBe(false);
    expect(isSeamError(new Error('x'))).toBe(false);
    expect(isSeamError(null)).toBe(false);
  });

  it('carries details and cause', () => {
    const cause = new Error('disk');
    const error = new SeamError('LOG_FULL', 'append failed', { details: { topic: 't' }, cause });
    expect(error.details).toEqual({ topic: 't' });
    expect(error.cause).toBe(cause);
  });

  it('finds a message in anything that was thrown', () => {
    expect(messageOf(new Error('a'))).toBe('a');
    expect(messageOf('b')).toBe('b');
  });
});
