export { type AdapterDecision, type DecisionResult, decideOnAdapter } from './act-on-adapters.js';
export type { AdapterWorld, BaseModel } from './adapter-world.js';
export {
  type ExportedAdapter,
  exportAdapter,
  importAdapter,
  mergeIntoFolder,
  type PeftFiles,
} from './exchange-adapters.js';
export { BASE, findAdapter, loadAdapter, SERVED } from './find-adapter.js';
export { assertSaysSomething, openWhole } from './prove-artefact.js';
export { fingerprintText } from './published-adapter.js';
export { type VerifiedFact, verifyFacts } from './verify-facts.js';
