export { checkDeployment, type DeploymentCheck } from './check-deployment.js';
