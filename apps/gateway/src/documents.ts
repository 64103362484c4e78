export { agentRoutes, ownerRoutes, ROUTES } from './api/routes.js';
export { openApiDocument } from './http/docs/open-api.js';
