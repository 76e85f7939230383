/** Names of the groups whose committed offsets say how far a service has come. A buffer in shards has one group a shard, with a name below this one. */
export const GROUP = {
  generator: 'seam.generator',
  executor: 'seam.executor',
  buffer: 'seam.buffer',
  trainer: 'seam.trainer',
} as const;
