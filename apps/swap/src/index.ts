export { type SwapSettings, swapSettings } from './settings.js';
export { startSwap, type SwapSeams } from './start.js';
export { swapMigrations } from './migrations.js';
