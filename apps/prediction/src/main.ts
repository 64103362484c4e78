import { runProcess } from '@agent-wallet/platform';
import { predictionSettings, startPrediction } from './index.js';

await runProcess('prediction', () => startPrediction(predictionSettings()));
