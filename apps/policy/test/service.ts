import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { honestMessage } from '@agent-wallet/jupiter/corpus';
import { newId } from '@agent-wallet/kernel';
import {
  loadTls,
  openRpcClient,
  type RpcClient,
  type RunningGrpcService,
  type ServiceName,
} from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { type PeggedTokens, PYTH_PROGRAMS } from '@agent-wallet/prices';
import { addressOf, buildMessage, messageHash, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { testCertificates } from '@agent-wallet/testing';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OwnerSettings } from '../src/domain/owners/owner-settings.js';
import type { SponsorshipBounds } from '../src/domain/sponsorship.js';
import { startPolicy } from '../src/index.js';
import { openPolicyDatabase, type PolicyDatabase } from './database.js';
import { PolicyPeers, USDC } from './policy-peers.js';

/** The operator's own wallets, and what sponsorship is in tests that do not say otherwise. */
export const SPONSOR = newWallet();
export const FEE_WALLET = newWallet();
export const TREASURY = newWallet();
const BOUNDS: SponsorshipBounds = {
  maxLamportsPerTransaction: 5_000_000n,
  maxLamportsPerAgentDay: 10_000_000n,
  maxLamportsPerDay: 1_000_000_000n,
  maxAccountsPerAgentDay: 3,
};

export type PolicyClient = RpcClient<policyV1.PolicyServiceService>;
export type OwnersClient = RpcClient<policyV1.OwnerServiceService>;

const NAMES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history', 'ops'] as const;

