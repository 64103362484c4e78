import type { Clock } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { worthOfPairs } from '../../domain/ledger/amounts.js';
import { type Comparison, explainedOf, type InFlightRange } from '../../domain/ledger/compare.js';
import type { AccountKind } from '../../domain/ledger/line.js';
import type { LedgerSnapshot, ReconciliationStore } from '../../ports/reconciliation-store.js';
import type { Exchange, ExchangeSettlement } from '../../ports/exchange.js';
import type { Wallet } from '../../ports/wallet.js';
import { type ExchangeSnapshot, fetchExchange, fetchTreasury, type TreasurySnapshot } from './fetch-sources.js';

/** Dependencies of a comparison. */
export interface ReconcileLedgerOptions {
  readonly ledger: Pick<ReconciliationStore, 'picture'>;
  readonly wallet: Pick<Wallet, 'getTreasury'>;
  readonly exchange: Pick<Exchange, 'asOfMs' | 'balance' | 'positions' | 'settlements'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The ledger beside its sources. */
export interface Findings {
  /** Whether everything was compared, each figure at a moment at which nothing was posted. */
  readonly complete: boolean;
  readonly atMs: number;
  readonly comparisons: readonly Comparison[];
  readonly picture: LedgerSnapshot;
}

/** Every entry changes the figures, so a poll must fall between two of them. */
const TRIES = 5;
const SETTLEMENTS_MS = 30 * 86_400_000;

interface Looks {
  readonly treasury: TreasurySnapshot | undefined;
  readonly exchange: ExchangeSnapshot | undefined;
  readonly settlements: readonly ExchangeSettlement[];
}

/**
 * Compares the ledger with the chain and the exchange. The ledger is read before and after its sources: a figure counts
 * only when nothing was posted of it in between. What may have happened at a source and is not posted is known from what
 * the ledger holds for operations on their way, as they are read last: a move or an order is written before it is made.
 */
export async function reconcileLedger(options: ReconcileLedgerOptions): Promise<Findings> {
  const found = new Map<string, readonly Comparison[]>();
  let picture = await options.ledger.picture();
  for (let attempt = 0; attempt < TRIES && found.size < 2; attempt += 1) {
    const looks = await fetchSources(options, picture, found);
    const after = await options.ledger.picture();
    const { treasury, exchange } = looks;
    if (treasury && after.treasuryMark === picture.treasuryMark) found.set('treasury', [ofTreasury(after, treasury)]);
    if (exchange && after.exchangeMark === picture.exchangeMark && exchange.asOfMs >= after.lastFillAtMs) {
      found.set('exchange', ofExchange(after, exchange, looks.settlements));
    }
    picture = after;
  }
  const comparisons = [...(found.get('treasury') ?? []), ...(found.get('exchange') ?? [])];
  return { complete: found.size === 2, atMs: options.clock.nowMs(), comparisons, picture };
}

async function fetchSources(
  { wallet, exchange, clock, logger }: ReconcileLedgerOptions,
  picture: LedgerSnapshot,
  found: ReadonlyMap<string, unknown>,
): Promise<Looks> {
  const unanswered = (err: unknown) => {
    logger.warn({ event: 'ledger.source_read_failed', err }, 'Balance source could not be read; not reconciled');
    return undefined;
  };
  const [treasury, atExchange] = await Promise.all([
    found.has('treasury') ? undefined : fetchTreasury(wallet).catch(unanswered),
    found.has('exchange') ? undefined : snapshotWithSettlements().catch(unanswered),
  ]);
  return { treasury, exchange: atExchange?.look, settlements: atExchange?.settlements ?? [] };

  async function snapshotWithSettlements() {
    const look = await fetchExchange(exchange);
    const differs =
      look && [...picture.positions].some(([ticker, ledgerAmount]) => look.positions.get(ticker) !== ledgerAmount);
    return { look, settlements: differs ? await exchange.settlements(clock.nowMs() - SETTLEMENTS_MS) : [] };
  }
}

function ofTreasury(picture: LedgerSnapshot, { least, most }: TreasurySnapshot): Comparison {
  const ledgerAmount = balanceOf(picture, 'treasury_usdc');
  const pending = -balanceOf(picture, 'withdraw_pending');
  const inFlight = { least: -pending, most: picture.expectedEscrowsUsdMicros };
  const externalAmount = figureOf([most, least], ledgerAmount, inFlight);
  const inFlightAmount = explainedOf(externalAmount - ledgerAmount, inFlight);
  return {
    subject: 'treasury_usdc',
    ledgerAmount,
    externalAmount,
    inFlightAmount,
    note: noteOf(inFlightAmount, 'moves on their way'),
  };
}

/**
 * Returns the figure, finalized or confirmed, that moves in flight explain; otherwise the amount nearest to an
 * explanation.
 */
function figureOf([most, least]: readonly [bigint, bigint], ledgerAmount: bigint, inFlight: InFlightRange): bigint {
  const fitting = [most, least].find(
    (figure) => explainedOf(figure - ledgerAmount, inFlight) === figure - ledgerAmount,
  );
  if (fitting !== undefined) return fitting;
  if (most - ledgerAmount < inFlight.least) return most;
  return least - ledgerAmount > inFlight.most ? least : ledgerAmount;
}

function ofExchange(
  picture: LedgerSnapshot,
  look: ExchangeSnapshot,
  settlements: readonly ExchangeSettlement[],
): Comparison[] {
  // Settled at the exchange and not yet here: its contracts are gone there, and their worth has come.
  const settled = new Map(
    settlements
      .filter(({ ticker }) => picture.positions.has(ticker) && !look.positions.has(ticker))
      .map((s) => [s.ticker, s]),
  );
  const paid = [...settled.values()].reduce((sum, { revenueUsdMicros }) => sum + revenueUsdMicros, 0n);
  const open = [...picture.openOrders.values()].reduce((sum, count) => sum + count, 0n);
  const cash = balanceOf(picture, 'exchange_cash');
  // An order can cost its contracts' worth and the fee, and bring as much where it nets what the account holds.
  const inFlight = { least: paid - worthOfPairs(open + open / 8n), most: paid + worthOfPairs(open) };
  const inFlightAmount = explainedOf(look.cashUsdMicros - cash, inFlight);
  const tickers = [...new Set([...picture.positions.keys(), ...look.positions.keys()])].sort();
  return [
    {
      subject: 'exchange_cash',
      ledgerAmount: cash,
      externalAmount: look.cashUsdMicros,
      inFlightAmount,
      note: noteOf(inFlightAmount, 'orders and settlements on their way'),
    },
    ...tickers.map((ticker) => ofPosition(picture, look, { ticker, isSettled: settled.has(ticker) })),
  ];
}

function ofPosition(
  picture: LedgerSnapshot,
  look: ExchangeSnapshot,
  { ticker, isSettled }: { readonly ticker: string; readonly isSettled: boolean },
): Comparison {
  const ledgerAmount = picture.positions.get(ticker) ?? 0n;
  const externalAmount = look.positions.get(ticker) ?? 0n;
  const open = picture.openOrders.get(ticker) ?? 0n;
  const shift = isSettled ? -ledgerAmount : 0n;
  const inFlightAmount = explainedOf(externalAmount - ledgerAmount, { least: shift - open, most: shift + open });
  return {
    subject: `position:${ticker}`,
    ledgerAmount,
    externalAmount,
    inFlightAmount,
    note: noteOf(inFlightAmount, isSettled ? 'settled at the exchange' : 'orders on their way'),
  };
}

function balanceOf({ accounts }: LedgerSnapshot, kind: AccountKind): bigint {
  return accounts.find((account) => account.kind === kind)?.balanceUsdMicros ?? 0n;
}

function noteOf(inFlightAmount: bigint, by: string): string {
  return inFlightAmount === 0n ? '' : `explained by ${by}`;
}
