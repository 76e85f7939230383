export { answerTasks, type Tasks } from './answer-tasks.js';
export { BoundedThreads, type ThreadSettings } from './bounded-threads.js';
export { BufferLimit } from './buffer-limit.js';
export { type LimitName, limitOf, type WorkLimits } from './limits.js';
