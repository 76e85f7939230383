export { onlineLevel } from './online-levels.js';
export { fewestProblems, logPairedEvidence, type PairedCounts } from './paired-evidence.js';
