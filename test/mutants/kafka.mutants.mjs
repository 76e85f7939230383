// What a broker hands out is not believed, and takes no more memory than it may.
const READER = {
  file: 'libs/event-log-kafka/src/record-set.ts',
  suite: 'quick',
  spec: 'event-log-kafka/src/record-set.spec.ts',
};
const CODECS = {
  file: 'libs/event-log-kafka/src/compression.ts',
  suite: 'quick',
  spec: 'event-log-kafka/src/compression.spec.ts',
};

export default [
  {
    control: 'a record batch whose checksum is wrong is not read',
    ...READER,
    from: 'if (computed !== expected) return',
    to: 'if (false) return',
  },
  {
    control: 'a record batch of a negative length is not read',
    ...READER,
    from: 'length >= HEADER_BYTES - LENGTH_END && length',
    to: 'length',
  },
  {
    control: 'a record ends where it says that it ends',
    ...READER,
    from: 'if (cursor.at !== end) throw',
    to: 'if (false) throw',
  },
  {
    control: 'a record batch does not hold more records than offsets',
    ...READER,
    from: 'if (count < 0 || count > lastDelta + 1 ||',
    to: 'if (',
  },
  {
    control: 'a record batch stands where it says that it stands',
    ...READER,
    from: 'if (!isOrdered ||',
    to: 'if (false && !isOrdered ||',
  },
  {
    control: 'gzip and zstd end at their output limit',
    ...CODECS,
    from: 'maxOutputLength: most',
    to: '',
  },
  {
    control: 'lz4 says how long it will be before it is decompressed',
    ...CODECS,
    from: 'if (lz4Length(bytes, most) > most) throw',
    to: 'if (false) throw',
  },
  {
    control: 'snappy says how long it will be before it is decompressed',
    ...CODECS,
    from: 'if (total > most) throw tooLarge',
    to: 'if (false) throw tooLarge',
  },
  {
    control: 'a batch is not taken by any ratio',
    ...CODECS,
    from: 'Math.max(ANY_RATIO_BYTES, compressedBytes * MAX_RATIO)',
    to: 'maxBytes',
  },
];
