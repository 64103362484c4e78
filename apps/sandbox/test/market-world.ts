import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { systemClock } from '@agent-wallet/kernel';
import path from 'node:path';
import { PriceBoard } from '../src/market/price-board.js';
import { Chain } from '../src/chain/chain.js';
import { openGenesis } from '../src/chain/genesis.js';
import { readTransaction } from '../src/chain/message.js';
import { readTokenAccount } from '../src/chain/token-layout.js';
import { encodeBase58 } from '../src/encoding/base58.js';
import { key } from '../src/encoding/keys.js';
import { Journal } from '../src/journal/journal.js';
import { RecordType } from '../src/journal/record-types.js';
import { liquidityAccounts } from '../src/liquidity/genesis.js';
import { LiquidityVenue } from '../src/liquidity/liquidity-venue.js';
import { type MakerSwapContext } from '../src/liquidity/maker-swap.js';
import { marketAccounts, marketPrograms } from '../src/market/genesis.js';
import type { Route } from '../src/market/market.js';
import { PoolMarket } from '../src/market/pool-market.js';
import { Faucet } from '../src/tokens/faucet.js';
import { MAINNET_TOKENS } from '../src/tokens/mainnet.js';
import { type MintOrder, MintMaker } from '../src/tokens/mint-maker.js';
import { genesisAccounts, sandboxParties } from '../src/tokens/token-accounts.js';
import { TokenRegistry } from '../src/tokens/registry.js';
import { Sender } from '../src/tokens/sender.js';

/** The base58 mint of one of mainnet's tokens. */
export function mintOf(symbol: string): string {
  return encodeBase58(Buffer.from(MAINNET_TOKENS.find((token) => token.symbol === symbol)!.mint, 'latin1'));
}

/** What became of a transaction. */
export interface Outcome {
  /** JSON text of the error; null when it succeeded. */
  readonly error: string | null;
  readonly bytes: number;
  readonly fee: bigint;
}

/** The market on a chain of its own, without any door: every call is direct. Prices stand still. */
export class MarketWorld {
  readonly chain: Chain;
  readonly tokens: TokenRegistry;
  readonly prices: PriceBoard;
  readonly market: PoolMarket;
  readonly liquidity: LiquidityVenue;
  /** Who trades as the market maker. */
  readonly trading: MakerSwapContext;
  readonly faucet: Faucet;
  readonly mintMaker: MintMaker;
  private readonly journal: Journal;
  private units = 1_400_000;

  /** Opens the world of a directory as it was left. */
  constructor(dir: string) {
    const genesis = openGenesis(dir, 0, systemClock.nowMs());
    const people = sandboxParties(genesis.seed);
    this.journal = Journal.open(path.join(dir, 'journal.log'));
    const { marketMaker: maker } = people;
    const accounts = [...genesisAccounts(people), ...marketAccounts(maker), ...liquidityAccounts(maker)];
    const options = { slotMs: 0, finalizeSlots: 0, nowMs: () => systemClock.nowMs() };
    this.chain = new Chain({ ...genesis, accounts, programs: marketPrograms() }, options, this.journal);
    this.tokens = new TokenRegistry(this.journal);
    this.prices = new PriceBoard(genesis.seed, this.chain.clock, this.journal);
    this.journal.replay((record) => {
      if (record.type === RecordType.token) this.tokens.replay(record.payload);
      else if (record.type === RecordType.price) this.prices.replay(record.payload);
      else this.chain.replay(record);
    });
    this.chain.start();
    this.prices.freeze(true);
    const sender = new Sender(this.chain);
    this.faucet = new Faucet(this.chain, people, sender);
    this.mintMaker = new MintMaker(this.chain, people, sender);
    const parts = { chain: this.chain, tokens: this.tokens, prices: this.prices };
    this.market = new PoolMarket(parts, maker);
    this.liquidity = new LiquidityVenue(parts);
    this.trading = { chain: this.chain, tokens: this.tokens, sender, maker };
  }

  async close(): Promise<void> {
    this.chain.stop();
    await this.journal.close();
  }

  /** Sends money from the faucet; units of the token's smallest. */
  async fund(to: PublicKey, symbol: string, units: bigint): Promise<void> {
    const wallet = key(to.toBase58());
    if (symbol === 'SOL') await this.faucet.sendSol(wallet, units);
    else await this.faucet.sendToken(wallet, this.tokens.find(symbol)!, units);
  }

