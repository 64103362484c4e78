import type { intentV1 } from '@agent-wallet/contracts';
import { MAX_BASE_UNITS, SOL_DECIMALS } from '@agent-wallet/kernel';
import { isAddress } from '../addresses/address.js';
import { isTokenProgram, TOKEN_PROGRAM, type TokenProgram, WRAPPED_SOL_MINT } from '../addresses/programs.js';
import { isWalletAddress } from '../addresses/wallet-address.js';
import { addPlan, type LiquidityPlan, removePlan } from './liquidity-plan.js';
import { MessageRefused } from './message-refused.js';

/** An intent, proved to make sense: the one thing that a message is built from and compared with. */
export interface MessagePlan {
  /** Signs, and owns what is spent: the intent's wallet, but the treasury for a payout. */
  readonly wallet: string;
  /** Undefined when the wallet pays. */
  readonly sponsor: SponsorPlan | undefined;
  readonly action: TransferPlan | UnwrapPlan | LiquidityPlan;
}

/** The sponsor that pays the network fee, and the rent of a recipient's account, in the wallet's place. */
interface SponsorPlan {
  readonly address: string;
  readonly maxNetworkFeeLamports: bigint;
}

/** Money to another wallet. */
export interface TransferPlan {
  readonly kind: 'transfer';
  readonly recipient: string;
  readonly amount: bigint;
  /** UTF-8; empty for none. */
  readonly memo: Uint8Array;
  /** Undefined for the native coin. */
  readonly token: TokenPlan | undefined;
  /** The operator's fee in the same token; undefined without one. */
  readonly fee: { readonly recipient: string; readonly amount: bigint } | undefined;
}

/** A token, as a transfer needs to know it. */
export interface TokenPlan {
  readonly mint: string;
  readonly tokenProgram: TokenProgram;
  readonly decimals: number;
  readonly createsRecipientAccount: boolean;
}

/** Wrapped SOL becomes SOL; `remainder` lamports are wrapped again. */
export interface UnwrapPlan {
  readonly kind: 'unwrap';
  readonly amount: bigint;
  readonly remainder: bigint;
}

/**
 * The only token of an unwrap. The account never belongs to Token-2022, whose program has a wrapped mint of its own.
 */
export const WRAPPED_SOL = { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: SOL_DECIMALS } as const;

const encoder = new TextEncoder();

/** Takes an intent as it must be to be carried out. @throws MessageRefused `intent` */
export function messagePlan(intent: intentV1.Intent): MessagePlan {
  if (!isAddress(intent.wallet)) throw refused('the wallet is not an address');
  const action = actionPlan(intent);
  const wallet = intent.action?.$case === 'payout' ? intent.action.value.treasury : intent.wallet;
  return { wallet, sponsor: sponsorPlan(intent, action), action };
}

function actionPlan({ action, wallet }: intentV1.Intent): MessagePlan['action'] {
  switch (action?.$case) {
    case 'transfer':
      return transferPlan(wallet, action.value);
    case 'unwrap':
      return unwrapPlan(action.value);
    case 'swap':
      throw refused('a swap is checked by its own rules');
    case 'escrow':
      return escrowPlan(wallet, action.value);
    case 'payout':
      return movePlan({ wallet, ...action.value, recipient: wallet });
    case 'liquidityAdd':
      return addPlan(action.value);
    case 'liquidityRemove':
      return removePlan(action.value);
    case undefined:
      throw refused('it has no action');
  }
}

/**
 * Returns the sponsor's plan. A sponsor has no other part in the message. Because it is on the curve, it is not a token
 * account.
 */
