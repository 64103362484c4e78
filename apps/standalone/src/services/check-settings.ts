import { gatewaySettings } from '@agent-wallet/gateway/settings';
import { historySettings } from '@agent-wallet/history/settings';
import { checkSettings, type Environment, SettingsError } from '@agent-wallet/platform';
import { policySettings } from '@agent-wallet/policy/settings';
import { predictionSettings } from '@agent-wallet/prediction/settings';
import { sandboxSettings, UnusableSettings } from '@agent-wallet/sandbox/settings';
import { signerSettings } from '@agent-wallet/signer/settings';
import { swapSettings } from '@agent-wallet/swap/settings';
import { walletSettings } from '@agent-wallet/wallet/settings';

const READERS = [
  gatewaySettings,
  walletSettings,
  swapSettings,
  predictionSettings,
  policySettings,
  historySettings,
  signerSettings,
  ofSandbox,
];

/** Checks every variable that a person has set, before anything is created. @throws SettingsError */
export function checkSettingsOfAll(environment: Environment): void {
  checkSettings(READERS, environment);
}

/** Checks the sandbox's settings. The sandbox depends on no library of the services, so its error has another type. */
function ofSandbox(environment: Environment): void {
  try {
    sandboxSettings(environment);
  } catch (error) {
    throw error instanceof UnusableSettings ? new SettingsError(error.problems) : error;
  }
}
