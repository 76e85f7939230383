/** First words of the addresses of the dashboard's pages: the gateway serves them, and the dashboard has a page for each. */
export const DASHBOARD_PAGES = [
  '',
  'problems',
  'adapters',
  'releases',
  'training',
  'libraries',
  'teams',
  'self-edits',
  'buffer',
  'log',
  'dead-letters',
  'access',
  'requests',
  'cost',
  'doctor',
] as const;

export type DashboardPage = (typeof DASHBOARD_PAGES)[number];
