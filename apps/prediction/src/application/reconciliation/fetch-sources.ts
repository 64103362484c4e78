import type { Exchange } from '../../ports/exchange.js';
import type { Wallet } from '../../ports/wallet.js';

/** The treasury's holdings on chain: finalized and confirmed blocks differ for seconds after each payment. */
export interface TreasurySnapshot {
  readonly least: bigint;
  readonly most: bigint;
}

/** The state of our account at the exchange at one moment. */
export interface ExchangeSnapshot {
  readonly asOfMs: number;
  readonly cashUsdMicros: bigint;
  readonly positions: ReadonlyMap<string, bigint>;
}

/** Reads the treasury's USDC. */
export async function fetchTreasury(wallet: Pick<Wallet, 'getTreasury'>): Promise<TreasurySnapshot> {
  const { finalizedAmount, confirmedAmount } = await wallet.getTreasury({});
  return finalizedAmount < confirmedAmount
    ? { least: finalizedAmount, most: confirmedAmount }
    : { least: confirmedAmount, most: finalizedAmount };
}

/**
 * Reads the exchange's account. Up to when it is complete is asked first; the cash is asked before and after the positions,
 * so that both are of one moment.
 * @returns undefined when the cash moved in between
 */
export async function fetchExchange(
  exchange: Pick<Exchange, 'asOfMs' | 'balance' | 'positions'>,
): Promise<ExchangeSnapshot | undefined> {
  const asOfMs = await exchange.asOfMs();
  const before = await exchange.balance();
  const positions = await exchange.positions();
  const { cashUsdMicros } = await exchange.balance();
  return before.cashUsdMicros === cashUsdMicros ? { asOfMs, cashUsdMicros, positions } : undefined;
}
