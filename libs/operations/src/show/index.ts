export { findProblem } from './find-problem.js';
export { placeName, readStory, type ToldStory } from './read-story.js';
