export { ACTS, type ActName, CHANGES } from './act.decide.js';
export { type Act, type AuditWanted, actAt, readAudit } from './read-audit.js';
