import { walletV1 } from '@agent-wallet/contracts';
import { signatureText } from '@agent-wallet/solana';
import type { Balance, Balances } from '../application/get-balances.js';
import type { TransferAnswer } from '../application/transfer.js';

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

/** A transfer's answer as it is sent. Transfers carry no operator's fee in this version. */
export function toTransferResponse(answer: TransferAnswer): walletV1.TransferResponse {
  const { isConfirmed, signature, recipient, plan } = answer;
  const amount = BigInt(plan?.amount ?? 0);
  return {
    state: isConfirmed
      ? walletV1.OperationState.OPERATION_STATE_CONFIRMED
      : walletV1.OperationState.OPERATION_STATE_SUBMITTED,
    signature: signature ? signatureText(signature) : '',
    recipient,
    mint: plan?.mint ?? '',
    symbol: plan?.symbol ?? '',
    decimals: plan?.decimals ?? 0,
    amount,
    amountSent: amount,
    fee: 0n,
    feeDeducted: false,
    totalDeducted: amount,
  };
}
