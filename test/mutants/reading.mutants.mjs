// Reading the log: what becomes of records that are no events is what the reader named (docs/adr/0048).
const reading = { file: 'libs/log-reader/src/read-events.ts', suite: 'quick', spec: 'libs/log-reader/src/read-events' };

export default [
  {
    ...reading,
    control: 'a reading that is to end at what is no event ends there',
    from: "if (undecodable === 'throw') return decodeEvent(record);",
    to: '',
  },
  {
    ...reading,
    control: 'an observer is notified of what is passed over',
    from: "if (undecodable !== 'skip') undecodable(record, decoded.fault);",
    to: '',
  },
  {
    ...reading,
    control: 'a reading stops when it is aborted',
    from: 'signal?.throwIfAborted();',
    to: '',
  },
  {
    ...reading,
    control: 'others have a turn while a long log is read',
    from: 'if (!isFirst) await turnOfEvents();',
    to: '',
  },
  {
    ...reading,
    control: 'a record that is not wanted is not opened',
    from: 'if (wants?.(record) === false) continue;',
    to: '',
  },
  {
    control: 'a version of the buffer that cannot be read is not passed over',
    file: 'apps/buffer/src/committed-versions.ts',
    from: "undecodable: 'throw',",
    to: "undecodable: 'skip',",
    suite: 'quick',
    spec: 'apps/buffer/src/(committed-versions|restore-fold|app.module)',
  },
];
