import { type operationsV1, predictionV1 } from '@agent-wallet/contracts';
import type { TransactionRecord, TransactionStatus } from '../domain/transaction-record.js';

type Facts = operationsV1.OperationFacts | undefined;

/** Returns the status that agents see: a confirmed order that filled nothing is `cancelled`. */
export function findShownStatus(status: TransactionStatus, facts: Facts): TransactionStatus {
  const isUnfilled = findOrder(facts)?.status === predictionV1.OrderStatus.ORDER_STATUS_CANCELLED;
  return status === 'confirmed' && isUnfilled ? 'cancelled' : status;
}

/** Returns the escrow of an order. Policy counts what it took until that is back in the wallet. */
export function findEscrow(facts: Facts): TransactionRecord['escrow'] {
  if (facts?.action?.$case !== 'predictionBuy') return undefined;
  const { escrowUsdMicros: amount, refundedUsdMicros = 0n, refundedToBalance } = facts.action.value;
  return amount ? { amount, returned: refundedToBalance ? 0n : refundedUsdMicros } : undefined;
}

/** Returns the text that a search reads: memo, ticker and symbols, in the form of `toSearchForm`. */
export function findSearchText(asset: string, facts: Facts): string {
  // A person searches within one of them: no word continues from one into the next.
  return toSearchForm([asset, ...factTexts(facts)].filter((text) => text !== '').join('\n'));
}

/** Returns a text as searches compare it: without case, and as Postgres can store it. */
export function toSearchForm(text: string): string {
  return text.replaceAll('\0', ' ').normalize('NFC').toLowerCase();
}

function findOrder(facts: Facts): predictionV1.Order | undefined {
  const action = facts?.action;
  return action?.$case === 'predictionBuy' || action?.$case === 'predictionSell' ? action.value.order : undefined;
}

function factTexts(facts: Facts): string[] {
  const action = facts?.action;
  switch (action?.$case) {
    case 'transfer':
      return [action.value.symbol, action.value.memo];
    case 'trade':
      return [action.value.input?.symbol ?? '', action.value.output?.symbol ?? ''];
    case 'liquidityAdd':
    case 'liquidityRemove':
      return action.value.tokens.map(({ symbol }) => symbol);
    case 'predictionSettlement':
      return [action.value.ticker];
    default:
      return [findOrder(facts)?.ticker ?? ''];
  }
}
