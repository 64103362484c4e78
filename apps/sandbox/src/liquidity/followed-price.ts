import { z } from 'zod';
import type { Account, AccountChange } from '../chain/account.js';
import { SYSTEM_PROGRAM } from '../chain/programs.js';
import { type Key, keyBytes } from '../encoding/keys.js';
import { derivedAddress } from '../market/pool.js';
import { seededAccount } from '../tokens/token-accounts.js';

const Followed = z.object({ prices: z.string(), skewPercent: z.number().nullable() });

/** How a pool follows the price board. */
type FollowedPrice = z.infer<typeof Followed>;

/** Returns where a pool's note lies: an account of the sandbox's own, so that the pool's own bytes stay Raydium's. */
export function followAddress(pool: Key): Key {
  return derivedAddress('followed price', keyBytes(pool));
}

/**
 * Builds the note of the prices that a pool was last moved to, and of how far it stands off from them. Without a skew
 * (null) it does not follow.
 */
export function followAccount(pool: Key, followed: FollowedPrice): AccountChange {
  return seededAccount(followAddress(pool), SYSTEM_PROGRAM, Buffer.from(JSON.stringify(followed)));
}

/** Reads a note. */
export function readFollowed(account: Account | undefined): FollowedPrice {
  return account ? Followed.parse(JSON.parse(account.data.toString())) : { prices: '', skewPercent: null };
}
