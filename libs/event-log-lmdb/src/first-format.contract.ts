/** What the release with format version 1 wrote, for the specs that read it. */

/** A block of topic 1, partition 0, offset 0: three records with time stamps 5, 6, 7; the last one is a tombstone. */
export const FIRST_BLOCK =
  '5345423103000000010000000000000000000000000000000000000000001c40f6fd36c200000000' +
  '290000003ec1012f000000000000000000001440010000000b000000050000006b0200010001000000680a316669727374' +
  '1e0000003dbc569e010000000000000000001840ffffffff00000000060000007365636f6e64' +
  '1a000000ad820bbc020000000000000000001c400200000000000000ffffffffc3bc';
export const FIRST_PLACE = { topicId: 1, partition: 0, baseOffset: 0 };
