export { type AgainstBase, againstBase, type WriterAnswers } from './against-base.js';
export { findProblem } from './find-problem.js';
export { readStory, storyWithDoubts } from './read-story.js';
export { placeName, type ToldStory } from './told-story.js';
