export { ACTS, type ActName, CHANGES } from './act.decide.js';
export { type Act, type AuditWanted, actAt, readAudit, readNewestActs } from './read-audit.js';
