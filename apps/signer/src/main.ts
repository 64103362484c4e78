import { runProcess } from '@agent-wallet/platform';
import { signerSettings, startSigner } from './index.js';

await runProcess('signer', () => startSigner(signerSettings()));