/** Policy as it runs, on a database, a node and a price API of its own. */
export interface TestService {
  readonly world: PolicyPeers;
  readonly database: PolicyDatabase;
  readonly permitKey: KeyObject;
  /** A client with the certificate of a service. */
  as(name: ServiceName): Promise<PolicyClient>;
  /** The same of recoveries. */
  recoveriesAs(name: ServiceName): Promise<RpcClient<policyV1.RecoveryServiceService>>;
  /** The same of owners. */
  ownersAs(name: ServiceName): Promise<OwnersClient>;
  tokensAs(name: ServiceName): Promise<RpcClient<policyV1.TokenServiceService>>;
  /** Pauses between two readings of a price so far: none takes time. */
  readonly pauses: number;
  /** Puts policy's clock forward. */
  passTime(durationMs: number): void;
  /** Starts once more on the same database. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Moves that the agents of one mailbox may start in a day. */
export const MOVES_A_DAY = 40;

/** Where owners sign in tests that do not say otherwise. */
export const OWNER_ORIGIN = 'https://owner.example.com';
const OWNERS: OwnerSettings = { origin: OWNER_ORIGIN, rpId: 'owner.example.com', claimDelayHours: 24 };

/** Choices of a test. */
interface ServiceOptions {
  readonly hasOwners?: boolean;
  readonly requiresOwner?: boolean;
  readonly screenedRecipientsPath?: string;
  /** Tokens pegged to one dollar. With them the service runs without the aggregator. */
  readonly peggedTokens?: PeggedTokens;
}

export async function startTestService(options: ServiceOptions = {}): Promise<TestService> {
  const { hasOwners = true, requiresOwner = false, screenedRecipientsPath, peggedTokens } = options;
  const directory = await mkdtemp(path.join(tmpdir(), 'policy-'));
  const [world, database] = await Promise.all([PolicyPeers.open(), openPolicyDatabase()]);
  const certificates = await testCertificates(NAMES);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const permitKeysPath = path.join(directory, 'permit');
  await mkdir(permitKeysPath);
  await writeFile(path.join(permitKeysPath, 'k1.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  let [aheadMs, pauses] = [0, 0];
  const clock = { nowMs: () => Date.now() + aheadMs };
  const passForAll = (durationMs: number) => {
    aheadMs += durationMs;
    world.aheadMs += durationMs;
  };
  const start = () =>
    startPolicy(
      {
        grpcAddress: 'localhost:0',
        database: database.connection,
        tls: certificates.policy,
        logLevel: 'silent',
        stream: { kind: 'postgres' },
        solanaNetwork: 'sandbox',
        solanaRpcUrls: [world.url],
        jupiterBaseUrl: peggedTokens ? undefined : world.url,
        peggedTokens,
        permitKeysPath,
        priceMaxAgeMs: 60_000,
        priceReadsPerMinute: 6_000,
        minLiquidityUsd: 10_000n,
        pyth: { programs: PYTH_PROGRAMS, network: 'sandbox', maxAgeMs: 180_000 },
        deathMarginBlocks: 64,
        sponsor: { address: SPONSOR.address, ...BOUNDS },
        swaps: { maxNetworkLamports: 5_000_000n, allowsCosigned: true },
        feeWalletAddress: FEE_WALLET.address,
        treasury: { address: TREASURY.address, maxPayoutsPerDay: 100_000_000_000n, maxMovesPerAgentDay: MOVES_A_DAY },
        owners: hasOwners ? OWNERS : undefined,
        requiresOwner,
        screenedRecipientsPath,
      },
      {
        ...{ clock, logger: silent, observeHeadEveryMs: 50, recoverEveryMs: 50, expireApprovalsEveryMs: 50 },
        // For policy and for the chain it has passed at once.
        pause: async (durationMs) => {
          pauses += 1;
          passForAll(durationMs);
        },
      },
    );
  let service: RunningGrpcService = await start();
  const clients: Array<{ close(): void }> = [];
  const clientOf = async <Definition extends ServiceDefinition>(definition: Definition, name: ServiceName) => {
    const peer = { address: service.address, service: 'policy' } as const;
    const client = openRpcClient({
      definition,
      peer,
      tls: await loadTls(certificates[name]),
    });
    clients.push(client);
    return client;
  };
  return {
    world,
    database,
    permitKey: publicKey,
    as: (name) => clientOf(policyV1.PolicyServiceService, name),
    recoveriesAs: (name) => clientOf(policyV1.RecoveryServiceService, name),
    ownersAs: (name) => clientOf(policyV1.OwnerServiceService, name),
    tokensAs: (name) => clientOf(policyV1.TokenServiceService, name),
    get pauses() {
      return pauses;
    },
    passTime: (durationMs) => {
      aheadMs += durationMs;
    },
    restart: async () => {
      await service.stop();
      service = await start();
    },
    stop: async () => {
      clients.forEach((client) => client.close());
      await service.stop();
      await Promise.all([world.close(), database.close(), rm(directory, { recursive: true })]);
    },
  };
}

/** A wallet with its key in the test's hands. */
export interface TestWallet {
  readonly address: string;
  sign(message: Uint8Array): Buffer;
}

export function newWallet(): TestWallet {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { address: addressOf(raw), sign: (message) => sign(null, message, privateKey) };
}

/** A transfer's intent: one USDC, with what the test cares about. */
export function transferIntent(wallet: string, change: Partial<intentV1.Transfer> = {}): intentV1.Intent {
  const value: intentV1.Transfer = {
    recipient: newWallet().address,
    mint: USDC,
    tokenProgram: TOKEN_PROGRAM,
    amount: 1_000_000n,
    decimals: 6,
    createsRecipientAccount: false,
    memo: '',
    ...change,
  };
  return { wallet, action: { $case: 'transfer', value } };
}

/** A transfer of the native coin. */
export function nativeIntent(wallet: string, amount: bigint, recipient = newWallet().address): intentV1.Intent {
  return transferIntent(wallet, { recipient, mint: '', tokenProgram: '', decimals: 9, amount });
}

/** Wrapped SOL that becomes SOL. */
export function unwrapIntent(wallet: string, change: Partial<intentV1.Unwrap> = {}): intentV1.Intent {
  return { wallet, action: { $case: 'unwrap', value: { amount: 1_000_000n, remainder: 0n, ...change } } };
}

/** A fair swap of USDC for SOL, of one unless the test says otherwise. */
export function swapIntent(wallet: string, change: Partial<intentV1.Swap> = {}): intentV1.Intent {
  const { inputAmount = 1_000_000n } = change;
  // At $150, as far as a u64 reaches.
  const fair = (inputAmount * 20n + 2n) / 3n;
  const quotedOutputAmount = fair < 2n ** 64n ? fair : 2n ** 64n - 1n;
  const least = (quotedOutputAmount * 9_950n) / 10_000n;
  const value: intentV1.Swap = {
    ...{ inputMint: USDC, inputTokenProgram: TOKEN_PROGRAM, inputDecimals: 6, inputAmount },
    ...{ outputMint: WRAPPED_SOL_MINT, outputTokenProgram: TOKEN_PROGRAM, quotedOutputAmount },
    ...{
      minOutputAmount: least < 1n ? 1n : least,
      slippageBps: 50,
      platformFeeBps: 10,
      maxNetworkLamports: 5_000_000n,
    },
    allowUnpricedOutput: false,
    resolvedAddressesHash: createHash('sha256').digest(),
    ...change,
  };
  return { wallet, action: { $case: 'swap', value } };
}

const ONE_USDC = { mint: USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6, amount: 1_000_000n } as const;

/** Builds an escrow of one USDC for an order, changed as a test needs it. */
export function escrowIntent(wallet: string, change: Partial<intentV1.Escrow> = {}): intentV1.Intent {
  const { amount = ONE_USDC.amount } = change;
  const order = { ticker: 'KXHIGHNY-26NOV27-B42', side: 'yes', count: 200n, maxPriceUsdMicros: 450_000n };
  const escrow = { ...ONE_USDC, treasury: TREASURY.address, order: { ...order, maxCostUsdMicros: amount } };
  return { wallet, action: { $case: 'escrow', value: { ...escrow, ...change } } };
}

/** One USDC from the treasury, with what the test cares about. */
export function payoutIntent(wallet: string, change: Partial<intentV1.Payout> = {}): intentV1.Intent {
  const value = { ...ONE_USDC, treasury: TREASURY.address, createsRecipientAccount: false, ...change };
  return { wallet, action: { $case: 'payout', value } };
}

/** The same with the operator's sponsor as fee payer. */
export function sponsored(intent: intentV1.Intent, maxNetworkFeeLamports = 10_000n): intentV1.Intent {
  return { ...intent, sponsor: SPONSOR.address, maxNetworkFeeLamports };
}

/** A new message that carries out an intent, and for a swap the same as it is shown to policy. */
export function messageFor(intent: intentV1.Intent): { message: Buffer; shown: { message?: Buffer } } {
  const blockhash = randomBytes(32);
  if (intent.action?.$case === 'swap') {
    const message = Buffer.from(honestMessage(intent, blockhash));
    return { message, shown: { message } };
  }
  return { message: Buffer.from(buildMessage({ intent, blockhash: addressOf(blockhash) })), shown: {} };
}

/** A new operation's request, and the message it is for. */
export function authorization(agentId: string, intent: intentV1.Intent) {
  const { message, shown } = messageFor(intent);
  const request: policyV1.AuthorizeRequest = {
    operationId: newId(),
    step: 1,
    attempt: 1,
    agentId,
    intent,
    messageHash: Buffer.from(messageHash(message)),
    ...shown,
  };
  return { request, message };
}
