const attestation = {
  file: 'libs/signatures/src/attestation.ts',
  suite: 'quick',
  spec: 'libs/signatures/src/attestation.spec.ts',
};
const log = {
  file: 'libs/signatures/src/signed-event-log.ts',
  suite: 'quick',
  spec: 'libs/signatures/src/signed-event-log.spec.ts',
};
export default [
  {
    ...attestation,
    control: 'an unsigned event is refused where that is configured',
    from: "if (unsigned === 'allowed') return [];",
    to: 'return [];',
  },
  {
    ...attestation,
    control: 'a signature counts only by a trusted key',
    from: 'if (signers.length === 0) {',
    to: 'if (signers.length === 0) return [];\n  if (false) {',
  },
  {
    ...attestation,
    control: 'a key vouches only for what it may',
    from: 'vouchers.some((voucher) => may.includes(voucher)));',
    to: 'may.length > 0 || vouchers.length > 0);',
  },
  {
    ...attestation,
    control: 'an attestation is about this event',
    from: 'if (!holds(envelope))',
    to: 'if (false)',
  },
  {
    ...log,
    control: 'a log shows no reader what is not believed',
    from: 'ATTESTED_TOPICS.has(record.topic) || this.isBelieved(record)',
    to: 'ATTESTED_TOPICS.has(record.topic) || this.isBelieved(record) || true',
  },
  {
    ...log,
    control: 'a log writes nothing that it would not believe',
    from: '    assertWouldBeBelieved(event.type, this.options);\n',
    to: '',
  },
  {
    control: 'a service does not start with a key that no reader believes',
    file: 'libs/service-kit/src/drivers/signed-event-log.driver.ts',
    from: 'for (const type of types) assertWouldBeBelieved(type, signing);',
    to: 'for (const type of signing.key === null ? types : []) assertWouldBeBelieved(type, signing);',
    suite: 'quick',
    spec: 'libs/service-kit/src/drivers/signed-event-log.driver.spec.ts',
  },
  {
    control: 'a service does not start without a right to vouch for all that it writes',
    file: 'libs/service-kit/src/drivers/signed-event-log.driver.ts',
    from: 'for (const type of types) assertWouldBeBelieved(type, signing);',
    to: 'for (const type of types.slice(0, 1)) assertWouldBeBelieved(type, signing);',
    suite: 'quick',
    spec: 'libs/service-kit/src/drivers/signed-event-log.driver.spec.ts',
  },
];
