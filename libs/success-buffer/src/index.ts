export { afterVersion } from './after-version.js';
export { type BufferConfig, bufferConfigSchema } from './buffer.config.js';
export type {
  BufferDecision,
  BufferInput,
  BufferRow,
  Difficulty,
  InputPosition,
  OutcomeFacts,
} from './buffer.types.js';
export {
  type BufferState,
  contradiction,
  evolve,
  initialState,
  inputRanges,
  isGroupComplete,
  rememberedCount,
  withRules,
} from './buffer-state.js';
export type { EntryFault, EntryValidator } from './candidate.js';
export { type BufferCommit, commit } from './commit.decide.js';
export { type BufferManifest, decodeManifest, encodeManifest, manifestDigest } from './manifest.js';
export { decodeRows, encodeRows, type RowFormat, rowsDigest } from './rows.js';
export {
  COMMITS_KEY,
  newestVersions,
  type Shard,
  type ShardVersion,
  shardName,
  shardNameOf,
  shardOf,
  shardsOf,
  WHOLE_BUFFER,
  wholeBuffer,
} from './shards.js';
export { type BufferSnapshot, decodeSnapshot, encodeSnapshot } from './snapshot.js';
export { encodeVersion, readVersion } from './version-files.js';
