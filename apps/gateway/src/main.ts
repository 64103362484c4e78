import { runProcess } from '@agent-wallet/platform';
import { gatewaySettings, startGateway } from './index.js';

await runProcess('gateway', () => startGateway(gatewaySettings()));
