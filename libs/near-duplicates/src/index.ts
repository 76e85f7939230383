export { NearDuplicateClusters } from './clusters.js';
export { jaccard, sharedRuns, shingleSet } from './shingles.js';
