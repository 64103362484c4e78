import type { Logger } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { newAddress } from '@agent-wallet/solana/corpus';
import {
  addressBytes,
  associatedTokenAddress,
  type ChainAccount,
  type LandedTransaction,
  type MintState,
  type PriorityFees,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenProgram,
} from '@agent-wallet/solana';
import { parseUsd, parseUsdPrice, readAmountField } from '@agent-wallet/kernel';
import type { PriceResult, UsdPrices } from '@agent-wallet/prices';
import type { SimulatingChain } from '../src/application/operations/dry-run.js';
import { OperatorFees } from '../src/application/transfers/operator-fees.js';
import { TransferHandler } from '../src/application/transfers/transfer-handler.js';
import type { Operator } from '../src/domain/operator.js';
import { TokenRegistry } from '../src/domain/token-registry.js';
import { OwnLandings } from '../src/domain/own-landings.js';
import type { TransferRequest } from '../src/domain/transfer.js';
import type { TransferChain } from '../src/ports/transfer-chain.js';
import type { WalletStore } from '../src/ports/wallet-store.js';

/** A transfer as a caller writes it. */
export type WrittenTransfer = Omit<TransferRequest, 'amount'> & { readonly amount: string };

/** The request that it is read as. */
export function transferRequest({ amount, ...written }: WrittenTransfer): TransferRequest {
  return { ...written, amount: readAmountField(amount) };
}

/** Accounts of a chain, set by a test. Counts the reads. */
export class FakeChain implements TransferChain, SimulatingChain {
  readonly all = new Map<string, ChainAccount>();
  readonly mints = new Map<string, MintState>();
  readonly landed = new Map<string, LandedTransaction>();
  epoch = 10;
  /** The chain's own error of a simulation, as JSON text. */
  simulated: string | null = null;
  reads = 0;

  async accounts(addresses: readonly string[]) {
    this.reads += 1;
    return { slot: 1, accounts: addresses.map((address) => this.all.get(address) ?? null) };
  }

  async simulate() {
    return { slot: 1, error: this.simulated, logs: [], unitsConsumed: 0, accounts: [] };
  }

  async latestBlockhash() {
    return { blockhash: newAddress(), lastValidBlockHeight: 150, slot: 1 };
  }

  async mint(address: string) {
    return this.mints.get(address) ?? null;
  }

  mintState(address: string) {
    return this.mint(address);
  }

  async head() {
    return { slot: 1, blockHeight: 1, epoch: this.epoch, blockTimeMs: 0 };
  }

  async time() {
    return { slot: 1, epoch: this.epoch, blockTimeMs: 0, readAtMs: 0 };
  }

  async transaction(signature: string) {
    return this.landed.get(signature) ?? null;
  }

  async rentExemptMinimumLamports(bytes: number) {
    return BigInt(128 + bytes) * 6_960n;
  }

  /** Makes a mint of Token-2022 with 6 decimals. */
  makeMint(over: Partial<MintState> = {}): string {
    const address = over.address ?? newAddress();
    const nobody = { mintAuthority: null, freezeAuthority: null, permanentDelegate: null, transferHook: null };
    const plain = { tokenProgram: TOKEN_2022_PROGRAM, decimals: 6, extensions: [], supply: 0n } as const;
    const mint = { address, ...plain, ...nobody, transferFee: null, accountsBeginFrozen: false, ...over };
    this.mints.set(address, mint);
    return address;
  }

  /** Puts lamports into a wallet. */
  fund(address: string, lamports: bigint): void {
    this.all.set(address, { owner: SYSTEM_PROGRAM, lamports, data: new Uint8Array(), executable: false });
  }

  /** Gives a wallet an associated token account. */
  hold(
    holding: { readonly owner: string; readonly mint: string; readonly amount: bigint },
    over: {
      readonly controller?: string;
      readonly frozen?: boolean;
      readonly tokenProgram?: TokenProgram;
      /** Of Token-2022: type, length and value of each. */
      readonly extensions?: Uint8Array;
      readonly lamports?: bigint;
    } = {},
  ): string {
    const { owner, mint, amount } = holding;
    const { controller = owner, frozen = false, tokenProgram = TOKEN_PROGRAM } = over;
    const { extensions, lamports = 2_039_280n } = over;
    const data = Buffer.concat([Buffer.alloc(165), ...(extensions ? [Buffer.of(2), extensions] : [])]);
    data.set(addressBytes(mint), 0);
    data.set(addressBytes(controller), 32);
    data.writeBigUInt64LE(amount, 64);
    data[108] = frozen ? 2 : 1;
    const address = associatedTokenAddress({ owner, mint, tokenProgram });
    this.all.set(address, { owner: tokenProgram, lamports, data, executable: false });
    return address;
  }
}

/** Wallets in memory. */
export class FakeWallets implements WalletStore {
  readonly all = new Map<string, string>();

  async find(agentId: string) {
    return this.all.get(agentId);
  }

  async add(agentId: string, address: string) {
    if (this.all.has(agentId)) return false;
    this.all.set(agentId, address);
    return true;
  }
}

/** Prices that a test sets, in dollars. */
export class FakePrices implements UsdPrices {
  readonly all = new Map<string, PriceResult>();
  failure: Error | undefined;

  async prices(mints: readonly string[]) {
    if (this.failure) throw this.failure;
    return new Map(mints.map((mint) => [mint, this.all.get(mint) ?? ({ unavailable: 'unknown' } as const)]));
  }

  set(mint: string, usd: string, decimals: number): void {
    this.all.set(mint, { price: parseUsdPrice(usd), decimals, liquidityUsd: null, pricedAtMs: 0, readAtMs: 0 });
  }
}

/** What a test's operator does; nothing when omitted. */
export interface TestOperator extends Partial<Omit<Operator, 'fees'>> {
  readonly basisPoints?: number;
  readonly flatUsd?: string;
  readonly prices?: UsdPrices;
  readonly logger?: Logger;
}

/** The priority fees of a market in which nothing costs more than its signatures. */
export const QUIET: PriorityFees = { lamportsFor: async () => 0n, noteExpiry: () => undefined };

/** Named tokens of the sandbox, which are those of mainnet. */
export const REGISTRY = new TokenRegistry('sandbox');

/** The kind of operation that transfers are, for one agent with a wallet. */
export async function transferHandler(
  chain: TransferChain,
  agent: { readonly agentId: string; readonly wallet: string },
  {
    landings = new OwnLandings(),
    priority = QUIET,
    ...over
  }: TestOperator & { readonly landings?: OwnLandings; readonly priority?: PriorityFees } = {},
): Promise<TransferHandler> {
  const wallets = new FakeWallets();
  await wallets.add(agent.agentId, agent.wallet);
  const { basisPoints = 0, flatUsd = '0', prices = new FakePrices(), sponsor, feeWallet } = over;
  const operator = { sponsor, feeWallet, treasury: undefined, fees: { basisPoints, flatUsdMicros: parseUsd(flatUsd) } };
  const fees = new OperatorFees(operator, prices, over.logger ?? silent);
  return new TransferHandler({ registry: REGISTRY, wallets, chain, operator, fees, landings, priority });
}
