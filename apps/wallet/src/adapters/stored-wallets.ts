import { auditV1 } from '@agent-wallet/contracts';
import { type Clock, newId } from '@agent-wallet/kernel';
import { currentRequest, databaseError, type Queryable } from '@agent-wallet/platform';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { Wallets } from '../ports/wallets.js';

// One statement: the event is written exactly when the row is.
const ADD = `
  with made as (
    insert into wallets (agent_id, address) values ($1, $2) on conflict (agent_id) do nothing returning agent_id),
  told as (insert into outbox (event_id, agent_id, payload) select $3, agent_id, $4 from made)
  select count(*)::integer as made from made`;

/** Addresses kept in memory: they never change. */
const MAX_KEPT = 100_000;

/** The table `wallets`. */
export class StoredWallets implements Wallets {
  readonly #kept = new Map<string, string>();

  constructor(
    private readonly prisma: Pick<PrismaClient, 'wallet'>,
    private readonly pool: Queryable,
    private readonly clock: Clock,
    private readonly onEvent: () => void,
  ) {}

  async find(agentId: string): Promise<string | undefined> {
    const kept = this.#kept.get(agentId);
    if (kept) return kept;
    const row = await this.prisma.wallet.findUnique({ where: { agentId } }).catch((error: unknown) => {
      throw databaseError(error);
    });
    if (row) this.#keep(agentId, row.address);
    return row?.address;
  }

  async add(agentId: string, address: string): Promise<boolean> {
    const event = this.#created(agentId, address);
    const payload = auditV1.AuditEvent.encode(event).finish();
    try {
      const values = [agentId, address, event.eventId, payload];
      const { rows } = await this.pool.query<{ made: number }>({ name: 'wallet-add', text: ADD, values });
      if (rows[0]?.made !== 1) return false;
    } catch (error) {
      throw databaseError(error);
    }
    this.#keep(agentId, address);
    this.onEvent();
    return true;
  }

  #created(agentId: string, address: string): auditV1.AuditEvent {
    return {
      eventId: newId(),
      agentId,
      occurredAtMs: BigInt(this.clock.nowMs()),
      source: 'wallet',
      requestId: currentRequest()?.requestId ?? '',
      fact: { $case: 'walletCreated', value: { address } },
    };
  }

  #keep(agentId: string, address: string): void {
    this.#kept.set(agentId, address);
    if (this.#kept.size <= MAX_KEPT) return;
    const oldest = this.#kept.keys().next();
    if (!oldest.done) this.#kept.delete(oldest.value);
  }
}
