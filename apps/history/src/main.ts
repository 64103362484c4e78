import { runProcess } from '@agent-wallet/platform';
import { historySettings, startHistory } from './index.js';

await runProcess('history', () => startHistory(historySettings()));
