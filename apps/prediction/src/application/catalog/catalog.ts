import { invalidCursor, notFound } from '@agent-wallet/kernel';
import type {
  Book,
  CategoryRecord,
  EventRecord,
  MarketRecord,
  MarketStatus,
  MilestoneRecord,
  PriceLevel,
  SeriesRecord,
  SportsRecord,
  StructuredTargetRecord,
} from '@agent-wallet/kalshi';
import { isTradeable } from '../../domain/catalog/tradeable.js';
import type {
  CatalogSource,
  EventsQuery,
  MarketsQuery,
  MilestonesQuery,
  Page,
  TargetsQuery,
} from '../../ports/catalog.js';
import type { PolicySwitch } from '../../ports/policy-switch.js';
import { withPolicySwitch } from '../access/policy-switch-guard.js';

/** Pages of the exchange that are read for one page of markets with bids or offers. */
const MAX_PAGES = 5;

/** Filter of an agent's list of markets. */
interface AgentsMarketsQuery extends MarketsQuery {
  readonly tradeableOnly: boolean;
}

/**
 * The exchange's catalog as agents may read it: only while their policy has prediction markets switched on.
 *
 * Everything throws AppError POLICY_VIOLATION, what the source throws, and NOT_FOUND for one thing that is not there.
 */
export class Catalog {
  constructor(
    private readonly source: CatalogSource,
    private readonly policies: PolicySwitch,
  ) {}

  categories(agentId: string): Promise<readonly CategoryRecord[]> {
    return this.#read(agentId, () => this.source.categories());
  }

  sports(agentId: string): Promise<SportsRecord> {
    return this.#read(agentId, () => this.source.sports());
  }

  markets(agentId: string, query: AgentsMarketsQuery): Promise<Page<MarketRecord>> {
    return this.#read(agentId, () => (query.tradeableOnly ? this.#tradeable(query) : this.source.markets(query)));
  }

  market(agentId: string, ticker: string): Promise<MarketRecord> {
    return this.#find(agentId, 'market', () => this.source.market(ticker));
  }

  /** @param depth prices on each side; 0 for all */
  async orderbook(agentId: string, ticker: string, depth: number): Promise<Book> {
    const { yesBids, noBids } = await this.#find(agentId, 'market', () => this.source.orderbook(ticker));
    const top = (levels: readonly PriceLevel[]) => (depth === 0 ? levels : levels.slice(0, depth));
    return { yesBids: top(yesBids), noBids: top(noBids) };
  }

  events(agentId: string, query: EventsQuery): Promise<Page<EventRecord>> {
    return this.#read(agentId, () => this.source.events(query));
  }

  event(agentId: string, ticker: string): Promise<EventRecord> {
    return this.#find(agentId, 'event', () => this.source.event(ticker));
  }

  /** @throws AppError VALIDATION_ERROR for a cursor that no page had */
  async seriesList(
    agentId: string,
    category: string,
    page: { readonly limit: number; readonly cursor: string },
  ): Promise<Page<SeriesRecord>> {
    const last = page.cursor === '' ? '' : tickerIn(page.cursor);
    const all = await this.#read(agentId, () => this.source.allSeries(category));
    const rest = all.filter(({ ticker }) => ticker > last);
    const items = rest.slice(0, page.limit);
    return { items, cursor: rest.length > items.length ? cursorAfter(items.at(-1)!.ticker) : '' };
  }

  series(agentId: string, ticker: string): Promise<SeriesRecord> {
    return this.#find(agentId, 'series', () => this.source.series(ticker));
  }

  milestones(agentId: string, query: MilestonesQuery): Promise<Page<MilestoneRecord>> {
    return this.#read(agentId, () => this.source.milestones(query));
  }

  milestone(agentId: string, id: string): Promise<MilestoneRecord> {
    return this.#find(agentId, 'milestone', () => this.source.milestone(id));
  }

  structuredTargets(agentId: string, query: TargetsQuery): Promise<Page<StructuredTargetRecord>> {
    return this.#read(agentId, () => this.source.structuredTargets(query));
  }

  structuredTarget(agentId: string, id: string): Promise<StructuredTargetRecord> {
    return this.#find(agentId, 'structured_target', () => this.source.structuredTarget(id));
  }

  /**
   * Returns a page of tradeable markets. The exchange has no such filter: its pages are read until there are enough. A
   * page may be short, or even empty.
   */
  async #tradeable(query: AgentsMarketsQuery): Promise<Page<MarketRecord>> {
    const status: MarketStatus = query.status ?? 'open';
    if (status !== 'open') return { items: [], cursor: '' };
    const items: MarketRecord[] = [];
    let { cursor } = query;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      // As many as are missing, so that none is read that is not shown.
      const limit = query.limit - items.length;
      const page = await this.source.markets({ ...query, status, limit, cursor });
      items.push(...page.items.filter(isTradeable));
      cursor = page.cursor;
      if (cursor === '' || items.length >= query.limit) break;
    }
    return { items, cursor };
  }

  #read<T>(agentId: string, read: () => Promise<T>): Promise<T> {
    return withPolicySwitch(this.policies, agentId, read);
  }

  async #find<T>(agentId: string, resource: string, read: () => Promise<T | undefined>): Promise<T> {
    const found = await this.#read(agentId, read);
    if (found === undefined) throw notFound(resource, 'Check its ticker or id.');
    return found;
  }
}

const CURSOR_PREFIX = 'after:';

/** Returns the cursor of the page that begins after a series. */
function cursorAfter(ticker: string): string {
  return Buffer.from(`${CURSOR_PREFIX}${ticker}`).toString('base64url');
}

/** Returns the ticker in a cursor. @throws AppError VALIDATION_ERROR when it is not one of `cursorAfter` */
function tickerIn(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const ticker = text.slice(CURSOR_PREFIX.length);
  if (!text.startsWith(CURSOR_PREFIX) || cursorAfter(ticker) !== cursor) throw invalidCursor();
  return ticker;
}