function sponsorPlan(intent: intentV1.Intent, action: MessagePlan['action']): SponsorPlan | undefined {
  const { sponsor, maxNetworkFeeLamports } = intent;
  if (sponsor === undefined) {
    if (maxNetworkFeeLamports !== undefined) throw refused('it bounds the network fee of no sponsor');
    return undefined;
  }
  if (intent.action?.$case === 'payout') throw refused('the treasury pays for its own payouts');
  if ('pool' in action) throw refused('liquidity has no sponsor');
  if (maxNetworkFeeLamports === undefined) throw refused('the network fee of the sponsor is not bounded');
  if (!isWalletAddress(sponsor)) throw refused('the sponsor is not a wallet');
  const { recipient, fee, token } = action.kind === 'transfer' ? action : {};
  if ([intent.wallet, recipient, fee?.recipient, token?.mint].includes(sponsor)) {
    throw refused('the sponsor has another part in it');
  }
  return { address: sponsor, maxNetworkFeeLamports };
}

function transferPlan(wallet: string, transfer: intentV1.Transfer): TransferPlan {
  const { recipient, amount, memo } = transfer;
  if (!isAddress(recipient)) throw refused('the recipient is not an address');
  if (amount <= 0n || amount > MAX_BASE_UNITS) throw refused('the amount is not a positive u64');
  return {
    kind: 'transfer',
    recipient,
    amount,
    memo: encoder.encode(memo),
    token: tokenPlan(transfer),
    fee: feePlan(wallet, transfer),
  };
}

/**
 * Returns the plan of an escrow. A transaction does not show the order it pays for, so only the order's cost can be
 * compared.
 */
function escrowPlan(wallet: string, { order, ...move }: intentV1.Escrow): TransferPlan {
  if (order && order.maxCostUsdMicros !== move.amount) throw refused('its order costs another amount than it moves');
  return movePlan({ wallet, ...move, recipient: move.treasury, createsRecipientAccount: false });
}

interface Move extends intentV1.Payout {
  readonly wallet: string;
  readonly recipient: string;
}

/**
 * Returns the plan of a transfer between a wallet and the treasury. Its token belongs to the classic program, which
 * takes no transfer fee.
 */
function movePlan({ wallet, treasury, recipient, ...token }: Move): TransferPlan {
  if (!isWalletAddress(treasury)) throw refused('the treasury is not a wallet');
  if (treasury === wallet) throw refused('the treasury is the wallet itself');
  if (token.tokenProgram !== TOKEN_PROGRAM) throw refused('the treasury holds tokens of the classic program only');
  return transferPlan(wallet, { recipient, ...token, memo: '' });
}

function tokenPlan(transfer: intentV1.Transfer): TokenPlan | undefined {
  const { mint, tokenProgram, decimals, createsRecipientAccount } = transfer;
  if (mint === '') {
    if (tokenProgram !== '' || decimals !== SOL_DECIMALS || createsRecipientAccount) {
      throw refused('the native coin has 9 decimals, no program and no token accounts');
    }
    return undefined;
  }
  if (!isAddress(mint)) throw refused('the mint is not an address');
  if (!isTokenProgram(tokenProgram)) throw refused('the token program is not known');
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) throw refused('the decimals are not a u8');
  return { mint, tokenProgram, decimals, createsRecipientAccount };
}

function feePlan(wallet: string, { amount, fee, feeRecipient }: intentV1.Transfer): TransferPlan['fee'] {
  if (fee === undefined && feeRecipient === undefined) return undefined;
  if (fee === undefined || feeRecipient === undefined) throw refused('the fee is not complete');
  if (!isAddress(feeRecipient)) throw refused("the fee's recipient is not an address");
  if (feeRecipient === wallet) throw refused('the fee goes back to the wallet');
  if (fee <= 0n || amount + fee > MAX_BASE_UNITS)
    throw refused('the fee, or the amount with it, is not a positive u64');
  return { recipient: feeRecipient, amount: fee };
}

function unwrapPlan({ amount, remainder }: intentV1.Unwrap): UnwrapPlan {
  if (amount <= 0n || remainder < 0n || amount + remainder > MAX_BASE_UNITS) {
    throw refused('the amount is not a positive u64, or more with the remainder');
  }
  return { kind: 'unwrap', amount, remainder };
}

function refused(why: string): MessageRefused {
  return new MessageRefused('intent', `The intent cannot be carried out: ${why}.`);
}
