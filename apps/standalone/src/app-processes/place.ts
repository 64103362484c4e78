import type { Environment, ReadyMessage } from '@agent-wallet/platform';
import type { SandboxAddresses } from '../upstreams/sandbox-addresses.js';

/** What makes a service's next process answer where this one does. */
export function placeOf({ address, operatorAddress }: Omit<ReadyMessage, 'ready'>): Environment {
  // The public API has a port; operators find the gateway where others are called.
  return operatorAddress === undefined
    ? { GRPC_ADDRESS: address }
    : { PORT: address.slice(address.lastIndexOf(':') + 1), GRPC_ADDRESS: operatorAddress };
}

/** The same for the sandbox. */
export function placeOfSandbox(addresses: SandboxAddresses): Environment {
  const { rpcUrl, wsUrl, aggregatorUrl, exchangeUrl, smtpUrl, adminUrl } = addresses;
  const urls = {
    RPC: rpcUrl,
    WS: wsUrl,
    AGGREGATOR: aggregatorUrl,
    EXCHANGE: exchangeUrl,
    SMTP: smtpUrl,
    ADMIN: adminUrl,
  };
  return Object.fromEntries(Object.entries(urls).map(([part, url]) => [`SANDBOX_${part}_PORT`, new URL(url).port]));
}
