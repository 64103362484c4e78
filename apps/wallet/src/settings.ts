import type { Secret } from '@agent-wallet/kernel';
import { type PostgresConnection, readSettings, setting, type TlsPaths } from '@agent-wallet/platform';

/** What the wallet service needs to know. */
export interface WalletSettings {
  /** `host:port` to listen on; port 0 takes a free one. */
  readonly grpcAddress: string;
  readonly database: PostgresConnection;
  readonly tls: TlsPaths;
  readonly logLevel: string;
  readonly solanaRpcUrl: string;
  /** Root of the aggregator's API, for prices. */
  readonly jupiterBaseUrl: string;
  readonly jupiterApiKey?: Secret<string> | undefined;
  /** The oldest price that is shown, in milliseconds. */
  readonly priceMaxAgeMs: number;
  /** `host:port` of policy and of the signer. */
  readonly policyAddress: string;
  readonly signerAddress: string;
  /** Base58 addresses of the operator's wallets, where it has them. */
  readonly sponsorAddress?: string | undefined;
  readonly feeWalletAddress?: string | undefined;
  /** For fault tests: the place at which the process kills itself. Never set in production. */
  readonly crashAt?: string | undefined;
}

const DEFAULT_PRICE_MAX_AGE_SECONDS = 60;

/** Reads the settings of the wallet service from the environment. @throws SettingsError */
export function walletSettings(env?: Readonly<Record<string, string | undefined>>): WalletSettings {
  const read = readSettings(
    {
      GRPC_ADDRESS: setting.address(),
      DATABASE_URL: setting.postgres(),
      TLS_CA_PATH: setting.path(),
      TLS_CERT_PATH: setting.path(),
      TLS_KEY_PATH: setting.path(),
      LOG_LEVEL: setting.text().default('info'),
      SOLANA_RPC_URL: setting.url('http', 'https'),
      JUPITER_BASE_URL: setting.url('http', 'https'),
      JUPITER_API_KEY: setting.secret().optional(),
      PRICE_MAX_AGE_SECONDS: setting.integer({ min: 1, max: 3_600 }).default(DEFAULT_PRICE_MAX_AGE_SECONDS),
      POLICY_ADDRESS: setting.address(),
      SIGNER_ADDRESS: setting.address(),
      SPONSOR_ADDRESS: setting.text().optional(),
      FEE_WALLET_ADDRESS: setting.text().optional(),
      CRASH_AT: setting.text().optional(),
      NODE_ENV: setting.text().default(''),
    },
    env,
  );
  return {
    grpcAddress: read.GRPC_ADDRESS,
    database: read.DATABASE_URL,
    tls: { caPath: read.TLS_CA_PATH, certPath: read.TLS_CERT_PATH, keyPath: read.TLS_KEY_PATH },
    logLevel: read.LOG_LEVEL,
    solanaRpcUrl: read.SOLANA_RPC_URL,
    jupiterBaseUrl: read.JUPITER_BASE_URL,
    jupiterApiKey: read.JUPITER_API_KEY,
    priceMaxAgeMs: read.PRICE_MAX_AGE_SECONDS * 1_000,
    policyAddress: read.POLICY_ADDRESS,
    signerAddress: read.SIGNER_ADDRESS,
    sponsorAddress: read.SPONSOR_ADDRESS,
    feeWalletAddress: read.FEE_WALLET_ADDRESS,
    crashAt: read.NODE_ENV === 'production' ? undefined : read.CRASH_AT,
  };
}
