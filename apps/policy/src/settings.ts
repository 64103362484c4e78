import { LEAST_READS_PER_MINUTE } from './adapters/shared-price-source.js';
import { EVENT_STREAM_VARIABLES, type EventStreamSettings, eventStreamSettings } from '@agent-wallet/events';
import type { Secret, SolanaNetwork } from '@agent-wallet/kernel';
import {
  type PeggedTokens,
  PYTH_PROGRAMS,
  type PythSettings,
  readPeggedTokens,
  sourceProblems,
} from '@agent-wallet/prices';
import {
  type Environment,
  readSettings,
  SettingsError,
  type SettingsOf,
  SERVICE_VARIABLES,
  serviceSettings,
  type ServiceSettings,
  setting,
} from '@agent-wallet/platform';
import { isAddress, isWalletAddress } from '@agent-wallet/solana';
import { type OwnerSettings, rpIdProblem } from './domain/owners/owner-settings.js';
import type { SponsorshipBounds } from './domain/sponsorship.js';
import type { SwapTerms } from './domain/swap-terms.js';

/** Sponsorship that policy permits to the operator's sponsor. */
export interface SponsorSettings extends SponsorshipBounds {
  /** Base58; nothing is sponsored when omitted. */
  readonly address?: string | undefined;
}

/** The operator's treasury, which holds what agents pay for orders. */
export interface TreasurySettings {
  /** Base58; nothing goes there or comes from there when omitted. */
  readonly address?: string | undefined;
  /** The most that it pays to all agents in a rolling 24 hours, in base units of USDC. */
  readonly maxPayoutsPerDay: bigint;
  /** The most moves that agents of one mailbox start in a rolling 24 hours: buys, and payouts that refund no buy. */
  readonly maxMovesPerAgentDay: number;
}

/** Settings of policy. */
export interface PolicySettings extends ServiceSettings {
  /** The stream of its events. */
  readonly stream: EventStreamSettings;
  /** Compared with the chain's genesis hash at the start. */
  readonly solanaNetwork: SolanaNetwork;
  /** Policy only reads there. */
  /** Nodes that answer together; a quorum decides. */
  readonly solanaRpcUrls: readonly string[];
  /** Root of the price API; without one, prices come from Pyth and from the pegged tokens. */
  readonly jupiterBaseUrl?: string | undefined;
  readonly jupiterApiKey?: Secret<string> | undefined;
  /** Folder of permit keys: `<key id>.pem`, PKCS #8. */
  readonly permitKeysPath: string;
  /** The current permit key; the last by name when omitted. */
  readonly permitKeyId?: string | undefined;
  /** File of recipients that get no payments, one address a line; none are screened when omitted. */
  readonly screenedRecipientsPath?: string | undefined;
  /** `host:port` of the signer; only needed to verify it. */
  readonly signerAddress?: string | undefined;
  /** A file of what is accepted of the signer; it is not verified without. */
  readonly signerAttestationPolicyPath?: string | undefined;
  /** The oldest price that counts. */
  readonly priceMaxAgeMs: number;
  /** Most calls of the price API in any minute, by all services and replicas together. */
  readonly priceReadsPerMinute: number;
  /** The least liquidity behind a price that counts, in whole dollars. */
  readonly minLiquidityUsd: bigint;
  /** The oracle that must agree with the price API, or stands in for it; undefined for none. */
  readonly pyth: PythSettings | undefined;
  /** Tokens that count one US dollar, without a price API alone. */
  readonly peggedTokens?: PeggedTokens | undefined;
  /** Number of blocks that a node may lag before a message is taken for dead too early. */
  readonly deathMarginBlocks: number;
  readonly sponsor: SponsorSettings;
  readonly swaps: SwapTerms;
  /** Base58 address of the operator's fee wallet; no operator's fee is permitted when omitted. */
  readonly feeWalletAddress?: string | undefined;
  readonly treasury: TreasurySettings;
  /** Settings of the owners' console; agents have no owners when omitted. */
  readonly owners?: OwnerSettings | undefined;
  /** Whether an agent without an owner only reads and receives. */
  readonly requiresOwner: boolean;
}

const DEFAULT_PRICE_MAX_AGE_SECONDS = 60;
/** Buying a token's price up or down by half costs about a fifth of the liquidity behind it. */
const DEFAULT_MIN_LIQUIDITY_USD = 10_000;
/** Leaves 36 of the 60 requests a minute of the aggregator's free plan to trades and names of tokens. */
const DEFAULT_PRICE_READS_PER_MINUTE = 24;
const MAX_PRICE_READS_PER_MINUTE = 6_000;
/** Three times the time in which Pyth's own feeds are updated at the latest. */
const DEFAULT_PYTH_MAX_AGE_SECONDS = 180;
/** Half a minute of blocks, on top of the half minute that finality takes. */
const DEFAULT_EXPIRY_MARGIN_BLOCKS = 64;

