import type { AccountChange } from '../../chain/account.js';
import { SYSTEM_PROGRAM } from '../../chain/programs.js';
import { keyOf } from '../../encoding/keys.js';
import { seededAccount } from '../../tokens/token-accounts.js';
import { TIP_RECEIVERS } from './network-fees.js';

/** The wallets that take tips: a transfer too small to make an account reaches them as on the real network. */
export function tipReceiverAccounts(): AccountChange[] {
  return TIP_RECEIVERS.map((receiver) => seededAccount(keyOf(receiver.toBytes()), SYSTEM_PROGRAM, Buffer.alloc(0)));
}
