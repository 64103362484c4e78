export { type PredictionSettings, predictionSettings } from './settings.js';
export { type PredictionOverrides, startPrediction } from './start.js';
export { predictionMigrations } from './migrations.js';
