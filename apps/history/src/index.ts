export { type HistorySettings, historySettings } from './settings.js';
export { type HistoryOverrides, startHistory } from './start.js';
export { historyMigrations } from './migrations.js';
