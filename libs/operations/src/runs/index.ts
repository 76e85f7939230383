export { type Cancelling, cancelRun } from './cancel-run.js';
