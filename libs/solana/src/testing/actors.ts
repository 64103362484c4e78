import type { intentV1 } from '@agent-wallet/contracts';
import { createHash } from 'node:crypto';
import { Keypair, PublicKey } from '@solana/web3.js';

/** Creates the address of an unused wallet. */
export function newAddress(): string {
  return Keypair.generate().publicKey.toBase58();
}

/** Derives a public key from a name, identical in every run. */
export function keyOf(name: string): PublicKey {
  return Keypair.fromSeed(createHash('sha256').update(name).digest()).publicKey;
}

/** The parties of the corpus beside the wallet. */
export const RECIPIENT = keyOf('recipient');
export const SPONSOR = keyOf('sponsor');
export const TREASURY = keyOf('treasury');
export const FEE_WALLET = keyOf('fee wallet');
export const THIEF = keyOf('thief');
export const MINT = keyOf('mint');
export const OTHER_MINT = keyOf('other mint');
/** A mint whose bytes stand before those of wrapped SOL. */
export const LOW_MINT = new PublicKey('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN');
export const POOL_CONFIG = keyOf('pool config');
export const UNKNOWN_PROGRAM = keyOf('unknown program');
export const NONCE_ACCOUNT = keyOf('nonce account');
export const LOOKUP_TABLE = keyOf('lookup table');
export const BLOCKHASH = keyOf('blockhash').toBase58();

/** Returns the transfer of an intent, or throws for another action. */
export function transferOf(intent: intentV1.Intent): intentV1.Transfer {
  if (intent.action?.$case !== 'transfer') throw new TypeError('the intent is not a transfer');
  return intent.action.value;
}

/** The action that adds or removes both tokens of a pool. */
export type Liquidity = Extract<intentV1.Intent['action'], { $case: 'liquidityAdd' | 'liquidityRemove' }>;

/** Reports whether an action adds or removes liquidity. */
export function isLiquidity(action: intentV1.Intent['action']): action is Liquidity {
  return action?.$case === 'liquidityAdd' || action?.$case === 'liquidityRemove';
}

/** Returns the bounds of both sides: the most that may leave, or the least that must arrive. */
export function boundsOf({ $case, value }: Liquidity): [bigint, bigint] {
  return $case === 'liquidityAdd' ? [value.max0, value.max1] : [value.min0, value.min1];
}

/** Money between a wallet and the treasury. */
export type Move = Extract<intentV1.Intent['action'], { $case: 'escrow' | 'payout' }>;

/** Reports whether an action moves money between the wallet and the treasury. */
export function isMove(action: intentV1.Intent['action']): action is Move {
  return action?.$case === 'escrow' || action?.$case === 'payout';
}
