import { runProcess } from '@agent-wallet/platform';
import { startWallet, walletSettings } from './index.js';

await runProcess('wallet', () => startWallet(walletSettings()));
