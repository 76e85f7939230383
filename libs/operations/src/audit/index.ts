export { ACTS, type ActName } from './act.decide.js';
export { type Act, readAudit } from './read-audit.js';
