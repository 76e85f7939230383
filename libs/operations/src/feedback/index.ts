export {
  type FeedbackRequest,
  type GivenFeedback,
  giveFeedback,
  type WaitingAnswer,
  waitingAnswers,
} from './give-feedback.js';
