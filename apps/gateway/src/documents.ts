export { agentRoutes, ownerRoutes, ROUTES } from './api/routes.js';
export { modelTools } from './http/docs/model-tools.js';
export { openApiDocument } from './http/docs/open-api.js';
