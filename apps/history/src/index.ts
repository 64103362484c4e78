export { type HistorySettings, historySettings } from './settings.js';
export type { HistoryOverrides } from './dependencies.js';
export { startHistory } from './start.js';
export { historyMigrations } from './migrations.js';
