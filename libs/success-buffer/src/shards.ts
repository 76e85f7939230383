/** Shards of domains, and versions that belong together, for programs that write no buffer. This needs no reader of Parquet. */
export { type Shard, shardName, shardOf, shardsOf, WHOLE_BUFFER } from './shard.js';
export { COMMITS_KEY, newestVersions, type ShardVersion, shardNameOf, wholeBuffer } from './shard-versions.js';
