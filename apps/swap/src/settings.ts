import { isRealMoney, type Secret, type SolanaNetwork } from '@agent-wallet/kernel';
import { OPERATION_VARIABLES, operationSettings, type OperationSettings } from '@agent-wallet/operations';
import { readSettings, setting } from '@agent-wallet/platform';
import { PRIORITY_FEE_LAMPORTS, webSocketUrlOf } from '@agent-wallet/solana';
import type { OfferLimits } from './application/check-offer.js';

/** Path on which the aggregator takes orders: both generations land transactions privately. */
export type SwapPath = '/swap/v2' | '/ultra/v1';

/** Settings of the swap service. */
export interface SwapSettings extends OperationSettings {
  /** Compared with the chain's genesis hash at the start. */
  readonly solanaNetwork: SolanaNetwork;
  /** Nodes that answer together; a quorum decides. */
  readonly solanaRpcUrls: readonly string[];
  /** Endpoints that also get what is sent, and of which nothing is read. */
  readonly solanaSendUrls: readonly string[];
  /** A node's WebSocket, which says when the chain moves on. */
  readonly solanaWsUrl: string;
  /** Root of the aggregator's API. */
  readonly jupiterBaseUrl: string;
  readonly jupiterSwapPath: SwapPath;
  readonly jupiterApiKey?: Secret<string> | undefined;
  /** Requests that all copies of the service together may send to the aggregator in a minute. */
  readonly jupiterRequestsPerMinute: number;
  readonly limits: OfferLimits;
  /** The most that a message of this service's own offers for its place in a block; 0 for none. */
  readonly maxPriorityFeeLamports: bigint;
  /** Root of the API in which the liquidity venue lists its pools. */
  readonly raydiumApiUrl: string;
  /** `host:port` of the signer and of the wallet service. */
  readonly signerAddress: string;
  readonly walletAddress: string;
  /** A file of what is accepted of the signer; it is not verified without. */
  readonly signerAttestationPolicyPath?: string | undefined;
}

const SWAP_PATHS: readonly string[] = ['/swap/v2', '/ultra/v1'] satisfies readonly SwapPath[];
/** Half of what the aggregator's free plan allows; policy's prices have 24 of the other half. */
const DEFAULT_REQUESTS_PER_MINUTE = 30;
/** A dry run with its two requests fits into half of it. */
const MIN_REQUESTS_PER_MINUTE = 4;
const MAX_REQUESTS_PER_MINUTE = 1_000_000;
/** Limit of policy and the signer as well: raise all three together. */
const DEFAULT_NETWORK_LAMPORTS = 5_000_000;
const MAX_NETWORK_LAMPORTS = 1_000_000_000;

const VARIABLES = {
  ...OPERATION_VARIABLES,
  SOLANA_NETWORK: setting.network(),
  SOLANA_RPC_URL: setting.url('http', 'https'),
  SOLANA_RPC_URLS: setting.urls('http', 'https').default([]),
  SOLANA_SEND_URLS: setting.urls('http', 'https').default([]),
  SOLANA_WS_URL: setting.url('ws', 'wss').optional(),
  JUPITER_BASE_URL: setting.url('http', 'https'),
  JUPITER_SWAP_PATH: setting
    .text()
    .refine(
      (path) => SWAP_PATHS.includes(path),
      'must be /swap/v2 or /ultra/v1: no other path lands transactions privately, out of reach of front-runners',
    )
    .default('/swap/v2'),
  JUPITER_API_KEY: setting.secret().optional(),
  JUPITER_REQUESTS_PER_MINUTE: setting
    .integer({ min: MIN_REQUESTS_PER_MINUTE, max: MAX_REQUESTS_PER_MINUTE })
    .default(DEFAULT_REQUESTS_PER_MINUTE),
  RAYDIUM_API_URL: setting.url('http', 'https').optional(),
  SWAP_ALLOW_COSIGNED: setting.flag().default(false),
  SWAP_MAX_NETWORK_FEE_LAMPORTS: setting
    .integer({ min: 0, max: MAX_NETWORK_LAMPORTS })
    .default(DEFAULT_NETWORK_LAMPORTS),
  MAX_PRIORITY_FEE_LAMPORTS: setting
    .integer({ min: 0, max: PRIORITY_FEE_LAMPORTS.most })
    .default(PRIORITY_FEE_LAMPORTS.byDefault),
  SIGNER_ADDRESS: setting.address(),
  SIGNER_ATTESTATION_POLICY_PATH: setting.path().optional(),
  WALLET_ADDRESS: setting.address(),
};

/** Returns the venue's own API; the sandbox serves it under that of its aggregator. */
function raydiumApiUrlOf(read: { readonly SOLANA_NETWORK: SolanaNetwork; readonly JUPITER_BASE_URL: string }): string {
  if (isRealMoney(read.SOLANA_NETWORK)) return 'https://api-v3.raydium.io';
  return `${read.JUPITER_BASE_URL.replace(/\/+$/, '')}/raydium`;
}

/** Reads the settings of the swap service from the environment. @throws SettingsError */
export function swapSettings(env?: Readonly<Record<string, string | undefined>>): SwapSettings {
  const read = readSettings(VARIABLES, env);
  return {
    ...operationSettings(read),
    solanaNetwork: read.SOLANA_NETWORK,
    solanaRpcUrls: [read.SOLANA_RPC_URL, ...read.SOLANA_RPC_URLS],
    solanaSendUrls: read.SOLANA_SEND_URLS,
    solanaWsUrl: read.SOLANA_WS_URL ?? webSocketUrlOf(read.SOLANA_RPC_URL),
    jupiterBaseUrl: read.JUPITER_BASE_URL,
    jupiterSwapPath: read.JUPITER_SWAP_PATH as SwapPath,
    jupiterApiKey: read.JUPITER_API_KEY,
    jupiterRequestsPerMinute: read.JUPITER_REQUESTS_PER_MINUTE,
    limits: {
      allowsCosigned: read.SWAP_ALLOW_COSIGNED,
      maxNetworkLamports: BigInt(read.SWAP_MAX_NETWORK_FEE_LAMPORTS),
    },
    maxPriorityFeeLamports: BigInt(read.MAX_PRIORITY_FEE_LAMPORTS),
    raydiumApiUrl: read.RAYDIUM_API_URL ?? raydiumApiUrlOf(read),
    signerAddress: read.SIGNER_ADDRESS,
    signerAttestationPolicyPath: read.SIGNER_ATTESTATION_POLICY_PATH,
    walletAddress: read.WALLET_ADDRESS,
  };
}
