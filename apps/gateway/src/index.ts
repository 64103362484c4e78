export { type GatewaySettings, gatewaySettings } from './settings.js';
export { type GatewaySeams, type RunningGateway, startGateway } from './start-gateway.js';
export { gatewayMigrations } from './migrations.js';
