import type { Environment, RunningService } from '@agent-wallet/platform';
import path from 'node:path';
import type { ExchangeKey, Secrets } from '../infrastructure/secrets.js';
import type { ExchangeAccount, UpstreamAddresses } from '../infrastructure/environment.js';
import type { World } from './choose-upstreams.js';
import type { SandboxAddresses } from './sandbox-addresses.js';

/** The upstreams, reachable. */
export interface OpenUpstreams extends RunningService {
  readonly addresses: UpstreamAddresses;
  /** The sandbox's admin API; undefined in the real world. */
  readonly adminUrl: string | undefined;
}

/** The part of the settings that says which upstreams there are. */
interface UpstreamSettings {
  readonly world: World;
  readonly environment: Environment;
  readonly dataDir: string;
}

/** Starts the sandbox, or takes the real world's addresses from the environment. */
export async function openUpstreams(
  { world, environment, dataDir }: UpstreamSettings,
  { sandboxExchangeKey }: Pick<Secrets, 'sandboxExchangeKey'>,
  runSandbox: (environment: Environment) => Promise<SandboxAddresses & RunningService>,
): Promise<OpenUpstreams> {
  if (world.kind === 'real') {
    const addresses = {
      solanaRpcUrl: environment['SOLANA_RPC_URL']!,
      jupiterBaseUrl: environment['JUPITER_BASE_URL'] || undefined,
      exchange: world.parts.includes('predictions') ? exchangeOf(environment) : undefined,
      smtpUrl: world.smtpUrl,
      parts: world.parts,
      isSandbox: false,
    };
    return { addresses, adminUrl: undefined, stop: async () => undefined };
  }
  const sandbox = await runSandbox({
    SANDBOX_DATA_DIR: path.join(dataDir, 'sandbox'),
    ...exchangeKeyOf(sandboxExchangeKey),
    ...environment,
  });
  const addresses = {
    solanaRpcUrl: sandbox.rpcUrl,
    jupiterBaseUrl: sandbox.aggregatorUrl,
    exchange: accountAt(sandbox.exchangeUrl, sandboxExchangeKey),
    smtpUrl: world.smtpUrl ?? sandbox.smtpUrl,
    parts: world.parts,
    sandboxAdminUrl: sandbox.adminUrl,
    isSandbox: true,
  };
  return { addresses, adminUrl: sandbox.adminUrl, stop: () => sandbox.stop() };
}

function exchangeOf(environment: Environment): ExchangeAccount {
  return {
    baseUrl: environment['KALSHI_BASE_URL']!,
    apiKeyId: environment['KALSHI_API_KEY_ID']!,
    privateKeyPath: environment['KALSHI_PRIVATE_KEY_PATH']!,
  };
}

/** Returns the variables that give the sandbox's exchange the key whose requests it accepts. */
export function exchangeKeyOf({ id, publicKeyPath }: ExchangeKey): Environment {
  return { SANDBOX_EXCHANGE_KEY_ID: id, SANDBOX_EXCHANGE_PUBLIC_KEY_PATH: publicKeyPath };
}

/** Returns our account at the sandbox's exchange. */
export function accountAt(baseUrl: string, { id, privateKeyPath }: ExchangeKey): ExchangeAccount {
  return { baseUrl, apiKeyId: id, privateKeyPath };
}
