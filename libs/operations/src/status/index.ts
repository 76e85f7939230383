export { type Status, StatusReader } from './status.js';
