export { checkDeployment, type DeploymentCheck } from './check-deployment.js';
export type { SettingsReader } from './refused-settings.js';