const DEFAULT_SPONSOR_LAMPORTS_PER_TRANSACTION = 5_000_000;
const DEFAULT_SPONSOR_LAMPORTS_PER_AGENT_DAY = 10_000_000;
const DEFAULT_SPONSOR_LAMPORTS_PER_DAY = 1_000_000_000;
const DEFAULT_SPONSORED_ACCOUNTS_PER_AGENT_DAY = 3;

const DEFAULT_SWAP_NETWORK_LAMPORTS = 5_000_000;

const DEFAULT_TREASURY_PAYOUT_DAILY_LIMIT_USD = 100_000;
/** Half a million lamports of network fees a day and mailbox. */
const DEFAULT_TREASURY_MOVES_PER_AGENT_DAY = 100;
const USDC_BASE_UNITS = 1_000_000n;

const DEFAULT_CLAIM_DELAY_HOURS = 24;

const lamports = () => setting.integer({ min: 0, max: 999_999_999_999_999 });
const walletAddress = () => setting.text().refine(isWalletAddress, 'must be the base58 address of a wallet');

const program = () => setting.text().refine(isAddress, 'must be the base58 address of a program');

const SPONSOR_VARIABLES = {
  SPONSOR_ADDRESS: walletAddress().optional(),
  SPONSOR_MAX_LAMPORTS_PER_TRANSACTION: lamports().default(DEFAULT_SPONSOR_LAMPORTS_PER_TRANSACTION),
  SPONSOR_MAX_LAMPORTS_PER_AGENT_DAY: lamports().default(DEFAULT_SPONSOR_LAMPORTS_PER_AGENT_DAY),
  SPONSOR_MAX_LAMPORTS_PER_DAY: lamports().default(DEFAULT_SPONSOR_LAMPORTS_PER_DAY),
  SPONSORED_NEW_ACCOUNTS_PER_AGENT_DAY: setting
    .integer({ min: 0, max: 1_000_000 })
    .default(DEFAULT_SPONSORED_ACCOUNTS_PER_AGENT_DAY),
};

const VARIABLES = {
  ...SERVICE_VARIABLES,
  ...EVENT_STREAM_VARIABLES,
  SOLANA_NETWORK: setting.network(),
  SOLANA_RPC_URL: setting.url('http', 'https'),
  SOLANA_RPC_URLS: setting.urls('http', 'https').default([]),
  JUPITER_BASE_URL: setting.url('http', 'https').optional(),
  JUPITER_API_KEY: setting.secret().optional(),
  SIGNER_ADDRESS: setting.address().optional(),
  SIGNER_ATTESTATION_POLICY_PATH: setting.path().optional(),
  PERMIT_KEYS_PATH: setting.path(),
  PERMIT_KEY_ID: setting.text().optional(),
  SCREENED_RECIPIENTS_PATH: setting.path().optional(),
  PRICE_MAX_AGE_SECONDS: setting.integer({ min: 1, max: 3_600 }).default(DEFAULT_PRICE_MAX_AGE_SECONDS),
  PRICE_MIN_LIQUIDITY_USD: setting.integer({ min: 0, max: 1_000_000_000 }).default(DEFAULT_MIN_LIQUIDITY_USD),
  PRICE_READS_PER_MINUTE: setting
    .integer({ min: LEAST_READS_PER_MINUTE, max: MAX_PRICE_READS_PER_MINUTE })
    .default(DEFAULT_PRICE_READS_PER_MINUTE),
  PYTH_ENABLED: setting.flag().default(true),
  PYTH_MAX_AGE_SECONDS: setting.integer({ min: 1, max: 3_600 }).default(DEFAULT_PYTH_MAX_AGE_SECONDS),
  PYTH_PUSH_ORACLE_PROGRAM: program().default(PYTH_PROGRAMS.pushOracle),
  PYTH_RECEIVER_PROGRAM: program().default(PYTH_PROGRAMS.receiver),
  PEGGED_TOKENS_PATH: setting.path().transform(readPeggedTokens).optional(),
  EXPIRY_MARGIN_BLOCKS: setting.integer({ min: 0, max: 10_000 }).default(DEFAULT_EXPIRY_MARGIN_BLOCKS),
  ...SPONSOR_VARIABLES,
  FEE_WALLET_ADDRESS: walletAddress().optional(),
  TREASURY_ADDRESS: walletAddress().optional(),
  TREASURY_PAYOUT_DAILY_LIMIT_USD: setting
    .integer({ min: 0, max: 1_000_000_000 })
    .default(DEFAULT_TREASURY_PAYOUT_DAILY_LIMIT_USD),
  MAX_TREASURY_MOVES_PER_AGENT_DAY: setting
    .integer({ min: 0, max: 1_000_000 })
    .default(DEFAULT_TREASURY_MOVES_PER_AGENT_DAY),
  SWAP_MAX_NETWORK_FEE_LAMPORTS: lamports().default(DEFAULT_SWAP_NETWORK_LAMPORTS),
  SWAP_ALLOW_COSIGNED: setting.flag().default(false),
  OWNER_ORIGIN: setting.origin().optional(),
  OWNER_RP_ID: setting.text().optional(),
  OWNER_REQUIRED: setting.flag().default(false),
  CLAIM_DELAY_HOURS: setting.integer({ min: 0, max: 168 }).default(DEFAULT_CLAIM_DELAY_HOURS),
};

