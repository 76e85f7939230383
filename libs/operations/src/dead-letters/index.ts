export {
  countByCode,
  type DeadLetter,
  type DeadLetterFilter,
  placeOf,
  type RedrivePlan,
  selectLetters,
} from './dead-letter.js';
export { readDeadLetters, readRedriven } from './read-dead-letters.js';
export { planRedriveOf, type Redrive, type RedriveOrder, redriveDeadLetters } from './redrive-dead-letters.js';
