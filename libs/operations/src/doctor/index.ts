export { type Examination, examineSystem, SNAPSHOT_RECORDS } from './examine-system.js';
