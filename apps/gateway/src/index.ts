import { fileURLToPath } from 'node:url';

export { type GatewaySettings, gatewaySettings } from './settings.js';
export { type GatewaySeams, type RunningGateway, startGateway } from './start-gateway.js';

/** The gateway's schema, and where its migrations lie. */
export const gatewayMigrations = {
  schema: 'gateway',
  directory: fileURLToPath(new URL('../prisma/migrations', import.meta.url)),
} as const;
