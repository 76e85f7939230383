export { type Doubt, doubtOf, type Experience, isResult, type Result } from './doubt.decide.js';
export { Evidence, type PlacedEvent } from './evidence.js';
export { Memory } from './memory.js';
export { withPlace } from './places.js';
