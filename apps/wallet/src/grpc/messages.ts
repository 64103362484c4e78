import type { walletV1 } from '@agent-wallet/contracts';
import { type AmountFields, AppError, baseUnitsOf, readRequestedAmount, SOL_DECIMALS } from '@agent-wallet/kernel';
import { answeredState, awaitedApproval, type RequestedApproval } from '@agent-wallet/operations';
import { signatureText } from '@agent-wallet/solana';
import type { MoveResult } from '../application/moves/move.js';
import type { DryRun } from '../application/operations/dry-run.js';
import type { Balance, Balances } from '../application/wallets/get-balances.js';
import type { TokenFacts } from '../application/wallets/get-token.js';
import type { MoveRequest } from '../domain/move.js';
import type { TransferRequest } from '../domain/transfer.js';
import type { UnwrapRequest } from '../domain/unwrap.js';

/** Balances as they are sent. */
export function toBalancesResponse(balances: Balances): walletV1.GetBalancesResponse {
  return {
    address: balances.address,
    sol: toTokenBalance(balances.sol),
    tokens: balances.tokens.map(toTokenBalance),
    totalUsdMicros: balances.totalUsdMicros,
    pricedAtMs: BigInt(balances.pricedAtMs ?? 0),
  };
}

function toTokenBalance(balance: Balance): walletV1.TokenBalance {
  return { ...balance };
}

/** An operation's answer; without a landing it is a dry run's. */
interface Answer {
  readonly isConfirmed?: boolean;
  readonly signature?: Uint8Array | undefined;
  /** Undefined while no message was built. */
  readonly networkFeeLamports?: bigint | undefined;
  /** The approval requested of an owner; undefined when none was. */
  readonly approval?: RequestedApproval | undefined;
}

/** Reads the request of a transfer. @throws AppError VALIDATION_ERROR */
export function transferRequestOf(message: walletV1.DryRunTransferRequest): TransferRequest {
  const { to, mint, memo } = message;
  return { to, mint, amount: readRequestedAmount(message), memo };
}

/** Returns the response to a transfer, or to its dry run. */
export function toTransferResponse(
  answer: Answer & { readonly facts: walletV1.TransferFacts },
): walletV1.TransferResponse {
  const { facts, networkFeeLamports = 0n, approval } = answer;
  return { ...landing(answer), facts, networkFeeLamports, approval: awaitedApproval(approval) };
}

/** Reads the request of an unwrap: without an amount, of all. @throws AppError VALIDATION_ERROR */
export function unwrapRequestOf(message: AmountFields): UnwrapRequest {
  if (message.amount === '' && message.amountRaw === undefined) return {};
  return { amount: baseUnitsOf(readRequestedAmount(message), SOL_DECIMALS) };
}

/** Returns the response to an unwrap, or to its dry run. */
export function toUnwrapResponse(answer: Answer & { readonly facts: walletV1.UnwrapFacts }): walletV1.UnwrapResponse {
  const { facts, networkFeeLamports = 0n } = answer;
  return { ...landing(answer), facts, networkFeeLamports };
}

/** Returns the direction, amount and order of a move. @throws AppError VALIDATION_ERROR */
export function directionOf({
  move,
}: Pick<walletV1.MoveRequest, 'move'>): Pick<MoveRequest, 'direction' | 'amount' | 'order'> {
  if (!move) throw AppError.field('move', 'must be an escrow or a payout');
  const order = move.$case === 'escrow' ? move.value.order : undefined;
  return { direction: move.$case, amount: move.value.amount, ...(order ? { order } : {}) };
}

/** Returns the response to a move. */
export function toMoveResponse({ amount, ...answer }: MoveResult): walletV1.MoveResponse {
  return { ...landing(answer), amount };
}

function landing(answer: Answer): Pick<walletV1.UnwrapResponse, 'state' | 'signature'> {
  const { signature } = answer;
  return { state: answeredState(answer), signature: signature ? signatureText(signature) : '' };
}

/** Returns a dry run as its message. */
export function toDryRun({ decision, networkFeeLamports, isSponsored, balanceChanges }: DryRun): walletV1.DryRun {
  return {
    decision,
    networkFeeLamports,
    sponsored: isSponsored,
    balanceChanges: balanceChanges.map(({ mint, symbol, decimals, amount }) => ({
      mint,
      symbol,
      amount: amount < 0n ? -amount : amount,
      isDebit: amount < 0n,
      decimals,
    })),
  };
}

/** Returns the known facts about a token as a response. */
export function toTokenResponse({ isVerified, safety, ...token }: TokenFacts): walletV1.GetTokenResponse {
  return {
    ...token,
    verified: isVerified,
    safety: {
      freezeAuthority: safety.freezeAuthority ?? '',
      mintAuthority: safety.mintAuthority ?? '',
      permanentDelegate: safety.permanentDelegate ?? '',
      transferHook: safety.transferHook ?? '',
      transferFeeBps: safety.transferFeeBps,
      maxTransferFee: safety.maxTransferFee,
      unsafeExtensions: [...safety.unsafeExtensions],
    },
  };
}
