// Stands behind the gateway where policy would: answers at once, over the same mutual TLS.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { policyV1 } from '@agent-wallet/contracts';
import { readFileSync } from 'node:fs';
import { listens } from '../measure/peer.mjs';

const [ca, certChain, privateKey] = process.argv.slice(2).map((path) => readFileSync(path));
const policy = {
  ...{ maxSingleTransactionUsdMicros: 123_000_000n, dailyLimitUsdMicros: 500_000_000n, allowedRecipients: [] },
  ...{ allowTrading: true, allowLiquidityProvision: true, allowPredictionMarkets: true, sessionExpirationHours: 168 },
};

const server = new Server();
const { getPolicy } = policyV1.PolicyServiceService;
server.addService({ getPolicy }, { getPolicy: (_call, reply) => reply(null, { policy }) });
const tls = ServerCredentials.createSsl(ca, [{ cert_chain: certChain, private_key: privateKey }], true);
server.bindAsync('127.0.0.1:0', tls, (error, port) => {
  if (error) throw error;
  listens(port);
});
