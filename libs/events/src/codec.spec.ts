import { EXAMPLE_EVENTS } from '@seamstream/testing';
import avro from 'avsc';
import { decodeEvent, encodeEvent } from './codec.js';
import { EXAMPLES, failureOf, outcome, recordOf } from './event-records.fake.js';
import { keyOf, type SeamEvent, TOPIC_OF, TOPICS } from './generated/events.generated.js';
import { SCHEMAS } from './generated/schemas.generated.js';

describe('an event on the wire', () => {
  it.each(EXAMPLES)('comes back as it was: $type', (event) => {
    expect(decodeEvent(recordOf(event))).toEqual(event);
  });

  it('is marker, fingerprint and the Avro binary of the event as avsc writes it', () => {
    const { value } = encodeEvent(outcome);
    const bare = avro.Type.forSchema(JSON.parse(SCHEMAS.OutcomeRecorded.schema) as avro.Schema).toBuffer(outcome);
    expect(Buffer.from(value).toString('hex')).toBe(
      `c301${SCHEMAS.OutcomeRecorded.fingerprint}${bare.toString('hex')}`,
    );
  });

  it('is in its topic under its key', () => {
    expect(EXAMPLES.map((event) => [event.type, encodeEvent(event).topic, encodeEvent(event).key])).toEqual([
      ['ProblemPublished', 'seam.problems', 'p-1'],
      ['ExperienceGenerated', 'seam.experiences', 'p-1'],
      ['ExperienceWithheld', 'seam.experiences', 'p-1'],
      ['OutcomeRecorded', 'seam.outcomes', 'p-1'],
      ['ExecutionFailed', 'seam.outcomes', 'p-1'],
      ['AttemptUngraded', 'seam.outcomes', 'p-1'],
      ['AnswerRecorded', 'seam.answers', 'p-1'],
      ['AnswerSettled', 'seam.answers', 'p-1'],
      ['FeedbackGiven', 'seam.feedback', 'p-1'],
      ['FeedbackRefused', 'seam.answers', 'p-1'],
      ['ProblemExpired', 'seam.outcomes', 'p-1'],
      ['SuccessAdmitted', 'seam.buffer', 'arithmetic/2'],
      ['ResultRefused', 'seam.buffer', 'p-1'],
      ['SuccessRejected', 'seam.buffer', 'arithmetic/2'],
      ['BufferCommitted', 'seam.buffer', 'commits'],
      ['TrainingRunPlanned', 'seam.training', 'r-1'],
      ['TrainingRunStarted', 'seam.training', 'r-1'],
      ['TrainingRunCheckpointed', 'seam.training', 'r-1'],
      ['TrainingRunCompleted', 'seam.training', 'r-1'],
      ['TrainingRunFailed', 'seam.training', 'r-1'],
      ['TrainingRunRejected', 'seam.training', 'r-1'],
      ['TrainingRunCancelled', 'seam.training', 'r-1'],
      ['SelfTrainingStarted', 'seam.training', 't-1'],
      ['SelfTrainingStopped', 'seam.training', 't-1'],
      ['SelfTrainingResumed', 'seam.training', 't-1'],
      ['SelfTrainingPaused', 'seam.training', 't-1'],
      ['TeamTurnTaken', 'seam.teams', 'run-1'],
      ['TeamRolloutJudged', 'seam.teams', 'run-1'],
      ['TeamBatchSampled', 'seam.teams', 'run-1'],
      ['AgentUpdateTried', 'seam.teams', 'run-1'],
      ['AgentUpdated', 'seam.teams', 'run-1'],
      ['AgentSwapped', 'seam.teams', 'run-1'],
      ['AgentWarmedUp', 'seam.teams', 'run-1'],
      ['TeamEvaluated', 'seam.teams', 'team'],
      ['TeamPreferencePublished', 'seam.teams', '5c'.repeat(32)],
      ['LibraryReplyRecorded', 'seam.training', 'r-1'],
      ['AdapterPublished', 'seam.adapters', '45'.repeat(32)],
      ['AdapterPromoted', 'seam.adapters', '45'.repeat(32)],
      ['AdapterRolledBack', 'seam.adapters', '45'.repeat(32)],
      ['AdapterEvaluated', 'seam.adapters', '45'.repeat(32)],
      ['AdapterPinned', 'seam.adapters', 'pins'],
      ['AdapterUnpinned', 'seam.adapters', 'pins'],
      ['ReleasePlanned', 'seam.adapters', 'release-1'],
      ['ReleaseDecided', 'seam.adapters', 'release-1'],
      ['GuardPlanned', 'seam.adapters', 'guard-1'],
      ['DomainMuted', 'seam.adapters', 'guard-1'],
      ['DomainUnmuted', 'seam.adapters', 'guard-1'],
      ['ApiKeyIssued', 'seam.access', 'aB3dE6gH9jK2'],
      ['ApiKeyRevoked', 'seam.access', 'aB3dE6gH9jK2'],
      ['QuotaDeclared', 'seam.access', 'aB3dE6gH9jK2'],
      ['PriceDeclared', 'seam.access', 'tiny'],
      ['DeadLettersRedriven', 'seam.access', 'd-1'],
      ['UsageReserved', 'seam.usage', 'aB3dE6gH9jK2'],
      ['UsageSettled', 'seam.usage', 'aB3dE6gH9jK2'],
      ['AccessRefused', 'seam.usage', 'forbidden'],
      ['SessionStarted', 'seam.usage', 'user-Yk3dE6gH9jK2mN5pQ8sT1v'],
      ['SessionEnded', 'seam.usage', 'user-Yk3dE6gH9jK2mN5pQ8sT1v'],
      ['DeadLettered', 'seam.dead-letters', 'p-9'],
    ]);
    expect(keyOf({ ...EXAMPLE_EVENTS.DeadLettered, key: null })).toBeNull();
  });

  it('keeps every event of a topic where the topics say', () => {
    expect(TOPICS.flatMap(({ name, events }) => events.map((event) => [event, name]))).toEqual(
      Object.entries(TOPIC_OF),
    );
  });

  it('is a CloudEvent in binary mode with its trace', () => {
    expect(encodeEvent(outcome).headers).toEqual({
      'content-type': 'application/avro',
      ce_specversion: '1.0',
      ce_id: 'm-4',
      ce_type: 'seamstream.OutcomeRecorded',
      ce_source: 'seam/test',
      ce_time: '2026-01-01T00:00:00.123Z',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(encodeEvent({ ...outcome, meta: { ...outcome.meta, traceparent: null } }).headers).not.toHaveProperty(
      'traceparent',
    );
  });

  it('takes defaults for absent fields and leaves out unknown ones', () => {
    const published = { ...EXAMPLE_EVENTS.ProblemPublished, expiresAt: undefined };
    const event = { ...published, surprise: true } as unknown as SeamEvent;
    expect(decodeEvent(recordOf(event))).toEqual({ ...published, expiresAt: null });
  });

  it('carries values larger than any buffer so far', () => {
    const value = new Uint8Array(300_000).fill(7);
    const event = { ...EXAMPLE_EVENTS.DeadLettered, value };
    expect(decodeEvent(recordOf(event))).toEqual({ ...event, value: Buffer.from(value) });
  });

  it('may hold U+FFFD in a text that is valid', () => {
    const event = { ...outcome, response: 'a \ufffd stays' };
    expect(decodeEvent(recordOf(event))).toEqual(event);
  });

  it('carries text of every length and alphabet', () => {
    for (const letter of ['a', 'é', '€', '😀']) {
      for (const length of [0, 1, 20, 21, 22, 31, 32, 63, 64, 65, 127, 128, 2730, 2731, 4096, 8191, 8192, 70_000]) {
        const event = { ...outcome, response: letter.repeat(length) };
        expect(decodeEvent(recordOf(event))).toEqual(event);
      }
    }
  });

  it('holds U+FFFD in place of half a surrogate pair, which is no text', () => {
    const event = { ...outcome, response: 'half \ud83d of it' };
    expect(decodeEvent(recordOf(event))).toEqual({ ...outcome, response: 'half \ufffd of it' });
  });

  it('carries every int', () => {
    const ints = [0, -1, 1, -64, 63, 64, -65, 8191, -8192, 8192, -8193, 2 ** 31 - 1, -(2 ** 31)];
    const event = { ...outcome, tokenIds: ints };
    expect(decodeEvent(recordOf(event))).toEqual(event);
  });

  it('does not change when the next event is encoded', () => {
    const first = encodeEvent(outcome);
    const before = Buffer.from(first.value).toString('hex');
    encodeEvent({ ...outcome, response: 'something else' });
    expect(Buffer.from(first.value).toString('hex')).toBe(before);
  });
});

describe('an event that does not fit its schema', () => {
  const cases: readonly [string, SeamEvent, string][] = [
    ['a NaN reward', { ...outcome, reward: Number.NaN }, 'reward: expected a finite double, got NaN'],
    [
      'an infinite latency',
      { ...outcome, latencyMs: Number.POSITIVE_INFINITY },
      'latencyMs: expected a finite double, got Infinity',
    ],
    [
      'a log-probability beyond 32 bits',
      { ...EXAMPLE_EVENTS.ExperienceGenerated, logProbs: [0, -1e300] },
      'logProbs.1: expected a finite float, got -1e+300',
    ],
    [
      'a metric that is NaN',
      { ...EXAMPLE_EVENTS.TrainingRunCompleted, metrics: { loss: Number.NaN } },
      'metrics.loss: expected a finite double, got NaN',
    ],
    [
      'an unknown symbol',
      { ...outcome, arm: 'best' as 'explore' },
      'arm: expected one of explore, deploy, control, got "best"',
    ],
    [
      'a missing field',
      { ...outcome, response: undefined as unknown as string },
      'response: expected string, got undefined',
    ],
    ['a fraction for an int', { ...outcome, promptTokens: 1.5 }, 'promptTokens: expected int, got 1.5'],
    [
      'an offset beyond 2^53',
      { ...EXAMPLE_EVENTS.DeadLettered, offset: 2 ** 60 },
      `offset: expected long, got ${2 ** 60}`,
    ],
    [
      'a text for a list',
      { ...outcome, tokenIds: 'abc' as unknown as number[] },
      'tokenIds: expected array, got "abc"',
    ],
    [
      'a list for bytes',
      { ...EXAMPLE_EVENTS.DeadLettered, value: [1] as unknown as Uint8Array },
      'value: expected null or bytes, got a list of 1',
    ],
  ];
  it.each(cases)('is refused: %s', (_, event, fault) => {
    const error = failureOf(() => encodeEvent(event));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toBe(`Cannot encode ${event.type}: ${fault}. Correct the event; nothing was recorded.`);
    expect(error.details).toEqual({ eventType: event.type, faults: [fault] });
  });

  it('is refused when its time is no date', () => {
    const error = failureOf(() => encodeEvent({ ...outcome, meta: { ...outcome.meta, occurredAt: 9e15 } }));
    expect(error.message).toContain('Invalid time value');
  });

  it('names every fault at once', () => {
    const error = failureOf(() =>
      encodeEvent({ ...outcome, reward: Number.NaN, meta: { ...outcome.meta, messageId: 4 as unknown as string } }),
    );
    expect(error.details).toMatchObject({
      faults: ['meta.messageId: expected string, got 4', 'reward: expected a finite double, got NaN'],
    });
  });

  it('is refused when its type does not exist', () => {
    const error = failureOf(() => encodeEvent({ ...outcome, type: 'Guess' } as unknown as SeamEvent));
    expect(error.message).toContain('got "Guess"');
  });
});
