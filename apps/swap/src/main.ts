import { runProcess } from '@agent-wallet/platform';
import { startSwap, swapSettings } from './index.js';

await runProcess('swap', () => startSwap(swapSettings()));
