/** Names of the groups whose committed offsets say how far a service has come. A buffer in shards has one group a shard, with a name below this one. */
export const GROUP = {
  generator: 'seam.generator',
  executor: 'seam.executor',
  buffer: 'seam.buffer',
  trainer: 'seam.trainer',
  /** Ends answers that no verifier judges. */
  settler: 'seam.executor.settler',
  /** Judges them by feedback. */
  judge: 'seam.executor.judge',
} as const;
