export { chosenSettings } from './chosen-settings.js';
