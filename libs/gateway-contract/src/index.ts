export { type ErrorBody, errorBodySchema } from './error-body.js';
export {
  doctorQuerySchema,
  findQuerySchema,
  logQuerySchema,
  problemIdSchema,
  problemsQuerySchema,
  streamQuerySchema,
} from './views.js';
