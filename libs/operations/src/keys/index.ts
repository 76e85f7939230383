export { type GeneratedKey, generateKeyFiles } from './generate-key-files.js';
