import { AppError, formatAmount, insufficientFunds, neededLamports, SOL_DECIMALS } from '@agent-wallet/kernel';
import { NATIVE } from './token-registry.js';

/** The costs of a transfer, and the funds for it. All amounts in base units. */
export interface Funds extends PaymentOfCosts {
  /** Undefined when the native coin is sent. */
  readonly token:
    | { readonly symbol: string; readonly mint: string; readonly decimals: number; readonly available: bigint }
    | undefined;
  /** The amount for the recipient. */
  readonly sent: bigint;
  /** The amount for the operator. */
  readonly fee: bigint;
  /** The recipient's balance of the native coin. */
  readonly recipientLamports: bigint;
}

/** The costs of the network and a new account, and the balances of the possible payers. In lamports. */
export interface PaymentOfCosts {
  /** The wallet's balance of the native coin. */
  readonly lamports: bigint;
  readonly networkFeeLamports: bigint;
  /** Rent of the recipient's new token account; 0 when it has one. */
  readonly rentLamports: bigint;
  /** The least that an account may hold, unless it holds nothing. */
  readonly minimumLamports: bigint;
  /** The sponsor's balance, when it pays network fee and rent; undefined when the wallet does. */
  readonly sponsorLamports: bigint | undefined;
}

/**
 * Refuses a transfer that the chain would refuse.
 * @throws AppError INSUFFICIENT_FUNDS, naming what is missing; VALIDATION_ERROR for less than a new account must hold
 */
export function checkFunds(funds: Funds): void {
  const { token, sent, fee } = funds;
  if (token && token.available < sent + fee) throw insufficientFunds(token, sent + fee);
  if (!token) checkRecipient(funds);
  checkCosts(funds, token ? 0n : sent + fee);
}

/**
 * Refuses costs that their payer cannot pay.
 * @param spentLamports what the wallet spends besides
 * @throws AppError INSUFFICIENT_FUNDS, naming the lamports that are missing
 */
export function checkCosts(costs: PaymentOfCosts, spentLamports: bigint): void {
  const { lamports: held, minimumLamports: minimum, sponsorLamports } = costs;
  const cost = { networkFee: costs.networkFeeLamports, other: costs.rentLamports };
  const ofWallet = sponsorLamports === undefined ? cost : { networkFee: 0n, other: 0n };
  const needed = neededLamports({ ...ofWallet, held, minimum, other: ofWallet.other + spentLamports });
  if (needed !== undefined) throw insufficientFunds({ ...NATIVE, available: held }, needed);
  if (sponsorLamports === undefined) return;
  const neededOfSponsor = neededLamports({ ...cost, held: sponsorLamports, minimum });
  if (neededOfSponsor !== undefined) throw sponsorIsShort(neededOfSponsor - sponsorLamports);
}

/** Returns the error that a check throws; undefined when it passes. */
export function refusalOf(check: () => void): AppError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Reports whether an error says that a sponsor holds too little. */
function isSponsorShort(error: AppError): boolean {
  return error.data['payer'] === 'sponsor';
}

function checkRecipient({ recipientLamports, sent, minimumLamports }: Funds): void {
  if (recipientLamports + sent >= minimumLamports) return;
  const minimum = formatAmount(minimumLamports - recipientLamports, SOL_DECIMALS);
  throw AppError.field(
    'amount',
    `must be at least ${minimum} SOL, because the recipient's account would hold too little`,
    'out_of_range',
  );
}

function sponsorIsShort(missing: bigint): AppError {
  return new AppError('INSUFFICIENT_FUNDS', {
    message:
      `The sponsor lacks ${formatAmount(missing, SOL_DECIMALS)} SOL to pay the network in the wallet's place. ` +
      'Send SOL to the wallet, and it pays by itself.',
    data: { asset: NATIVE.symbol, decimals: NATIVE.decimals, payer: 'sponsor', missingLamports: missing.toString() },
  });
}

/** The terms of a transfer: who pays the network, and the source of the operator's fee. */
interface TransferTerms {
  readonly sent: bigint;
  readonly fee: bigint;
  readonly isFeeDeducted: boolean;
  readonly isSponsored: boolean;
}

/** Inputs for choosing the terms. */
export interface TransferOffer extends Omit<Funds, 'sent' | 'fee' | 'networkFeeLamports' | 'sponsorLamports'> {
  /** Base units that the caller asked to send. */
  readonly amount: bigint;
  /** Base units that the operator takes. */
  readonly fee: bigint;
  /** Lamports that the network takes for each signature. */
  readonly signatureLamports: bigint;
  /** Lamports that are offered for the message's place. */
  readonly priorityLamports: bigint;
  /** The sponsor's balance; undefined when there is none. */
  readonly sponsorLamports: bigint | undefined;
}

/**
 * Returns the first terms that the chain would accept. The fee is added where the balance covers it, else deducted; the
 * wallet pays the network where it can, else the sponsor.
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
  const { signatureLamports, priorityLamports } = offer;
  return {
    ...offer,
    sent,
    fee,
    networkFeeLamports: (isSponsored ? 2n * signatureLamports : signatureLamports) + priorityLamports,
    sponsorLamports: isSponsored ? offer.sponsorLamports : undefined,
  };
}

/**
 * Returns the refusal that asks for least: later terms take less of the wallet. A sponsor's shortage is not the
 * wallet's.
 */
function bestRefusal(refusals: readonly AppError[]): AppError {
  const own = refusals.filter((refusal) => !isSponsorShort(refusal));
  const least = own.findLast(({ code }) => code === 'INSUFFICIENT_FUNDS') ?? own[0]!;
  if (own.length === refusals.length || least.code !== 'INSUFFICIENT_FUNDS') return least;
  const { code, message, data } = least;
  return AppError.received(code, { message: `${message} The operator's sponsor cannot pay at the moment.`, data });
}
