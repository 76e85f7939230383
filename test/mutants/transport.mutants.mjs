// Batches are brought to their end: what a failure leads to, which records are tried next, what is known of a partition (docs/adr/0047).
const at = (name, rows) =>
  rows.map(([control, from, to = '', spec = name]) => ({
    control,
    file: `libs/service-kit/src/transport/${name}.ts`,
    ...{ from, to },
    suite: 'quick',
    spec: `libs/service-kit/src/transport/${spec}.spec.ts`,
  }));

export default [
  ...at('failure-policy.decide', [
    ['an outage blames no record', "({ kind }) => kind === 'outage'", '() => false'],
    ['work that must stop is handed back', '(_failure, { isToldToStop }) => isToldToStop', '() => false'],
    ['a batch is tried as a whole once more', 'wholeAttempts < WHOLE_BATCH_ATTEMPTS', 'false'],
    ['what cannot be mended is not tried for long', '(!isRetryable && isHopeless(attempts, maxAttempts))', 'false'],
    ['a late record that is not to blame ends the subscription', 'asked === 1 && isDeadlineTooShort', 'false'],
    ['a record that is late among others is tried again alone', '(asked === 1 && wasShared)', 'false'],
  ]),
  ...at('batch-split', [
    ['behind a half that is through the rest is tried', 'innermost(left).end <= next', 'innermost(left).end < next'],
    ['fewer are taken after a refused commit', 'Math.floor(taken / 2)', 'taken'],
  ]),
  ...at('pace', [
    ['who is joined by others shares the speed', 'for (const other of this.admitted) other.wasShared = true;'],
    ['who has left shares nothing', 'this.admitted.delete(admitted);'],
  ]),
  ...at('batch-worker', [
    ['what a refused commit taught outlives its claim', 'own.processor.isSettled && '],
    [
      'an idle partition that was taken away is forgotten',
      "batch.signal.addEventListener('abort', drop, { once: true });",
    ],
  ]),
  ...at('partition-processor', [
    [
      'what is given up is given up under the next claim as well',
      "if (remedy === 'giveUp') this.givenUp.set(culprit.record.offset, { code, reason, attempts });",
      '',
      'event-log.strategy',
    ],
    [
      'a failure of a record is counted once it stands alone',
      'await this.wait(this.backoff(this.countFailure(taken.alive[0]!)), failure, signal);',
      'await this.wait(this.backoff(1), failure, signal);',
      'event-log.strategy',
    ],
  ]),
];
