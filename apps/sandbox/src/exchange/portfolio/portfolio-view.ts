import { takeFault } from '../access/exchange-faults.js';
import type { AccountView } from '../engine/exchange.js';
import type { PortfolioContext } from './portfolio-context.js';

const TIMESTAMP_PATH = '/exchange/user_data_timestamp';

/** The account as reads show it, which a fault may hold back. What was read last says how old the reads are. */
export class PortfolioView {
  private lastAsOfMs: number | undefined;

  constructor(private readonly context: PortfolioContext) {}

  /** The account for a read of this path. */
  read(path: string, tickers: readonly string[] = []): AccountView {
    this.lastAsOfMs = this.laggedMs(path, tickers);
    return this.context.exchange.account(this.lastAsOfMs);
  }

  /** Up to when reads show everything. */
  asOfMs(): number {
    return this.laggedMs(TIMESTAMP_PATH, []) ?? this.lastAsOfMs ?? this.context.exchange.nowMs();
  }

  private laggedMs(path: string, tickers: readonly string[]): number | undefined {
    const { faults, exchange } = this.context;
    const lag = takeFault(faults, 'lagPortfolio', { method: 'GET', path, tickers, byDefault: true });
    return lag && exchange.nowMs() - lag.delayMs;
  }
}
