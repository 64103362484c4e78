import { consoleSettings } from '@agent-wallet/console/settings';
import { gatewaySettings } from '@agent-wallet/gateway';
import { historySettings } from '@agent-wallet/history';
import type { Environment } from '@agent-wallet/platform';
import { policySettings } from '@agent-wallet/policy';
import { predictionSettings } from '@agent-wallet/prediction';
import { signerSettings } from '@agent-wallet/signer';
import { swapSettings } from '@agent-wallet/swap';
import { walletSettings } from '@agent-wallet/wallet';
import type { Service } from '../../src/infrastructure/infrastructure.js';

/** Reads the settings of each server of a deployment: the services, and the owners' console. */
export const READERS: Record<Service | 'console', (environment: Environment) => unknown> = {
  gateway: gatewaySettings,
  wallet: walletSettings,
  swap: swapSettings,
  prediction: predictionSettings,
  policy: policySettings,
  signer: signerSettings,
  history: historySettings,
  console: consoleSettings,
};

/** The names of all servers of a deployment. */
export const SERVERS = Object.keys(READERS) as ReadonlyArray<keyof typeof READERS>;
