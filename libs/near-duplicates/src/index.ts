export { NearDuplicateClusters } from './clusters.js';
