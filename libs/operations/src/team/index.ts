export { type PublishedPreferences, publishPreferences } from './publish-preferences.js';
export { type ListedTeam, listedTeams, readTeamFacts, type ShownTeam, teamOn } from './read-teams.js';
export type { TeamFacts, TeamStage, TeamSwap, TeamWarmUp } from './team-stages.js';
