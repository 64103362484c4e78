import type { SolanaNetwork } from '@agent-wallet/kernel';
import { type Environment, readSettings, setting } from '@agent-wallet/platform';

/** Settings of the console's server. */
export interface ConsoleSettings {
  /** `host:port` to listen at. */
  readonly address: string;
  /** Base URL of the gateway's public API, as browsers reach it. */
  readonly apiUrl: string;
  readonly network: SolanaNetwork;
  /** Admin API of a sandbox, for test money; undefined elsewhere. */
  readonly sandboxAdminUrl: string | undefined;
  readonly logLevel: string;
}

/** Reads the settings from the environment. @throws SettingsError */
export function consoleSettings(environment?: Environment): ConsoleSettings {
  const env = readSettings(
    {
      CONSOLE_ADDRESS: setting.address().default('0.0.0.0:8081'),
      API_URL: setting.url('http', 'https'),
      SOLANA_NETWORK: setting.network().default('mainnet-beta'),
      SANDBOX_ADMIN_URL: setting.url('http', 'https').optional(),
      LOG_LEVEL: setting.text().default('info'),
    },
    environment,
  );
  return {
    address: env.CONSOLE_ADDRESS,
    apiUrl: env.API_URL,
    network: env.SOLANA_NETWORK,
    sandboxAdminUrl: env.SANDBOX_ADMIN_URL,
    logLevel: env.LOG_LEVEL,
  };
}
