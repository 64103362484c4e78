import type { intentV1 } from '@agent-wallet/contracts';
import { MAX_BASE_UNITS, SOL_DECIMALS } from '@agent-wallet/kernel';
import { isAddress } from '../addresses/address.js';
import { isTokenProgram, type TokenProgram } from '../addresses/programs.js';
import { MessageRefused } from './message-refused.js';

/** A transfer's intent, proved to make sense: the one thing that a message is built from and compared with. */
export interface TransferPlan {
  readonly wallet: string;
  readonly recipient: string;
  readonly amount: bigint;
  /** UTF-8; empty for none. */
  readonly memo: Uint8Array;
  /** Undefined for the native coin. */
  readonly token: TokenPlan | undefined;
}

interface TokenPlan {
  readonly mint: string;
  readonly tokenProgram: TokenProgram;
  readonly decimals: number;
  readonly createsRecipientAccount: boolean;
}

const encoder = new TextEncoder();

/** Takes an intent as a transfer. @throws MessageRefused `intent` */
export function transferPlan(intent: intentV1.Intent): TransferPlan {
  if (intent.action?.$case !== 'transfer') throw refused('it is no transfer');
  const { recipient, amount, memo, fee, feeRecipient } = intent.action.value;
  if (fee !== undefined || feeRecipient !== undefined) throw refused('it has a fee for the operator');
  if (intent.sponsor !== undefined || intent.maxNetworkFeeLamports !== undefined) throw refused('it has a sponsor');
  if (!isAddress(intent.wallet)) throw refused('the wallet is no address');
  if (!isAddress(recipient)) throw refused('the recipient is no address');
  if (amount <= 0n || amount > MAX_BASE_UNITS) throw refused('the amount is no positive u64');
  return {
    wallet: intent.wallet,
    recipient,
    amount,
    memo: encoder.encode(memo),
    token: tokenPlan(intent.action.value),
  };
}

function tokenPlan(transfer: intentV1.Transfer): TokenPlan | undefined {
  const { mint, tokenProgram, decimals, createsRecipientAccount } = transfer;
  if (mint === '') {
    if (tokenProgram !== '' || decimals !== SOL_DECIMALS || createsRecipientAccount) {
      throw refused('the native coin has 9 decimals, no program and no token accounts');
    }
    return undefined;
  }
  if (!isAddress(mint)) throw refused('the mint is no address');
  if (!isTokenProgram(tokenProgram)) throw refused('the token program is not known');
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) throw refused('the decimals are no u8');
  return { mint, tokenProgram, decimals, createsRecipientAccount };
}

function refused(why: string): MessageRefused {
  return new MessageRefused('intent', `The intent cannot be carried out: ${why}.`);
}
