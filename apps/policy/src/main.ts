import { runProcess } from '@agent-wallet/platform';
import { policySettings, startPolicy } from './index.js';

await runProcess('policy', () => startPolicy(policySettings()));
