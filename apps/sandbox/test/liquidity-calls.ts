import {
  createAssociatedTokenAccountIdempotentInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { readMint, tokenAmount } from '../src/chain/token-layout.js';
import { type Key, key, keyText } from '../src/encoding/keys.js';
import type { CpmmPool } from '../src/liquidity/cpmm-layout.js';
import { authorityAddress, swapInstruction } from '../src/liquidity/cpmm-program.js';
import { FEE_TIERS } from '../src/liquidity/fee-tiers.js';
import { type PoolPlan, sortedByMint } from '../src/liquidity/pool-accounts.js';
import type { PoolState } from '../src/liquidity/liquidity-venue.js';
import type { MarketWorld } from './market-world.js';

const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const DISCRIMINATORS = { deposit: 'f223c68952e1f2b6', withdraw: 'b712469c946da122' };

/** Amounts of a deposit (most of each token) or of a withdrawal (least of each). */
export interface LiquidityTerms {
  readonly lp: bigint;
  readonly bounds: readonly [bigint, bigint];
}

const base58 = (at: Key): PublicKey => new PublicKey(keyText(at));

/** The bytes of a deposit or a withdrawal. */
export function liquidityData(kind: 'deposit' | 'withdraw', { lp, bounds }: LiquidityTerms): Buffer {
  const data = Buffer.alloc(32);
  Buffer.from(DISCRIMINATORS[kind], 'hex').copy(data);
  [lp, ...bounds].forEach((value, index) => data.writeBigUInt64LE(value, 8 + 8 * index));
  return data;
}

/** Plans a pool of the market maker at an address of its own. Amounts are in the order of the symbols. */
export function freePlan(
  world: MarketWorld,
  symbols: readonly [string, string],
  amounts: readonly [bigint, bigint],
): PoolPlan {
  const [one, other] = symbols.map((symbol, index) => {
    const token = world.tokens.find(symbol)!;
    return { ...token, mintAccount: world.chain.account(token.mint), amount: amounts[index]! };
  });
  const tokens = sortedByMint(one!, other!);
  const address = key(Keypair.generate().publicKey.toBase58());
  const creator = world.trading.maker.key;
  return { tokens, amounts: [tokens[0].amount, tokens[1].amount], tier: FEE_TIERS[0], creator, address };
}

/** A wallet with the calls that it makes to one pool. Each call lands at once and returns the error's text, or null. */
export class Provider {
  constructor(
    private readonly world: MarketWorld,
    readonly wallet: Keypair,
    readonly address: Key,
  ) {}

  get pool(): PoolState {
    return this.world.liquidity.pool(this.address)!;
  }

  /** Makes the wallet's account for LP tokens. */
  open(): void {
    const lpMint = base58(this.pool.lpMint);
    const instruction = createAta(this.wallet.publicKey, lpMint);
    this.run(instruction);
  }

  /** Builds a deposit or a withdrawal over the wallet's own accounts. */
  instruction(kind: 'deposit' | 'withdraw', terms: LiquidityTerms): TransactionInstruction {
    const { pool, wallet } = this;
    const own = pool.mints.map((mint) => this.world.ataOf(wallet.publicKey, keyText(mint)));
    const writable = [
      base58(pool.address),
      ata(wallet.publicKey, base58(pool.lpMint)),
      ...own,
      ...pool.vaults.map(base58),
    ];
    const readonly = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, ...pool.mints.map(base58)];
    const meta = (isWritable: boolean) => (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable });
    const keys = [
      { pubkey: wallet.publicKey, isSigner: true, isWritable: true },
      meta(false)(base58(authorityAddress(pool.program).key)),
      ...writable.map(meta(true)),
      ...readonly.map(meta(false)),
      meta(true)(base58(pool.lpMint)),
      ...(kind === 'withdraw' ? [meta(false)(MEMO)] : []),
    ];
    return new TransactionInstruction({ programId: base58(pool.program), keys, data: liquidityData(kind, terms) });
  }

  deposit(lp: bigint, ...bounds: readonly [bigint, bigint]): unknown {
    return this.run(this.instruction('deposit', { lp, bounds }));
  }

  withdraw(lp: bigint, ...bounds: readonly [bigint, bigint]): unknown {
    return this.run(this.instruction('withdraw', { lp, bounds }));
  }

  swapCall(inputSide: 0 | 1, amountIn: bigint, minAmountOut = 0n): TransactionInstruction {
    const { pool, wallet } = this;
    const [in0, in1] = pool.mints.map((mint) => key(this.world.ataOf(wallet.publicKey, keyText(mint)).toBase58()));
    const [source, destination] = inputSide === 0 ? [in0!, in1!] : [in1!, in0!];
    const payer = key(wallet.publicKey.toBase58());
    const authority = authorityAddress(pool.program).key;
    return swapInstruction({ payer, authority, pool, inputSide, source, destination, amountIn, minAmountOut });
  }

  swap(inputSide: 0 | 1, amountIn: bigint, minAmountOut = 0n): unknown {
    return this.run(this.swapCall(inputSide, amountIn, minAmountOut));
  }

  /** Runs instructions; returns what the program said of the first that failed. */
  run(...instructions: TransactionInstruction[]): unknown {
    const { error } = this.world.run([this.world.budget(), ...instructions], [this.wallet]);
    if (error === null) return null;
    const parsed = JSON.parse(error) as { InstructionError: [number, unknown] };
    return parsed.InstructionError[1];
  }

  /** Base units of the pool's two tokens that the wallet holds. */
  held(): [bigint, bigint] {
    return this.pool.mints.map((mint) => this.world.held(this.wallet.publicKey, keyText(mint))) as [bigint, bigint];
  }

  /** LP units that the wallet holds. */
  lp(): bigint {
    return this.amountAt(ata(this.wallet.publicKey, base58(this.pool.lpMint)));
  }

  amountAt(account: PublicKey): bigint {
    const state = this.world.chain.account(key(account.toBase58()));
    return state ? tokenAmount(state) : 0n;
  }

  /** What the vaults really hold, fees included. */
  vaults(): [bigint, bigint] {
    return this.pool.vaults.map((vault) => tokenAmount(this.world.chain.account(vault)!)) as [bigint, bigint];
  }

  /** Supply of the LP mint. */
  minted({ lpMint }: CpmmPool = this.pool): bigint {
    return readMint(this.world.chain.account(lpMint)!).supply;
  }
}

function ata(wallet: PublicKey, mint: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(mint, wallet, true);
}

function createAta(wallet: PublicKey, mint: PublicKey): TransactionInstruction {
  return createAssociatedTokenAccountIdempotentInstruction(wallet, ata(wallet, mint), wallet, mint);
}
