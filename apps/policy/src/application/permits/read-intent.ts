import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, invalidAddress, MAX_BASE_UNITS, SOL_DECIMALS } from '@agent-wallet/kernel';
import { addPlan, isAddress, isTokenProgram, MessageRefused, removePlan } from '@agent-wallet/solana';
import type { SponsorshipBounds } from '../../domain/sponsorship.js';
import type { SwapTerms } from '../../domain/swap-terms.js';
import type { Screening } from '../../ports/screening.js';
import { checkMove } from './check-move.js';
import { checkSwap } from './check-swap.js';

/** Terms that an intent must agree with: the operator's own addresses, and the terms of sponsorship. */
export interface IntentTerms {
  /** Base58; undefined when nothing is sponsored. */
  readonly sponsorAddress: string | undefined;
  /** Base58; undefined when no operator's fee is taken. */
  readonly feeWalletAddress: string | undefined;
  /** Base58; undefined when there are no prediction markets. */
  readonly treasuryAddress: string | undefined;
  readonly bounds: SponsorshipBounds;
  readonly swaps: SwapTerms;
  readonly screening: Screening;
}

/** An intent that makes sense by itself. */
export interface ReadIntent {
  readonly action: NonNullable<intentV1.Intent['action']>;
  /** The network fee that the sponsor pays at most; undefined when the wallet pays. */
  readonly sponsoredFeeLamports: bigint | undefined;
}

/** Cost of two signatures without a price offered: no sponsored message costs less. */
const LEAST_SPONSORED_FEE_LAMPORTS = 10_000n;

/**
 * Reads an intent and proves that it makes sense by itself. What is wrong is its maker's fault, but for a recipient
 * that is the sponsor or screened, which anyone can ask for.
 * @throws AppError VALIDATION_ERROR naming the field; INVALID_ADDRESS
 */
export function readIntent(intent: intentV1.Intent | undefined, terms: IntentTerms): ReadIntent {
  if (!intent?.action) throw AppError.field('intent', 'must have an action that is known');
  if (!isAddress(intent.wallet)) throw AppError.field('intent.wallet', 'must be an address');
  const sponsoredFeeLamports = readSponsoredFee(intent, terms);
  const { action } = intent;
  switch (action.$case) {
    case 'unwrap':
      checkUnwrap(action.value);
      break;
    case 'liquidityAdd':
    case 'liquidityRemove':
      checkLiquidity(intent, action);
      break;
    case 'swap':
      checkSwap(intent, action.value, terms.swaps);
      break;
    case 'escrow':
    case 'payout':
      checkMove(intent, action, terms);
      break;
    case 'transfer':
      checkTransfer(action.value, terms);
      if (intent.sponsor !== undefined && action.value.recipient === intent.sponsor) {
        const reason = 'is the wallet that pays the network fee. Send to another wallet.';
        throw invalidAddress('to', 'fee_payer', { reason });
      }
      if (terms.screening.isListed(action.value.recipient)) {
        throw invalidAddress('to', 'screened', { reason: 'gets no payments from here: the operator screens it.' });
      }
      break;
    default:
      action satisfies never;
  }
  return { action, sponsoredFeeLamports };
}

function readSponsoredFee(intent: intentV1.Intent, { sponsorAddress, bounds }: IntentTerms): bigint | undefined {
  const { sponsor, maxNetworkFeeLamports: fee } = intent;
  if (sponsor === undefined) {
    if (fee !== undefined) throw AppError.field('intent.maxNetworkFeeLamports', 'must be unset without a sponsor');
    return undefined;
  }
  if (sponsor !== sponsorAddress) throw AppError.field('intent.sponsor', 'is not the sponsor');
  if (fee === undefined || fee < LEAST_SPONSORED_FEE_LAMPORTS) {
    throw AppError.field('intent.maxNetworkFeeLamports', `must be at least ${LEAST_SPONSORED_FEE_LAMPORTS}`);
  }
  // The least fee may be beyond the bound, too: then the bound refuses it, and says so to the agent.
  if (fee > LEAST_SPONSORED_FEE_LAMPORTS && fee > bounds.maxLamportsPerTransaction) {
    throw AppError.field('intent.maxNetworkFeeLamports', `must be at most ${bounds.maxLamportsPerTransaction}`);
  }
  return fee;
}

function checkUnwrap({ amount, remainder }: intentV1.Unwrap): void {
  if (amount <= 0n) throw AppError.field('intent.unwrap.amount', 'must be positive');
  if (remainder < 0n || amount + remainder > MAX_BASE_UNITS) {
    throw AppError.field('intent.unwrap.remainder', 'must be a u64 together with the amount');
  }
}

/** Proves that liquidity is added or removed within the tolerance, and that the wallet pays for it. */
function checkLiquidity(
  { sponsor }: intentV1.Intent,
  action: Extract<intentV1.Intent['action'], { $case: 'liquidityAdd' | 'liquidityRemove' }>,
): void {
  if (sponsor !== undefined) throw AppError.field('intent.sponsor', 'must be unset: liquidity is not sponsored');
  try {
    if (action.$case === 'liquidityAdd') addPlan(action.value);
    else removePlan(action.value);
  } catch (error) {
    if (error instanceof MessageRefused) throw AppError.field(`intent.${action.$case}`, error.message);
    throw error;
  }
}

function checkTransfer(transfer: intentV1.Transfer, terms: IntentTerms): void {
  if (!isAddress(transfer.recipient)) throw AppError.field('intent.transfer.recipient', 'must be an address');
  if (transfer.amount <= 0n || transfer.amount > MAX_BASE_UNITS) {
    throw AppError.field('intent.transfer.amount', 'must be a positive u64');
  }
  checkOperatorsFee(transfer, terms);
  if (transfer.mint === '') return checkNative(transfer);
  if (!isAddress(transfer.mint)) throw AppError.field('intent.transfer.mint', 'must be an address');
  if (!isTokenProgram(transfer.tokenProgram)) {
    throw AppError.field('intent.transfer.tokenProgram', 'must be a token program');
  }
}

function checkOperatorsFee({ amount, fee, feeRecipient }: intentV1.Transfer, { feeWalletAddress }: IntentTerms): void {
  if (fee === undefined && feeRecipient === undefined) return;
  if (fee === undefined || fee <= 0n || amount + fee > MAX_BASE_UNITS) {
    throw AppError.field('intent.transfer.fee', 'must be positive, and a u64 together with the amount');
  }
  if (feeRecipient === undefined || feeRecipient !== feeWalletAddress) {
    throw AppError.field('intent.transfer.feeRecipient', "is not the operator's fee wallet");
  }
}

function checkNative(transfer: intentV1.Transfer): void {
  if (transfer.tokenProgram !== '') {
    throw AppError.field('intent.transfer.tokenProgram', 'must be empty for the native coin');
  }
  if (transfer.decimals !== SOL_DECIMALS) {
    throw AppError.field('intent.transfer.decimals', `must be ${SOL_DECIMALS} for the native coin`);
  }
  if (transfer.createsRecipientAccount) {
    throw AppError.field('intent.transfer.createsRecipientAccount', 'must be false for the native coin');
  }
}
