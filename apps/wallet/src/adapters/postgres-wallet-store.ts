import { auditEvent, outboxWritten } from '@agent-wallet/events';
import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { WalletStore } from '../ports/wallet-store.js';

// One statement: the event is written exactly when the row is.
const ADD = `
  with made as (
    insert into wallets (agent_id, address) values ($1, $2) on conflict (agent_id) do nothing returning agent_id),
  told as (insert into outbox (event_id, agent_id, payload) select $3, agent_id, $4 from made)
  select count(*)::integer as made from made`;

/** Addresses kept in memory: they never change. */
const MAX_KEPT = 100_000;

/** The table `wallets`. */
export class PostgresWalletStore implements WalletStore {
  readonly #kept = new RecentlyUsed<string>(MAX_KEPT);

  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
  ) {}

  async find(agentId: string): Promise<string | undefined> {
    const kept = this.#kept.use(agentId);
    if (kept) return kept;
    const [row] = await this.#rows<{ address: string }>({
      name: 'wallet-find',
      text: 'select address from wallets where agent_id = $1',
      values: [agentId],
    });
    if (row) this.#kept.keep(agentId, row.address);
    return row?.address;
  }

  async add(agentId: string, address: string): Promise<boolean> {
    const from = { source: 'wallet', clock: this.clock } as const;
    const { eventId, payload } = auditEvent(from, agentId, { $case: 'walletCreated', value: { address } });
    const values = [agentId, address, eventId, payload];
    const [row] = await this.#rows<{ made: number }>({ name: 'wallet-add', text: ADD, values });
    if (row?.made !== 1) return false;
    this.#kept.keep(agentId, address);
    outboxWritten(this.pool);
    return true;
  }

  async #rows<Row>(statement: { name: string; text: string; values: unknown[] }): Promise<Row[]> {
    try {
      return (await this.pool.query(statement)).rows as Row[];
    } catch (error) {
      throw databaseError(error);
    }
  }
}
