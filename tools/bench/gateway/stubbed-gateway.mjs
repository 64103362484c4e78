// The gateway as it is, told by its environment what every gateway is told, with policy answering inside of it: between
// an agent and policy's port nothing is left out, and nothing beyond that port is there.
import { gatewaySettings, startGateway } from '@agent-wallet/gateway';
import { listens } from '../measure/peer.mjs';

const POLICY = {
  ...{ maxSingleTransactionUsdMicros: 123_000_000n, dailyLimitUsdMicros: 500_000_000n, allowedRecipients: [] },
  ...{ allowTrading: true, allowLiquidityProvision: true, allowPredictionMarkets: true, sessionExpirationHours: 168 },
};

const policy = { policy: async () => POLICY, reach: async () => {} };
const { port } = await startGateway(gatewaySettings(), { policy });
listens(port);
