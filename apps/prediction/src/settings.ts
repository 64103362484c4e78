import { OPERATION_VARIABLES, operationSettings, type OperationSettings } from '@agent-wallet/operations';
import { type Environment, readSettings, setting } from '@agent-wallet/platform';

/** Settings of the prediction service. */
export interface PredictionSettings extends OperationSettings {
  readonly kalshi: KalshiSettings;
  /** By how much an order's limit may be worse than what the book shows. */
  readonly priceToleranceCents: number;
  /** The least withdrawal, unless it takes the whole balance. */
  readonly minWithdrawalCents: number;
  /** `host:port`. */
  readonly walletAddress: string;
}

/** The operator's account at the exchange. */
export interface KalshiSettings {
  /** With the API's prefix. */
  readonly baseUrl: string;
  /** The stream's; derived from the other, when omitted. */
  readonly wsUrl?: string | undefined;
  readonly apiKeyId: string;
  /** Path of the RSA key (PEM); read once, at start. */
  readonly privateKeyPath: string;
}

const DEFAULT_TOLERANCE_CENTS = 2;
const MAX_TOLERANCE_CENTS = 98;
const DEFAULT_MIN_WITHDRAWAL_CENTS = 100;
const MAX_MIN_WITHDRAWAL_CENTS = 100_000;

const VARIABLES = {
  ...OPERATION_VARIABLES,
  // The service reads no chain: what the settings name must fit the network.
  SOLANA_NETWORK: setting.network(),
  KALSHI_BASE_URL: setting.url('http', 'https'),
  KALSHI_WS_URL: setting.url('ws', 'wss').optional(),
  KALSHI_API_KEY_ID: setting.text(),
  KALSHI_PRIVATE_KEY_PATH: setting.path(),
  KALSHI_PRICE_TOLERANCE_CENTS: setting.integer({ min: 0, max: MAX_TOLERANCE_CENTS }).default(DEFAULT_TOLERANCE_CENTS),
  PREDICTION_MIN_WITHDRAWAL_CENTS: setting
    .integer({ min: 1, max: MAX_MIN_WITHDRAWAL_CENTS })
    .default(DEFAULT_MIN_WITHDRAWAL_CENTS),
  WALLET_ADDRESS: setting.address(),
};

/** Reads the settings of the prediction service from the environment. @throws SettingsError */
export function predictionSettings(env?: Environment): PredictionSettings {
  const read = readSettings(VARIABLES, env);
  return {
    ...operationSettings(read),
    kalshi: {
      baseUrl: read.KALSHI_BASE_URL,
      wsUrl: read.KALSHI_WS_URL,
      apiKeyId: read.KALSHI_API_KEY_ID,
      privateKeyPath: read.KALSHI_PRIVATE_KEY_PATH,
    },
    priceToleranceCents: read.KALSHI_PRICE_TOLERANCE_CENTS,
    minWithdrawalCents: read.PREDICTION_MIN_WITHDRAWAL_CENTS,
    walletAddress: read.WALLET_ADDRESS,
  };
}
