export { type ListedTeam, listedTeams, readTeamFacts, type ShownTeam, teamOn } from './read-teams.js';
export type { TeamFacts, TeamStage, TeamSwap } from './team-stages.js';
