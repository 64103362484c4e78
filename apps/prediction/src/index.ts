export { type PredictionSettings, predictionSettings } from './settings.js';
export type { PredictionOverrides } from './dependencies.js';
export { startPrediction } from './start.js';
export { predictionMigrations } from './migrations.js';
