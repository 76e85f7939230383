export { lagOf, type Status, type StatusAnswers, StatusReader, statusOf } from './status.js';
