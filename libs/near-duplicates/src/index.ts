export { NearDuplicateClusters } from './clusters.js';
export { sharedRuns } from './shingles.js';
