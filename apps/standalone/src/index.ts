export { type EmbeddedSettings, embeddedEnvironment, worldFiles } from './embedded-environment.js';
export { bars, escapeHtml, page, table } from './report/page-pieces.js';
export { settingsOfFolder } from './run-settings.js';
export { heldOutProblems, validationProblems, writeWorldFiles } from './world-files.js';
