export { type LogFacts, readFacts } from './read-facts.js';
