import { ERROR_CODES, type ErrorCode, SeamError } from '@seamstream/kernel';
import fc from 'fast-check';
import { type Failure, failureOf, type History, type Remedy, remedyFor, SITUATIONS } from './failure-policy.decide.js';
import { HungConsumer, RefusedCommit, RefusedForGood, SubscriptionStop } from './subscription-end.js';

const refused = (code: ErrorCode): RefusedCommit => new RefusedCommit({ code, reason: 'no' }, undefined);
const fault = new SeamError('SESSION_FAILED', 'the model broke');
const hopeless = new SeamError('DATA_REFUSED', 'no such thing');
const late = new SeamError('DEADLINE_EXCEEDED', 'late');
const outage = new SeamError('LOG_UNAVAILABLE', 'away');

/** One record, asked about for the first time. */
const alone: History = {
  isToldToStop: false,
  taken: 1,
  asked: 1,
  wasShared: false,
  attempts: 1,
  wholeAttempts: 1,
  isDeadlineTooShort: false,
  maxAttempts: 5,
};
const batch: History = { ...alone, taken: 8, asked: 8 };
const letter: History = { ...alone, asked: 0 };
const told = { isToldToStop: true };

/** Every situation at least once, and next to it those that differ in one thing. */
const CASES: readonly (readonly [what: string, error: unknown, history: History, remedy: Remedy])[] = [
  ['a record fails', fault, alone, 'retry'],
  ['a record fails for the last time', fault, { ...alone, attempts: 5 }, 'deadLetter'],
  ['a record fails with what is no error of ours, twice', new Error('?'), { ...alone, attempts: 2 }, 'deadLetter'],
  ['a record cannot be used', hopeless, alone, 'retry'],
  ['a record cannot be used, twice', hopeless, { ...alone, attempts: 2 }, 'deadLetter'],
  ['a record may be tried once only', hopeless, { ...alone, maxAttempts: 1 }, 'deadLetter'],
  ['a batch fails', fault, batch, 'repeat'],
  ['a batch fails again', fault, { ...batch, wholeAttempts: 2 }, 'halve'],
  ['a batch fails, of which one record is asked about', fault, { ...alone, taken: 8 }, 'retry'],
  ['a dead letter cannot be made', fault, letter, 'end'],
  ['the log is away', outage, batch, 'outlast'],
  ['the log is away, for the hundredth time', outage, { ...alone, attempts: 100 }, 'outlast'],
  ['a driver has no name for it', new SeamError('INTERNAL', 'x', { details: { driver: 'kafka' } }), alone, 'outlast'],
  ['a bug', new SeamError('INTERNAL', 'x'), { ...alone, attempts: 2 }, 'deadLetter'],
  ['the configuration is another', new SeamError('CONFLICT', 'other executor'), batch, 'end'],
  ['an object is gone', new SeamError('OBJECT_NOT_FOUND', 'no such key'), alone, 'end'],
  ['a batch is late', late, batch, 'alone'],
  ['a record is late', late, alone, 'retry'],
  ['a record is late, as all are', late, { ...alone, isDeadlineTooShort: true }, 'endAsTooSlow'],
  ['a batch is late, as all are', late, { ...batch, isDeadlineTooShort: true }, 'alone'],
  [
    'a record is late while others are under way',
    late,
    { ...alone, wasShared: true, isDeadlineTooShort: true },
    'alone',
  ],
  ['a record fails while others are under way', fault, { ...alone, wasShared: true }, 'retry'],
  ['a consumer hangs', new HungConsumer('hangs', 1, 2), alone, 'end'],
  ['a consumer halts', new SubscriptionStop('CONFLICT', 'other'), batch, 'end'],
  ['another owns the partition', new SeamError('FENCED', 'gone'), batch, 'end'],
  [
    'another owns the partition, and the work was asked to stop',
    new SeamError('FENCED', 'gone'),
    { ...batch, ...told },
    'end',
  ],
  ['asked to stop during a failure', fault, { ...alone, ...told, attempts: 5 }, 'handBack'],
  ['asked to stop during an outage', outage, { ...batch, ...told }, 'handBack'],
  ['asked to stop, and the consumer hangs', new HungConsumer('hangs', 1, 2), { ...alone, ...told }, 'handBack'],
  ['asked to stop by the refusal itself', new RefusedForGood('LOG_CORRUPT', 'x'), { ...alone, ...told }, 'end'],
  ['a commit of several is too large', refused('RECORD_TOO_LARGE'), batch, 'narrow'],
  ['a commit of several dead letters is too large', refused('RECORD_TOO_LARGE'), { ...batch, asked: 0 }, 'narrow'],
  ['a commit of one is too large', refused('RECORD_TOO_LARGE'), alone, 'commitAgain'],
  ['a commit of one is too large, twice', refused('INVALID_INPUT'), { ...alone, attempts: 2 }, 'giveUp'],
  ['a dead letter is too large', refused('RECORD_TOO_LARGE'), letter, 'endAsRefused'],
  ['a commit is refused for another reason', refused('LOG_UNAVAILABLE'), batch, 'commitLater'],
  ['a commit is refused, and its claim is gone', refused('LOG_UNAVAILABLE'), { ...batch, ...told }, 'commitLater'],
];

describe('what becomes of a batch that failed', () => {
  it.each(CASES)('%s', (_what, error, history, remedy) => {
    expect(remedyFor(failureOf(error), history)).toBe(remedy);
  });

  it('is decided by each row of the table in some case', () => {
    const reached = CASES.map(([, error, history]) => SITUATIONS.find(({ holds }) => holds(failureOf(error), history)));
    expect(SITUATIONS.filter((row) => !reached.includes(row))).toEqual([]);
  });

  it('blames no record for an outage, for its neighbours or for a request to stop, in any combination', () => {
    const failures = fc.record({
      code: fc.constantFrom(...(Object.keys(ERROR_CODES) as ErrorCode[])),
      reason: fc.constant('x'),
      kind: fc.constantFrom<Failure['kind']>('refused', 'ended', 'endedForGood', 'outage', 'fault'),
      isRetryable: fc.boolean(),
    });
    const histories = fc
      .record({
        isToldToStop: fc.boolean(),
        taken: fc.integer({ min: 1, max: 9 }),
        asked: fc.integer({ min: 0, max: 9 }),
        wasShared: fc.boolean(),
        attempts: fc.integer({ min: 1, max: 9 }),
        wholeAttempts: fc.integer({ min: 1, max: 3 }),
        isDeadlineTooShort: fc.boolean(),
        maxAttempts: fc.integer({ min: 1, max: 8 }),
      })
      .map((history) => ({ ...history, asked: Math.min(history.asked, history.taken) }));
    const blaming: readonly Remedy[] = ['deadLetter', 'giveUp', 'retry', 'commitAgain'];
    fc.assert(
      fc.property(failures, histories, (failure, history) => {
        const remedy = remedyFor(failure, history);
        if (blaming.includes(remedy)) {
          expect(history.asked).toBe(1);
          expect(failure.kind).toMatch(/^(fault|refused)$/);
          expect(failure.code).not.toBe('FENCED');
        }
        if (history.isToldToStop && failure.kind !== 'refused') expect(['handBack', 'end']).toContain(remedy);
        // As often as it may, and no oftener.
        if (remedy === 'retry') expect(history.attempts).toBeLessThan(history.maxAttempts);
        if (remedy === 'halve') expect(history.asked).toBeGreaterThan(1);
      }),
      { numRuns: 5_000 },
    );
  });
});
