export { type FetchedModel, fetchModel, type PushedModel, pushModel } from './exchange-models.js';
