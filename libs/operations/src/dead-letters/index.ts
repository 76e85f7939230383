export {
  countByCode,
  type DeadLetter,
  type DeadLetterFilter,
  placeOf,
  planRedrive,
  type RedrivePlan,
  selectLetters,
} from './dead-letter.js';
export { readDeadLetters, readRedriven } from './read-dead-letters.js';
