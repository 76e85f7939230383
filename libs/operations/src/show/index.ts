export { findProblem } from './find-problem.js';
export { placeName, readStory, storyWithDoubts, type ToldStory } from './read-story.js';
