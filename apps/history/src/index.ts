export { type HistorySettings, historySettings } from './settings.js';
export { type HistorySeams, startHistory } from './start.js';
export { historyMigrations } from './migrations.js';
