export {
  type AttemptResult,
  areJudgedAlike,
  compareDefiniteness,
  definiteResults,
  type GroupStanding,
  isAttemptResult,
  isComplete,
  settledAs,
  standingOfGroup,
} from './experience-group.js';
