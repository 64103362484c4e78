export { type GatewaySettings, gatewaySettings } from './settings.js';
export type { GatewayOverrides } from './dependencies.js';
export { type RunningGateway, startGateway } from './start.js';
export { gatewayMigrations } from './migrations.js';
