import { AmountError, parseUsd, type Secret, type SolanaNetwork } from '@agent-wallet/kernel';
import { OPERATION_VARIABLES, operationSettings, type OperationSettings } from '@agent-wallet/operations';
import { readSettings, setting, SettingsError } from '@agent-wallet/platform';
import { isWalletAddress, PRIORITY_FEE_LAMPORTS, webSocketUrlOf } from '@agent-wallet/solana';
import type { FeeTerms } from './domain/operator.js';

/** Settings of the wallet service. */
export interface WalletSettings extends OperationSettings {
  /** Compared with the chain's genesis hash at the start. */
  readonly solanaNetwork: SolanaNetwork;
  /** Nodes that answer together; a quorum decides. */
  readonly solanaRpcUrls: readonly string[];
  /** Endpoints that also get what is sent, and of which nothing is read. */
  readonly solanaSendUrls: readonly string[];
  /** A node's WebSocket, which says when the chain moves on. */
  readonly solanaWsUrl: string;
  /** Root of the aggregator's API, for names of tokens that have none here; undefined for none. */
  readonly jupiterBaseUrl?: string | undefined;
  readonly jupiterApiKey?: Secret<string> | undefined;
  /** Calls of the node that one replica's search for deposits makes at once. */
  readonly depositCallsInFlight: number;
  /** `host:port`. */
  readonly signerAddress: string;
  /** Base58 addresses of the operator's wallets, where it has them. */
  readonly sponsorAddress?: string | undefined;
  readonly feeWalletAddress?: string | undefined;
  readonly treasuryAddress?: string | undefined;
  /** The most that one message offers for its place in a block; 0 for none. */
  readonly maxPriorityFeeLamports: bigint;
  /** Whether the sponsor pays for agents that cannot. */
  readonly isSponsoring: boolean;
  /** The operator's fees on transfers. */
  readonly transferFees: FeeTerms;
  /** A file of what is accepted of the signer; it is not verified without. */
  readonly signerAttestationPolicyPath?: string | undefined;
}

/** All of it: the recipient of a deducted fee would get nothing. */
const MAX_TRANSFER_FEE_BPS = 10_000;

const walletAddress = () => setting.text().refine(isWalletAddress, 'must be the address of a wallet');

function isUsd(text: string): boolean {
  try {
    parseUsd(text);
    return true;
  } catch (error) {
    if (error instanceof AmountError) return false;
    throw error;
  }
}

const VARIABLES = {
  ...OPERATION_VARIABLES,
  SOLANA_NETWORK: setting.network(),
  SOLANA_RPC_URL: setting.url('http', 'https'),
  SOLANA_RPC_URLS: setting.urls('http', 'https').default([]),
  SOLANA_SEND_URLS: setting.urls('http', 'https').default([]),
  SOLANA_WS_URL: setting.url('ws', 'wss').optional(),
  JUPITER_BASE_URL: setting.url('http', 'https').optional(),
  JUPITER_API_KEY: setting.secret().optional(),
  DEPOSIT_CALLS_IN_FLIGHT: setting.integer({ min: 1, max: 256 }).default(8),
  MAX_PRIORITY_FEE_LAMPORTS: setting
    .integer({ min: 0, max: PRIORITY_FEE_LAMPORTS.most })
    .default(PRIORITY_FEE_LAMPORTS.byDefault),
  SIGNER_ADDRESS: setting.address(),
  SIGNER_ATTESTATION_POLICY_PATH: setting.path().optional(),
  SPONSOR_ADDRESS: walletAddress().optional(),
  FEE_SPONSOR: setting
    .text()
    .regex(/^(auto|off)$/, 'must be auto or off')
    .default('auto'),
  FEE_WALLET_ADDRESS: walletAddress().optional(),
  TREASURY_ADDRESS: walletAddress().optional(),
  TRANSFER_FEE_BPS: setting.integer({ min: 0, max: MAX_TRANSFER_FEE_BPS }).default(0),
  TRANSFER_FEE_FLAT_USD: setting.text().refine(isUsd, 'must be dollars with at most 6 decimals').default('0'),
};

/** Reads the settings of the wallet service from the environment. @throws SettingsError */
export function walletSettings(env?: Readonly<Record<string, string | undefined>>): WalletSettings {
  const read = readSettings(VARIABLES, env);
  if (read.JUPITER_API_KEY && !read.JUPITER_BASE_URL)
    throw new SettingsError(['JUPITER_API_KEY: needs JUPITER_BASE_URL']);
  return {
    ...operationSettings(read),
    solanaNetwork: read.SOLANA_NETWORK,
    solanaRpcUrls: [read.SOLANA_RPC_URL, ...read.SOLANA_RPC_URLS],
    solanaSendUrls: read.SOLANA_SEND_URLS,
    solanaWsUrl: read.SOLANA_WS_URL ?? webSocketUrlOf(read.SOLANA_RPC_URL),
    jupiterBaseUrl: read.JUPITER_BASE_URL,
    jupiterApiKey: read.JUPITER_API_KEY,
    depositCallsInFlight: read.DEPOSIT_CALLS_IN_FLIGHT,
    maxPriorityFeeLamports: BigInt(read.MAX_PRIORITY_FEE_LAMPORTS),
    signerAddress: read.SIGNER_ADDRESS,
    signerAttestationPolicyPath: read.SIGNER_ATTESTATION_POLICY_PATH,
    sponsorAddress: read.SPONSOR_ADDRESS,
    isSponsoring: read.FEE_SPONSOR === 'auto',
    feeWalletAddress: read.FEE_WALLET_ADDRESS,
    treasuryAddress: read.TREASURY_ADDRESS,
    transferFees: { basisPoints: read.TRANSFER_FEE_BPS, flatUsdMicros: parseUsd(read.TRANSFER_FEE_FLAT_USD) },
  };
}
