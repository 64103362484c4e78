export { type PredictionSettings, predictionSettings } from './settings.js';
export { type PredictionSeams, startPrediction } from './start.js';
export { predictionMigrations } from './migrations.js';
