export { type ListedTeam, listedTeams, readTeamFacts, type ShownTeam, teamOn } from './read-teams.js';
export type { TeamFacts, TeamStage } from './team-stages.js';
