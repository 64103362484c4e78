import type { MarketRecord } from '@agent-wallet/kalshi';
import { AppError } from '@agent-wallet/kernel';
import type {
  AgentBalance,
  LedgerPosition,
  LedgerReader,
  OrderPage,
  OrderQuery,
  PositionList,
} from '../../ports/ledger-store.js';
import type { CatalogSource } from '../../ports/catalog.js';
import type { PolicySwitch } from '../../ports/policy-switch.js';
import { withPolicySwitch } from '../access/policy-switch-guard.js';

/** A position, and the best price for one of its contracts now; undefined without a bid, or when unknown. */
export interface PricedPosition extends LedgerPosition {
  readonly currentPriceUsdMicros: bigint | undefined;
}

/** Positions with their prices. */
interface PricedPositions extends Omit<PositionList, 'positions'> {
  readonly positions: readonly PricedPosition[];
}

interface Dependencies {
  readonly ledger: Pick<LedgerReader, 'balanceOf' | 'positionsOf' | 'ordersOf'>;
  readonly catalog: Pick<CatalogSource, 'marketsNamed'>;
  readonly policies: PolicySwitch;
}

const MAX_ORDERS = 100;
/** The exchange answers for so many markets in one call. */
const MARKETS_PER_CALL = 100;
/**
 * Further positions, the older ones, are shown without a price: one agent must not use up the shared request budget.
 */
const MAX_PRICED = 1_000;

/**
 * Reads of the ledger by agents: allowed only while their policy has prediction markets switched on.
 *
 * Every method throws AppError POLICY_VIOLATION and what policy throws.
 */
export class ReadMoney {
  constructor(private readonly dependencies: Dependencies) {}

  balance(agentId: string): Promise<AgentBalance> {
    const { policies, ledger } = this.dependencies;
    return withPolicySwitch(policies, agentId, () => ledger.balanceOf(agentId));
  }

  /** @param settled only settled ones, or only open ones; undefined for all */
  positions(agentId: string, settled: boolean | undefined): Promise<PricedPositions> {
    const { policies, ledger } = this.dependencies;
    return withPolicySwitch(policies, agentId, async () => {
      const { positions, ...counts } = await ledger.positionsOf(agentId, settled);
      const bids = await this.#bidsFor(positions);
      return { ...counts, positions: positions.map((position) => priced(position, bids)) };
    });
  }

  /** @throws AppError VALIDATION_ERROR */
  async orders(agentId: string, query: OrderQuery): Promise<OrderPage> {
    if (query.limit < 1 || query.limit > MAX_ORDERS) {
      throw AppError.field('limit', `must be an integer from 1 to ${MAX_ORDERS}`);
    }
    const { policies, ledger } = this.dependencies;
    return withPolicySwitch(policies, agentId, () => ledger.ordersOf(agentId, query));
  }

  /** Reads the markets of open positions. A position without one is shown without a price. */
  async #bidsFor(positions: readonly LedgerPosition[]): Promise<ReadonlyMap<string, MarketRecord>> {
    const open = positions.filter(({ settlement }) => !settlement).map(({ ticker }) => ticker);
    const tickers = [...new Set(open)].slice(0, MAX_PRICED);
    const calls = Array.from({ length: Math.ceil(tickers.length / MARKETS_PER_CALL) }, (_, call) =>
      this.dependencies.catalog
        .marketsNamed(tickers.slice(call * MARKETS_PER_CALL, (call + 1) * MARKETS_PER_CALL))
        .catch(() => []),
    );
    return new Map((await Promise.all(calls)).flat().map((market) => [market.ticker, market]));
  }
}

function priced(position: LedgerPosition, markets: ReadonlyMap<string, MarketRecord>): PricedPosition {
  const { ticker, side, settlement } = position;
  const market = settlement ? undefined : markets.get(ticker);
  return { ...position, currentPriceUsdMicros: side === 'yes' ? market?.yesBidUsdMicros : market?.noBidUsdMicros };
}
