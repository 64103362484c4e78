import { createCloseAccountInstruction, createSyncNativeInstruction } from '@solana/spl-token';
import { TransactionInstruction } from '@solana/web3.js';
import { associatedTokenAddress, type TokenHolding } from '../addresses/associated-token-address.js';
import { MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../addresses/programs.js';
import type { LiquidityPlan } from '../intents/liquidity-plan.js';
import { CPMM_AUTHORITY, CPMM_PROGRAM } from '../liquidity/cpmm-addresses.js';
import { accountCreation, nativePayment, publicKey } from './instructions.js';

const DEPOSIT = Buffer.from('f223c68952e1f2b6', 'hex');
const WITHDRAW = Buffer.from('b712469c946da122', 'hex');

/**
 * Builds an addition or a removal of liquidity, which only the wallet signs. SOL is wrapped right before and unwrapped
 * right after, as in trades: an addition wraps the most that may leave, and what is left comes back. The account of the
 * liquidity tokens stays: a stranger's dust in it would otherwise make the message fail.
 */
export function liquidityInstructions(wallet: string, plan: LiquidityPlan): TransactionInstruction[] {
  const { kind, pool, bounds } = plan;
  const holdings = pool.sides.map(({ mint, tokenProgram }): TokenHolding => ({ owner: wallet, mint, tokenProgram }));
  const wrapped = holdings.find(({ mint }) => mint === WRAPPED_SOL_MINT);
  const account = wrapped && associatedTokenAddress(wrapped);
  const close = account
    ? [createCloseAccountInstruction(publicKey(account), publicKey(wallet), publicKey(wallet))]
    : [];
  const create = (holding: TokenHolding) => accountCreation(wallet, holding);
  if (kind === 'liquidity_remove') return [...holdings.map(create), programInstruction(wallet, plan), ...close];
  const wrap =
    wrapped && account
      ? [
          create(wrapped),
          nativePayment(wallet, account, bounds[holdings.indexOf(wrapped)]!),
          createSyncNativeInstruction(publicKey(account)),
        ]
      : [];
  const lp: TokenHolding = { owner: wallet, mint: pool.lpMint, tokenProgram: TOKEN_PROGRAM };
  return [create(lp), ...wrap, programInstruction(wallet, plan), ...close];
}

/** Builds the program's own instruction. */
function programInstruction(wallet: string, plan: LiquidityPlan): TransactionInstruction {
  const { kind, pool, liquidity, bounds } = plan;
  const readonly = (address: string) => ({ pubkey: publicKey(address), isSigner: false, isWritable: false });
  const writable = (address: string) => ({ ...readonly(address), isWritable: true });
  const lpAccount = associatedTokenAddress({ owner: wallet, mint: pool.lpMint, tokenProgram: TOKEN_PROGRAM });
  const own = pool.sides.map(({ mint, tokenProgram }) => associatedTokenAddress({ owner: wallet, mint, tokenProgram }));
  const data = Buffer.alloc(32);
  (kind === 'liquidity_add' ? DEPOSIT : WITHDRAW).copy(data);
  [liquidity, ...bounds].forEach((amount, i) => data.writeBigUInt64LE(amount, 8 + 8 * i));
  return new TransactionInstruction({
    programId: publicKey(CPMM_PROGRAM),
    keys: [
      { ...readonly(wallet), isSigner: true },
      readonly(CPMM_AUTHORITY),
      ...[pool.address, lpAccount, ...own, ...pool.sides.map(({ vault }) => vault)].map(writable),
      ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ...pool.sides.map(({ mint }) => mint)].map(readonly),
      writable(pool.lpMint),
      ...(kind === 'liquidity_remove' ? [readonly(MEMO_PROGRAM)] : []),
    ],
    data,
  });
}
