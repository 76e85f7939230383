export { type ErrorBody, errorBodySchema } from './error-body.js';
