import type { components } from '@agent-wallet/sdk';
import type { View } from '../view.js';

type Transaction = components['schemas']['Transaction'];

/** Fields of the metadata of all actions, each of which may be missing. */
interface Facts {
  readonly memo?: string | null;
  readonly from?: string | null;
  readonly to?: string;
  readonly inputAmount?: string | null;
  readonly outputAmount?: string | null;
  readonly tokens?: readonly { readonly amount: string }[];
  readonly pool?: string;
  readonly ticker?: string;
  readonly side?: string;
  readonly count?: number | string;
  readonly requestedCount?: number | string;
  readonly result?: string;
  readonly amountDollars?: number | string;
  readonly changes?: readonly { readonly field: string }[];
}

type Words = (facts: Facts, record: Transaction, view: View) => string;

const liquidity: Words = ({ tokens = [], pool }) =>
  [tokens.map(({ amount }) => amount).join(' and '), pool && `pool ${pool}`].filter(Boolean).join(', ');

const order: Words = ({ count, requestedCount, side, ticker }) => {
  const part = requestedCount !== undefined && String(requestedCount) !== String(count) ? ` of ${requestedCount}` : '';
  return `${count ?? ''}${part} ${side ?? ''} of ${ticker ?? ''}`.trim();
};

const WORDS: Readonly<Record<string, Words>> = {
  transfer: ({ memo }, { to }) => [to && `to ${to}`, memo && `“${memo}”`].filter(Boolean).join(' '),
  deposit: ({ from }) => (from ? `from ${from}` : ''),
  trade: ({ from, to, inputAmount, outputAmount }) => `${inputAmount ?? from ?? ''} → ${outputAmount ?? to ?? ''}`,
  liquidity_add: liquidity,
  liquidity_remove: liquidity,
  prediction_buy: order,
  prediction_sell: order,
  prediction_settlement: ({ ticker, result }) => `${ticker ?? ''}: ${result ?? ''}`,
  prediction_withdrawal: ({ amountDollars }, _record, { usd }) => usd(amountDollars),
  policy_update: ({ changes = [] }) => changes.map(({ field }) => field).join(', '),
};

/** Says what an operation was for: its recipient and memo, both sides of a trade, the market of an order. */
export function purposeOf(record: Transaction, view: View): string {
  return (WORDS[record.action] ?? WORDS['transfer']!)(record.metadata as Facts, record, view);
}
