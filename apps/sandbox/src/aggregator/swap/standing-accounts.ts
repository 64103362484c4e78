import type { AccountChange } from '../../chain/account.js';
import { SYSTEM_PROGRAM } from '../../chain/programs.js';
import { type Key, keyOf } from '../../encoding/keys.js';
import { seededAccount } from '../../tokens/outside-world.js';
import { TIP_RECEIVERS } from './network-fees.js';

/** 50 million SOL: what the market maker sells and pays fees from. */
const MAKER_LAMPORTS = 50_000_000_000_000_000n;

/** Wallets that orders count on: the market maker's, and those that take tips. */
export function standingAccounts(maker: { readonly key: Key }): AccountChange[] {
  const nothing = Buffer.alloc(0);
  return [
    seededAccount(maker.key, SYSTEM_PROGRAM, nothing, MAKER_LAMPORTS),
    ...TIP_RECEIVERS.map((receiver) => seededAccount(keyOf(receiver.toBytes()), SYSTEM_PROGRAM, nothing)),
  ];
}
