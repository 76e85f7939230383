/** Which shard is whose, and which versions belong together, for who folds and writes no buffer: no reader of Parquet comes along. */
export { type Shard, shardName, shardOf, shardsOf, WHOLE_BUFFER } from './shard.js';
export { COMMITS_KEY, newestVersions, type ShardVersion, shardNameOf, wholeBuffer } from './shard-versions.js';
