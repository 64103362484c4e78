import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana/checks';
import { type DraftAccount, type DraftInstruction, payer, readonly, signer, writable } from './draft.js';

/** A little-endian number, or bytes in hex. */
export type BytePart = string | readonly [size: 'u8' | 'u16' | 'u32' | 'u64', value: number | bigint];

/** Parts, one after the other. */
export function bytes(...parts: readonly BytePart[]): Buffer {
  const sizes = { u8: 1, u16: 2, u32: 4, u64: 8 };
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part, 'hex');
      const buffer = Buffer.alloc(8);
      buffer.writeBigUInt64LE(BigInt.asUintN(64, BigInt(part[1])));
      return buffer.subarray(0, sizes[part[0]]);
    }),
  );
}

export function call(program: string, accounts: readonly DraftAccount[], data: Buffer): DraftInstruction {
  return { program, accounts, data };
}

export const unitLimit = (units: number) => call(COMPUTE_BUDGET_PROGRAM, [], bytes('02', ['u32', units]));
export const unitPrice = (price: bigint) => call(COMPUTE_BUDGET_PROGRAM, [], bytes('03', ['u64', price]));

export const transfer = (from: string, to: string, lamports: bigint) =>
  call(SYSTEM_PROGRAM, [payer(from), writable(to)], bytes(['u32', 2], ['u64', lamports]));

/** The making of an owner's associated token account at a payer's expense. */
interface Creation {
  readonly payer: string;
  readonly owner: string;
  readonly account: string;
  readonly mint: string;
  readonly tokenProgram: string;
}

export const creation = (made: Creation) =>
  call(
    ASSOCIATED_TOKEN_PROGRAM,
    [
      payer(made.payer),
      writable(made.account),
      readonly(made.owner),
      readonly(made.mint),
      readonly(SYSTEM_PROGRAM),
      readonly(made.tokenProgram),
    ],
    bytes('01'),
  );

export const syncing = (account: string) => call(TOKEN_PROGRAM, [writable(account)], bytes('11'));
export const closing = (account: string, to: string, owner: string) =>
  call(TOKEN_PROGRAM, [writable(account), writable(to), signer(owner)], bytes('09'));
