export { type Certificate, certificateIn, certificateOf, certificateText } from './formulas/certificate.js';
export { parseTeam, type Team, teamOf } from './team.js';
export {
  assertMembers,
  loadTeam,
  readTeamManifest,
  type TeamArtefact,
  type TeamManifest,
  teamBaseDigest,
  teamFingerprint,
} from './team-artefact.js';
export { TeamEvaluation } from './team-evaluation.js';
export {
  AGENT_SWAP,
  AGENT_WARM_UP,
  SEQUENTIAL_TUNING,
  TEAM_METHOD,
  TEAM_RECIPES,
  TeamMethod,
  teamSettings,
} from './team-method.js';
export { majorityOf, type TeamRollout } from './team-rollout.js';
export { TeamRunner } from './team-runner.js';
export { sampleTeam, type TeamPrediction, type TeamSamples } from './team-samples.js';
export { ofNewStage, tuningSettings } from './tuning.config.js';
