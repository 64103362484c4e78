import {
  CLIENT_TLS_VARIABLES,
  clientTls,
  type ClientTlsPaths,
  type Environment,
  readSettings,
  setting,
  SettingsError,
} from '@agent-wallet/platform';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Addresses of the services, and the certificate of the name `ops`. */
export interface OpsSettings {
  readonly tls: ClientTlsPaths;
  readonly policyAddress: string;
  readonly walletAddress: string;
  /** Undefined in a deployment without trading and liquidity. */
  readonly swapAddress?: string | undefined;
  /** Undefined in a deployment without predictions. */
  readonly predictionAddress?: string | undefined;
  readonly gatewayAddress: string;
  readonly historyAddress: string;
}

/** Name of the file that a standalone deployment writes into its folder while it runs. */
export const OPS_FILE = 'ops.json';

/**
 * Reads the settings from the environment, or, where it does not name the services, from the file of the standalone
 * deployment in DATA_DIR.
 * @throws SettingsError
 */
export async function opsSettings(environment: Environment): Promise<OpsSettings> {
  const settings = readSettings(
    {
      POLICY_ADDRESS: setting.address(),
      WALLET_ADDRESS: setting.address(),
      SWAP_ADDRESS: setting.address().optional(),
      PREDICTION_ADDRESS: setting.address().optional(),
      GATEWAY_GRPC_ADDRESS: setting.address(),
      HISTORY_ADDRESS: setting.address(),
      ...CLIENT_TLS_VARIABLES,
    },
    environment['POLICY_ADDRESS'] ? environment : await standaloneEnvironment(environment['DATA_DIR'] || '.data'),
  );
  return {
    tls: clientTls(settings),
    policyAddress: settings.POLICY_ADDRESS,
    walletAddress: settings.WALLET_ADDRESS,
    swapAddress: settings.SWAP_ADDRESS,
    predictionAddress: settings.PREDICTION_ADDRESS,
    gatewayAddress: settings.GATEWAY_GRPC_ADDRESS,
    historyAddress: settings.HISTORY_ADDRESS,
  };
}

/** Address of the signer, which only the commands for keys call. */
export interface SignerPlace {
  readonly tls: ClientTlsPaths;
  readonly signerAddress: string;
}

/** Reads the settings for the signer alone. @throws SettingsError */
export async function signerPlace(environment: Environment): Promise<SignerPlace> {
  const settings = readSettings(
    {
      SIGNER_ADDRESS: setting.address(),
      ...CLIENT_TLS_VARIABLES,
    },
    environment['SIGNER_ADDRESS'] ? environment : await standaloneEnvironment(environment['DATA_DIR'] || '.data'),
  );
  return {
    tls: clientTls(settings),
    signerAddress: settings.SIGNER_ADDRESS,
  };
}

/** Reads the file of the standalone deployment. @throws SettingsError when it cannot be read */
export async function standaloneEnvironment(dataDir: string): Promise<Environment> {
  const file = path.join(dataDir, OPS_FILE);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Environment;
  } catch {
    throw new SettingsError([
      `POLICY_ADDRESS is not set and ${file} cannot be read: start the wallet (npm start), set DATA_DIR to its folder, ` +
        'or set {POLICY,WALLET,SWAP,PREDICTION,HISTORY}_ADDRESS, GATEWAY_GRPC_ADDRESS and TLS_{CA,CLIENT_CERT,CLIENT_KEY}_PATH',
    ]);
  }
}
