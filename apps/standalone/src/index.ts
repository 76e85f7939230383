export { type EmbeddedSettings, embeddedEnvironment, worldFiles } from './embedded-environment.js';
export { heldOutProblems, validationProblems, writeWorldFiles } from './world-files.js';
