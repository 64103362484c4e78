import { runProcess } from '@agent-wallet/platform';
import { gatewaySettings, startGateway } from './index.js';

await runProcess(() => startGateway(gatewaySettings()));
