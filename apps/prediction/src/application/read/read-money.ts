import { AppError } from '@agent-wallet/kernel';
import type {
  AgentBalance,
  BookedPosition,
  BookReader,
  OrderPage,
  OrderQuery,
  PositionList,
} from '../../ports/books.js';
import type { CatalogSource } from '../../ports/catalog.js';
import type { PolicySwitch } from '../../ports/policy-switch.js';
import { behindSwitch } from '../behind-switch.js';

/** A position, and what somebody pays for one of its contracts now; undefined when nobody does, or nobody knows. */
export interface PricedPosition extends BookedPosition {
  readonly currentPriceUsdMicros: bigint | undefined;
}

/** Positions with their prices. */
export interface PricedPositions extends Omit<PositionList, 'positions'> {
  readonly positions: readonly PricedPosition[];
}

interface Parts {
  readonly books: Pick<BookReader, 'balanceOf' | 'positionsOf' | 'ordersOf'>;
  readonly catalog: Pick<CatalogSource, 'market'>;
  readonly policies: PolicySwitch;
}

const MAX_ORDERS = 100;

/**
 * What agents may read of the books: only while their policy has prediction markets switched on.
 *
 * Everything throws AppError POLICY_VIOLATION and what policy throws.
 */
export class ReadMoney {
  constructor(private readonly parts: Parts) {}

  balance(agentId: string): Promise<AgentBalance> {
    const { policies, books } = this.parts;
    return behindSwitch(policies, agentId, () => books.balanceOf(agentId));
  }

  /** @param settled only settled ones, or only open ones; undefined for all */
  positions(agentId: string, settled: boolean | undefined): Promise<PricedPositions> {
    const { policies, books } = this.parts;
    return behindSwitch(policies, agentId, async () => {
      const { positions, ...counts } = await books.positionsOf(agentId, settled);
      return { ...counts, positions: await Promise.all(positions.map((position) => this.#priced(position))) };
    });
  }

  /** @throws AppError VALIDATION_ERROR */
  async orders(agentId: string, query: OrderQuery): Promise<OrderPage> {
    if (query.limit < 1 || query.limit > MAX_ORDERS) {
      throw AppError.field('limit', `must be an integer from 1 to ${MAX_ORDERS}`);
    }
    const { policies, books } = this.parts;
    return behindSwitch(policies, agentId, () => books.ordersOf(agentId, query));
  }

  /** A position is shown without a price rather than not at all. */
  async #priced(position: BookedPosition): Promise<PricedPosition> {
    const { ticker, side, settlement } = position;
    const market = settlement ? undefined : await this.parts.catalog.market(ticker).catch(() => undefined);
    const bid = side === 'yes' ? market?.yesBidUsdMicros : market?.noBidUsdMicros;
    return { ...position, currentPriceUsdMicros: bid };
  }
}
