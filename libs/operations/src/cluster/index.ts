export { applyAcls, applyTopics, compareAcls, compareTopics, wantedAcls } from './cluster-changes.js';
