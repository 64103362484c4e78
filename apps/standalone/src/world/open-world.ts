import type { RunningService } from '@agent-wallet/platform';
import { sandboxSettings, startSandbox } from '@agent-wallet/sandbox';
import path from 'node:path';
import type { WorldAddresses } from '../infrastructure/environment.js';
import type { StandaloneSettings } from '../settings.js';

/** The outside world, reachable. */
export interface OpenWorld extends RunningService {
  readonly addresses: WorldAddresses;
  /** The sandbox's admin API; undefined in the real world. */
  readonly adminUrl: string | undefined;
}

/** Starts the sandbox, or takes the real world's addresses from the environment. */
export async function openWorld({ world, environment, dataDir }: StandaloneSettings): Promise<OpenWorld> {
  if (world.kind === 'real') {
    const addresses = {
      solanaRpcUrl: environment['SOLANA_RPC_URL']!,
      jupiterBaseUrl: environment['JUPITER_BASE_URL']!,
      smtpUrl: world.smtpUrl,
    };
    return { addresses, adminUrl: undefined, stop: async () => undefined };
  }
  const sandbox = await startSandbox(
    sandboxSettings({ SANDBOX_DATA_DIR: path.join(dataDir, 'sandbox'), ...environment }),
  );
  const addresses = {
    solanaRpcUrl: sandbox.rpcUrl,
    jupiterBaseUrl: sandbox.aggregatorUrl,
    smtpUrl: world.smtpUrl ?? sandbox.smtpUrl,
  };
  return { addresses, adminUrl: sandbox.adminUrl, stop: () => sandbox.stop() };
}