  /** Makes a token, with a price if one is given. */
  async makeToken(order: Partial<MintOrder> & { symbol: string }, usdText: string | undefined): Promise<string> {
    const full = { decimals: 6, program: 'token', extensions: [], freezeAuthority: false, ...order } as const;
    const token = await this.mintMaker.make(full);
    this.tokens.add(token);
    if (usdText !== undefined) this.prices.change(token.mint, { kind: 'set', usdText, ageMs: 0 });
    return encodeBase58(Buffer.from(token.mint, 'latin1'));
  }

  setPrice(symbol: string, usdText: string): void {
    this.prices.change(this.tokens.find(symbol)!.mint, { kind: 'set', usdText, ageMs: 0 });
  }

  /** Base units a wallet holds in its associated token account. */
  held(wallet: PublicKey, mint: string): bigint {
    const account = this.chain.account(key(this.ataOf(wallet, mint).toBase58()));
    return account ? readTokenAccount(account).amount : 0n;
  }

  exists(account: PublicKey): boolean {
    return this.chain.account(key(account.toBase58())) !== undefined;
  }

  lamports(wallet: PublicKey): bigint {
    return this.chain.account(key(wallet.toBase58()))?.lamports ?? 0n;
  }

  programOf(mint: string): PublicKey {
    return this.tokens.get(key(mint))!.program === 'token' ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID;
  }

  ataOf(wallet: PublicKey, mint: string): PublicKey {
    return getAssociatedTokenAddressSync(new PublicKey(mint), wallet, true, this.programOf(mint));
  }

  createAta(wallet: PublicKey, mint: string): TransactionInstruction {
    const ata = this.ataOf(wallet, mint);
    const program = this.programOf(mint);
    return createAssociatedTokenAccountIdempotentInstruction(wallet, ata, wallet, new PublicKey(mint), program);
  }

  /** Each time a little less, so that no two transactions are the same. */
  budget(): TransactionInstruction {
    this.units -= 1;
    return ComputeBudgetProgram.setComputeUnitLimit({ units: this.units });
  }

  /** A route's instruction over the wallet's associated token accounts. */
  swap(wallet: PublicKey, route: Route, slippageBps = 0, platformFeeBps = 0): TransactionInstruction {
    const user = {
      wallet: wallet.toBase58(),
      source: this.ataOf(wallet, route.inputMint).toBase58(),
      destination: this.ataOf(wallet, route.outputMint).toBase58(),
    };
    return route.instruction(user, { slippageBps, platformFeeBps });
  }

  /** All an aggregator's transaction does: native SOL is wrapped before and unwrapped after. */
  wholeSwap(wallet: PublicKey, route: Route): TransactionInstruction[] {
    const wrapped = this.ataOf(wallet, mintOf('SOL'));
    const fromSol = route.inputMint === NATIVE_MINT.toBase58();
    const toSol = route.outputMint === NATIVE_MINT.toBase58();
    const pay = SystemProgram.transfer({ fromPubkey: wallet, toPubkey: wrapped, lamports: route.inAmount });
    return [
      this.budget(),
      this.createAta(wallet, route.outputMint),
      ...(fromSol ? [this.createAta(wallet, route.inputMint), pay, createSyncNativeInstruction(wrapped)] : []),
      this.swap(wallet, route),
      ...(fromSol || toSol ? [createCloseAccountInstruction(wrapped, wallet, wallet)] : []),
    ];
  }

  /** Runs a transaction; the first signer pays. */
  run(instructions: TransactionInstruction[], signers: Keypair[], tables: readonly string[] = []): Outcome {
    const message = new TransactionMessage({
      payerKey: signers[0]!.publicKey,
      recentBlockhash: this.blockhash(),
      instructions,
    }).compileToV0Message(tables.map((table) => this.table(table)));
    const transaction = new VersionedTransaction(message);
    transaction.sign(signers);
    const tx = readTransaction(Buffer.from(transaction.serialize()));
    this.chain.accept(tx);
    const landed = this.chain.ledger.get(tx.signatures[0]!);
    if (!landed) throw new Error('the transaction did not land');
    const { fee } = JSON.parse(this.chain.ledger.read(landed).meta) as { fee: number };
    return { error: landed.error, bytes: tx.wire.length, fee: BigInt(fee) };
  }

  private blockhash(): string {
    const hash = this.chain.blockhashes.at(this.chain.clock.position().height);
    return encodeBase58(Buffer.from(hash, 'latin1'));
  }

  private table(address: string): AddressLookupTableAccount {
    const { data } = this.chain.account(key(address))!;
    return new AddressLookupTableAccount({
      key: new PublicKey(address),
      state: AddressLookupTableAccount.deserialize(data),
    });
  }
}
