import { AppError } from '@agent-wallet/kernel';
import { checkFunds, type Funds, isSponsorShort, refusalOf } from './funds.js';

/** How a transfer is done: who pays the network, and where the operator's fee comes from. */
export interface TransferTerms {
  readonly sent: bigint;
  readonly fee: bigint;
  readonly isFeeDeducted: boolean;
  readonly isSponsored: boolean;
}

/** What the terms are chosen from. */
export interface TransferOffer extends Omit<Funds, 'sent' | 'fee' | 'networkFeeLamports' | 'sponsorLamports'> {
  /** Base units that the caller asked to send. */
  readonly amount: bigint;
  /** Base units that the operator takes. */
  readonly fee: bigint;
  /** Lamports that the network takes for each signature. */
  readonly signatureLamports: bigint;
  /** What the sponsor holds; undefined when there is none. */
  readonly sponsorLamports: bigint | undefined;
}

/**
 * The first terms that the chain would accept. The fee is added where the balance covers it, else deducted; the wallet
 * pays the network where it can, else the sponsor.
 * @throws AppError INSUFFICIENT_FUNDS when there are none, naming what the wallet lacks; VALIDATION_ERROR
 */
export function chooseTerms(offer: TransferOffer): TransferTerms {
  const refusals: AppError[] = [];
  for (const terms of possibleTerms(offer)) {
    const refusal = refusalOf(() => checkFunds(fundsOf(offer, terms)));
    if (!refusal) return terms;
    refusals.push(refusal);
  }
  throw bestRefusal(refusals);
}

function possibleTerms({ amount, fee, sponsorLamports }: TransferOffer): TransferTerms[] {
  const added = { sent: amount, fee, isFeeDeducted: false };
  const deducted = { sent: amount - fee, fee, isFeeDeducted: true };
  const modes = fee > 0n && fee < amount ? [added, deducted] : [added];
  const payers = sponsorLamports === undefined ? [false] : [false, true];
  return modes.flatMap((mode) => payers.map((isSponsored) => ({ ...mode, isSponsored })));
}

function fundsOf(offer: TransferOffer, { sent, fee, isSponsored }: TransferTerms): Funds {
  const { signatureLamports } = offer;
  return {
    ...offer,
    ...{ sent, fee },
    networkFeeLamports: isSponsored ? 2n * signatureLamports : signatureLamports,
    sponsorLamports: isSponsored ? offer.sponsorLamports : undefined,
  };
}

/** The one that asks for least: what comes later takes less of the wallet. What a sponsor lacks is not the wallet's. */
function bestRefusal(refusals: readonly AppError[]): AppError {
  const own = refusals.filter((refusal) => !isSponsorShort(refusal));
  const least = own.findLast(({ code }) => code === 'INSUFFICIENT_FUNDS') ?? own[0]!;
  if (own.length === refusals.length || least.code !== 'INSUFFICIENT_FUNDS') return least;
  const { code, message, data } = least;
  return new AppError(code, { message: `${message} The operator's sponsor cannot pay at the moment.`, data });
}