/** Reads policy's settings from the environment. @throws SettingsError */
export function policySettings(environment?: Environment): PolicySettings {
  const env = readSettings(VARIABLES, environment);
  verifySources(env);
  return {
    ...serviceSettings(env),
    stream: eventStreamSettings(env),
    solanaNetwork: env.SOLANA_NETWORK,
    solanaRpcUrls: [env.SOLANA_RPC_URL, ...env.SOLANA_RPC_URLS],
    jupiterBaseUrl: env.JUPITER_BASE_URL,
    jupiterApiKey: env.JUPITER_API_KEY,
    signerAddress: env.SIGNER_ADDRESS,
    signerAttestationPolicyPath: env.SIGNER_ATTESTATION_POLICY_PATH,
    permitKeysPath: env.PERMIT_KEYS_PATH,
    permitKeyId: env.PERMIT_KEY_ID,
    screenedRecipientsPath: env.SCREENED_RECIPIENTS_PATH,
    priceMaxAgeMs: env.PRICE_MAX_AGE_SECONDS * 1_000,
    priceReadsPerMinute: env.PRICE_READS_PER_MINUTE,
    minLiquidityUsd: BigInt(env.PRICE_MIN_LIQUIDITY_USD),
    pyth: env.PYTH_ENABLED
      ? {
          network: env.SOLANA_NETWORK,
          programs: { pushOracle: env.PYTH_PUSH_ORACLE_PROGRAM, receiver: env.PYTH_RECEIVER_PROGRAM },
          maxAgeMs: env.PYTH_MAX_AGE_SECONDS * 1_000,
        }
      : undefined,
    peggedTokens: env.PEGGED_TOKENS_PATH,
    deathMarginBlocks: env.EXPIRY_MARGIN_BLOCKS,
    sponsor: {
      address: env.SPONSOR_ADDRESS,
      maxLamportsPerTransaction: BigInt(env.SPONSOR_MAX_LAMPORTS_PER_TRANSACTION),
      maxLamportsPerAgentDay: BigInt(env.SPONSOR_MAX_LAMPORTS_PER_AGENT_DAY),
      maxLamportsPerDay: BigInt(env.SPONSOR_MAX_LAMPORTS_PER_DAY),
      maxAccountsPerAgentDay: env.SPONSORED_NEW_ACCOUNTS_PER_AGENT_DAY,
    },
    swaps: {
      maxNetworkLamports: BigInt(env.SWAP_MAX_NETWORK_FEE_LAMPORTS),
      allowsCosigned: env.SWAP_ALLOW_COSIGNED,
    },
    feeWalletAddress: env.FEE_WALLET_ADDRESS,
    treasury: {
      address: env.TREASURY_ADDRESS,
      maxPayoutsPerDay: BigInt(env.TREASURY_PAYOUT_DAILY_LIMIT_USD) * USDC_BASE_UNITS,
      maxMovesPerAgentDay: env.MAX_TREASURY_MOVES_PER_AGENT_DAY,
    },
    owners: ownerSettings(env),
    requiresOwner: env.OWNER_REQUIRED,
  };
}

/** @throws SettingsError when the sources of prices contradict each other, or there is none */
function verifySources(env: SettingsOf<typeof VARIABLES>): void {
  const { JUPITER_BASE_URL: baseUrl, PEGGED_TOKENS_PATH: pegged, PYTH_ENABLED: hasPyth } = env;
  const problems = [...sourceProblems(env)];
  if (baseUrl === undefined && pegged === undefined && !hasPyth)
    problems.push('No source of prices: set JUPITER_BASE_URL, PYTH_ENABLED=true or PEGGED_TOKENS_PATH');
  if (problems.length > 0) throw new SettingsError(problems);
}

/** @throws SettingsError */
function ownerSettings({
  OWNER_ORIGIN: origin,
  OWNER_RP_ID: rpId,
  OWNER_REQUIRED: requiresOwner,
  CLAIM_DELAY_HOURS: claimDelayHours,
}: {
  readonly OWNER_ORIGIN?: string | undefined;
  readonly OWNER_RP_ID?: string | undefined;
  readonly OWNER_REQUIRED: boolean;
  readonly CLAIM_DELAY_HOURS: number;
}): OwnerSettings | undefined {
  if (origin === undefined) {
    if (rpId !== undefined) throw new SettingsError(['OWNER_RP_ID: needs OWNER_ORIGIN']);
    if (requiresOwner) throw new SettingsError(['OWNER_REQUIRED: needs OWNER_ORIGIN, where agents are claimed']);
    return undefined;
  }
  const named = rpId ?? new URL(origin).hostname;
  const wrongRpId = rpIdProblem(named, origin);
  if (wrongRpId) throw new SettingsError([`OWNER_RP_ID: ${wrongRpId}`]);
  return { origin, rpId: named, claimDelayHours };
}
