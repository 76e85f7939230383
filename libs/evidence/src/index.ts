export { type ExpectedEnd, expectedEnd, isEndOf } from './answer-ends.decide.js';
export { type Doubt, doubtOf, type Experience, isResult, type Result, type WrittenOrWithheld } from './doubt.decide.js';
export { Evidence, type PlacedEvent } from './evidence.js';
export { KnownExperiences } from './known-experiences.js';
export { Memory } from './memory.js';
export { placesIn, withPlace } from './places.js';
export { contentMissing, ProblemContents } from './problem-contents.js';
export { answersExperience, answersProblem, gatewayAnswers, isJudged } from './true-answers.decide.js';
export { type WrittenEnd, WrittenResults } from './written-results.js';
