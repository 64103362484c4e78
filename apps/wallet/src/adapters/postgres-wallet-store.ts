import { auditEvent, outboxWritten } from '@agent-wallet/events';
import { type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { WalletStore } from '../ports/wallet-store.js';

// One statement: the event is written exactly when the row is.
const ADD = `
  with made as (
    insert into wallets (agent_id, address) values ($1, $2) on conflict (agent_id) do nothing returning agent_id),
  published as (insert into outbox (event_id, agent_id, payload) select $3, agent_id, $4 from made)
  select count(*)::integer as made from made`;

/** Addresses kept in memory: they never change. */
const MAX_KEPT = 100_000;

/** The table `wallets`. */
export class PostgresWalletStore implements WalletStore {
  readonly #kept = new RecentlyUsed<string>(MAX_KEPT);

  constructor(
    private readonly prisma: Pick<PrismaClient, 'wallet'>,
    private readonly pool: Queryable,
    private readonly clock: Clock,
  ) {}

  async find(agentId: string): Promise<string | undefined> {
    const kept = this.#kept.use(agentId);
    if (kept) return kept;
    const row = await this.prisma.wallet.findUnique({ where: { agentId } }).catch((error: unknown) => {
      throw databaseError(error);
    });
    if (row) this.#kept.keep(agentId, row.address);
    return row?.address;
  }

  async add(agentId: string, address: string): Promise<boolean> {
    const from = { source: 'wallet', clock: this.clock } as const;
    const { eventId, payload } = auditEvent(from, agentId, { $case: 'walletCreated', value: { address } });
    try {
      const values = [agentId, address, eventId, payload];
      const { rows } = await this.pool.query<{ made: number }>({ name: 'wallet-add', text: ADD, values });
      if (rows[0]?.made !== 1) return false;
    } catch (error) {
      throw databaseError(error);
    }
    this.#kept.keep(agentId, address);
    outboxWritten(this.pool);
    return true;
  }
}
