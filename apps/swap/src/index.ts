export { type SwapSettings, swapSettings } from './settings.js';
export type { SwapOverrides } from './dependencies.js';
export { startSwap } from './start.js';
export { swapMigrations } from './migrations.js';
