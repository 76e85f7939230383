export { ACTS, type Act, type ActName, CHANGES } from './act.decide.js';
export { byTimeAndPlace } from './newest-acts.js';
export { type AuditWanted, actAt, readAudit, readNewestActs } from './read-audit.js';
