import { gatewaySettings, startGateway } from '@agent-wallet/gateway';
import { historySettings, startHistory } from '@agent-wallet/history';
import { type Environment, type RunningService, SettingsError } from '@agent-wallet/platform';
import { policySettings, startPolicy } from '@agent-wallet/policy';
import { predictionSettings, startPrediction } from '@agent-wallet/prediction';
import { CannotListen, sandboxSettings, startSandbox } from '@agent-wallet/sandbox';
import { startSwap, swapSettings } from '@agent-wallet/swap';
import { startWallet, walletSettings } from '@agent-wallet/wallet';
import type { Service } from '../infrastructure/infrastructure.js';
import type { SandboxAddresses } from '../upstreams/sandbox-addresses.js';
import type { StartedService } from './started-service.js';

/** Starts a service in this process; the signer never shares its memory. */
export const SERVICES_HERE: Record<
  Exclude<Service, 'signer'>,
  (environment: Environment) => Promise<StartedService>
> = {
  gateway: (environment) => startGateway(gatewaySettings(environment)),
  wallet: (environment) => startWallet(walletSettings(environment)),
  swap: (environment) => startSwap(swapSettings(environment)),
  prediction: (environment) => startPrediction(predictionSettings(environment)),
  policy: (environment) => startPolicy(policySettings(environment)),
  history: (environment) => startHistory(historySettings(environment)),
};

/** Starts the sandbox in this process. @throws SettingsError when a port is in use */
export async function sandboxHere(environment: Environment): Promise<SandboxAddresses & RunningService> {
  try {
    return await startSandbox(sandboxSettings(environment));
  } catch (error) {
    throw error instanceof CannotListen ? new SettingsError([error.message]) : error;
  }
}
