import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { ByteWriter } from '../encoding/bytes.js';
import { type Key, key, keyBytes, keyOf } from '../encoding/keys.js';
import { publicKey } from '../tokens/token-accounts.js';
import type { CpmmPool } from './cpmm-layout.js';

/** Raydium's constant-product pools with a fungible LP token. */
export const CPMM_PROGRAM = key('CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C');

const SWAP_BASE_INPUT = Buffer.from('8fbe5adac41e33de', 'hex');

/** An address that a program derives, with the bump that keeps it off the curve. */
interface ProgramAddress {
  readonly key: Key;
  readonly bump: number;
}

/** Returns the owner of all vaults and LP mints of a program. */
export function authorityAddress(program: Key): ProgramAddress {
  return programAddress(program, Buffer.from('vault_and_lp_mint_auth_seed'));
}

/** Returns the address of a fee tier. */
export function configAddress(program: Key, index: number): ProgramAddress {
  return programAddress(program, Buffer.from('amm_config'), indexBytes(index));
}

/** Returns the address at which the pool of two mints belongs; `mints` in bytewise order. */
export function poolAddress(program: Key, config: Key, mints: readonly [Key, Key]): Key {
  return programAddress(program, Buffer.from('pool'), ...[config, ...mints].map(keyBytes)).key;
}

/** Returns the address of a pool's vault. */
export function vaultAddress(program: Key, pool: Key, mint: Key): Key {
  return programAddress(program, Buffer.from('pool_vault'), keyBytes(pool), keyBytes(mint)).key;
}

/** Returns the address of a pool's LP mint. */
export function lpMintAddress(program: Key, pool: Key): Key {
  return programAddress(program, Buffer.from('pool_lp_mint'), keyBytes(pool)).key;
}

/** Returns the address of a pool's price record. */
export function observationAddress(program: Key, pool: Key): Key {
  return programAddress(program, Buffer.from('observation'), keyBytes(pool)).key;
}

/** A swap of an exact input, as `swap_base_input` takes it. */
interface SwapOrder {
  readonly payer: Key;
  readonly authority: Key;
  readonly pool: CpmmPool;
  /** The side that goes in: 0 or 1. */
  readonly inputSide: 0 | 1;
  /** The payer's token accounts. */
  readonly source: Key;
  readonly destination: Key;
  readonly amountIn: bigint;
  readonly minAmountOut: bigint;
}

/** Builds `swap_base_input` in the real layout. */
export function swapInstruction(order: SwapOrder): TransactionInstruction {
  const { payer, authority, pool, inputSide: from } = order;
  const to = from === 0 ? 1 : 0;
  const account = (at: Key, isWritable: boolean, isSigner = false) => ({
    pubkey: publicKey(at),
    isSigner,
    isWritable,
  });
  const keys = [
    account(payer, false, true),
    account(authority, false),
    account(pool.config, false),
    account(pool.address, true),
    account(order.source, true),
    account(order.destination, true),
    account(pool.vaults[from], true),
    account(pool.vaults[to], true),
    ...[pool.tokenPrograms[from], pool.tokenPrograms[to]].map((program) => account(program, false)),
    ...[pool.mints[from], pool.mints[to]].map((mint) => account(mint, false)),
    account(pool.observation, true),
  ];
  const data = new ByteWriter().push(SWAP_BASE_INPUT).u64(order.amountIn).u64(order.minAmountOut).done();
  return new TransactionInstruction({ programId: publicKey(pool.program), keys, data });
}

function programAddress(program: Key, ...seeds: readonly Buffer[]): ProgramAddress {
  const [found, bump] = PublicKey.findProgramAddressSync([...seeds], publicKey(program));
  return { key: keyOf(found.toBytes()), bump };
}

/** Writes an index as the program's seeds have it: big-endian. */
function indexBytes(index: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(index);
  return bytes;
}
