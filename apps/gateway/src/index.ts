export { type GatewaySettings, gatewaySettings } from './settings.js';
export { type GatewayOverrides, type RunningGateway, startGateway } from './start.js';
export { gatewayMigrations } from './migrations.js';
