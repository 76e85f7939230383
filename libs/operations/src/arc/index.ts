export { type GeneratedRow, type GenerateRequest, generateRows } from './generate-rows.js';
export {
  type ArmFigures,
  GRID_ARMS,
  type GridReport,
  gridReport,
  type RecordedAttempt,
  SWITCHES,
  type Switch,
} from './grid-report.js';
export { readGridAttempts } from './read-attempts.js';
