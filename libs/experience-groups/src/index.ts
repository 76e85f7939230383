export {
  type AttemptResult,
  compareDefiniteness,
  definiteResults,
  type GroupStanding,
  isAttemptResult,
  isComplete,
  settledAs,
  standingOfGroup,
} from './experience-group.js';
