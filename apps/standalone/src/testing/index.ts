export { Deployment, type DeploymentOptions } from './deployment.js';
export { OwnerConsole } from './owner-console.js';
