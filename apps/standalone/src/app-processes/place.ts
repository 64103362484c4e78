import { freePorts } from '@agent-wallet/embedded';
import type { Environment, ReadyMessage } from '@agent-wallet/platform';
import type { SandboxAddresses } from '../upstreams/sandbox-addresses.js';

/** Returns the variables that give a service's next process the address of this one. */
export function placeOf({ address, operatorAddress }: Omit<ReadyMessage, 'ready'>): Environment {
  // The public API has a port; operators find the gateway where others are called.
  return operatorAddress === undefined
    ? { GRPC_ADDRESS: address }
    : { PORT: address.slice(address.lastIndexOf(':') + 1), GRPC_ADDRESS: operatorAddress };
}

/**
 * Replaces port 0 by a free port that a process can come back to: one that the system gave could go to an outgoing
 * connection while the process is away.
 */
export async function withKeptPorts(environment: Environment): Promise<Environment> {
  const { GRPC_ADDRESS: address, PORT: port } = environment;
  const [grpcPort, httpPort] = await freePorts(2);
  return {
    ...environment,
    ...(address?.endsWith(':0') ? { GRPC_ADDRESS: address.replace(/0$/, String(grpcPort)) } : {}),
    ...(port === '0' ? { PORT: String(httpPort) } : {}),
  };
}

/** Returns the variables that give the sandbox's next process the addresses of this one. */
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
