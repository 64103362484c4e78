import { type EventRecord, outboxWritten } from '@agent-wallet/events';
import { type Clock, newId } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import { count, METRICS } from '@agent-wallet/telemetry';
import { depositEvent } from './deposit-event.js';
import type { Deposit, DepositChange, DepositState, FoundDeposit } from '../domain/deposits/deposit.js';
import type { TokenRegistry } from '../domain/token-registry.js';
import type { DepositStore } from '../ports/deposit-store.js';
import type { DepositTiming } from '../domain/deposits/timing.js';

const FROM_NOW = (parameter: string) => `clock_timestamp() + ${parameter}::integer * interval '1 millisecond'`;

const COLUMNS =
  'id, signature, account, agent_id, wallet, mint, decimals, amount, sender, slot, state, revision, created_at_ms';

// One statement: the event is written exactly when the row is. In one order, so that replicas never wait in a circle.
const RECORD = `
  with given as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::smallint[],
      $8::numeric[], $9::text[], $10::bigint[], $11::text[], $12::bigint[], $13::uuid[], $14::bytea[])
      as g (id, signature, account, agent_id, wallet, mint, decimals, amount, sender, slot, state, created_at_ms,
        event_id, payload)
    order by signature, account),
  made as (
    insert into deposits (id, signature, account, agent_id, wallet, mint, decimals, amount, sender, slot, state,
      created_at_ms, settle_due_at)
    select id, signature, account, agent_id, wallet, mint, decimals, amount, sender, slot, state, created_at_ms,
      case when state = 'pending' then ${FROM_NOW('$15')} end
    from given on conflict (signature, account) do nothing returning id),
  published as (
    insert into outbox (event_id, agent_id, payload)
    select g.event_id, g.agent_id, g.payload from given g join made m on m.id = g.id order by g.created_at_ms, g.id)
  select count(*)::integer as made from made`;

const DROPPED_AMONG = `
  select ${COLUMNS} from deposits d
  join unnest($1::text[], $2::text[]) as g (landed, holder) on d.signature = g.landed and d.account = g.holder
  where d.state = 'dropped'`;

const CHANGE = `
  with given as (
    select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::bigint[], $5::numeric[], $6::uuid[], $7::bytea[])
      as g (id, revision, state, slot, amount, event_id, payload) order by id),
  changed as (
    update deposits d set state = g.state, slot = g.slot, amount = g.amount, revision = g.revision,
      settle_due_at = case when g.state = 'pending' then ${FROM_NOW('$8')} end
    from given g where d.id = g.id and d.revision = g.revision - 1 returning d.id, d.agent_id),
  published as (
    insert into outbox (event_id, agent_id, payload)
    select g.event_id, c.agent_id, g.payload from given g join changed c on c.id = g.id order by g.id)
  select count(*)::integer as changed from changed`;

const CLAIM = `
  with due as (
    select id from deposits where settle_due_at <= (select clock_timestamp()) order by settle_due_at limit $1
    for update skip locked),
  claimed as (
    update deposits d set settle_due_at = ${FROM_NOW('$2')} from due where d.id = due.id returning d.*)
  select ${COLUMNS} from claimed`;

const POSTPONE = `
  update deposits set settle_due_at = ${FROM_NOW('$2')}
  where id = any($1::uuid[]) and settle_due_at is not null`;

interface DepositRow {
  readonly id: string;
  readonly signature: string;
  readonly account: string;
  readonly agent_id: string;
  readonly wallet: string;
  readonly mint: string;
  readonly decimals: number;
  readonly amount: string;
  readonly sender: string;
  readonly slot: string;
  readonly state: DepositState;
  readonly revision: number;
  readonly created_at_ms: string;
}

/** Dependencies of the store. */
interface DepositStoreOptions {
  readonly pool: Queryable;
  readonly registry: TokenRegistry;
  readonly clock: Clock;
  readonly timing: DepositTiming;
}

/** The table `deposits`. Every write carries its event in the same statement. */
export class PostgresDepositStore implements DepositStore {
  readonly #pool: Queryable;

  constructor(private readonly options: DepositStoreOptions) {
    this.#pool = options.pool;
  }

  async record(found: readonly FoundDeposit[]): Promise<number> {
    if (found.length === 0) return 0;
    const deposits = found.map((each) => this.#firstOf(each));
    const events = deposits.map((deposit) => depositEvent(deposit, this.options));
    const { rows } = await this.#pool.query<{ made: number }>({
      name: 'deposits-record',
      text: RECORD,
      values: [...columnsOf(deposits), ...columnsOfEvents(events), this.options.timing.settleMs],
    });
    const made = rows[0]?.made ?? 0;
    if (made > 0) outboxWritten(this.#pool);
    if (made > 0) count(METRICS.depositsSeen, { by: made });
    return made === found.length ? made : made + (await this.#revive(found));
  }

  #firstOf({ isFinalized, blockTimeMs, ...credit }: FoundDeposit): Deposit {
    // Where the cluster's clock is ahead of this one, nothing is written into the future.
    const createdAtMs = Math.min(blockTimeMs ?? Infinity, this.options.clock.nowMs());
    return { ...credit, id: newId(), state: isFinalized ? 'confirmed' : 'pending', revision: 1, createdAtMs };
  }

  /** Reopens dropped deposits: a transaction that the chain had undone can land once more. */
  async #revive(found: readonly FoundDeposit[]): Promise<number> {
    const { rows } = await this.#pool.query<DepositRow>({
      name: 'deposits-dropped',
      text: DROPPED_AMONG,
      values: [found.map(({ signature }) => signature), found.map(({ account }) => account)],
    });
    return this.change(
      rows.map(toDeposit).map((deposit) => {
        const again = found.find((each) => each.signature === deposit.signature && each.account === deposit.account)!;
        return [deposit, { state: 'pending', slot: again.slot, amount: again.amount }];
      }),
    );
  }

  async change(changes: ReadonlyArray<readonly [Deposit, DepositChange]>): Promise<number> {
    if (changes.length === 0) return 0;
    const deposits = changes.map(([before, to]) => ({ ...before, ...to, revision: before.revision + 1 }));
    const events = deposits.map((deposit) => depositEvent(deposit, this.options));
    const { rows } = await this.#pool.query<{ changed: number }>({
      name: 'deposits-change',
      text: CHANGE,
      values: [
        deposits.map(({ id }) => id),
        deposits.map(({ revision }) => revision),
        deposits.map(({ state }) => state),
        deposits.map(({ slot }) => slot),
        deposits.map(({ amount }) => amount.toString()),
        ...columnsOfEvents(events),
        this.options.timing.settleMs,
      ],
    });
    const changed = rows[0]?.changed ?? 0;
    if (changed > 0) outboxWritten(this.#pool);
    return changed;
  }

  async claimPending(limit: number): Promise<Deposit[]> {
    const values = [limit, this.options.timing.leaseMs];
    const { rows } = await this.#pool.query<DepositRow>({ name: 'deposits-claim', text: CLAIM, values });
    return rows.map(toDeposit);
  }

  async postpone(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#pool.query({ name: 'deposits-postpone', text: POSTPONE, values: [ids, this.options.timing.settleMs] });
  }

  async agentsAmong(addresses: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.#pool.query<{ address: string; agent_id: string }>({
      name: 'deposits-agents',
      text: 'select address, agent_id from wallets where address = any($1::text[])',
      values: [addresses],
    });
    return new Map(rows.map(({ address, agent_id }) => [address, agent_id]));
  }
}

function columnsOf(deposits: readonly Deposit[]): unknown[][] {
  return [
    deposits.map(({ id }) => id),
    deposits.map(({ signature }) => signature),
    deposits.map(({ account }) => account),
    deposits.map(({ agentId }) => agentId),
    deposits.map(({ wallet }) => wallet),
    deposits.map(({ mint }) => mint),
    deposits.map(({ decimals }) => decimals),
    deposits.map(({ amount }) => amount.toString()),
    deposits.map(({ sender }) => sender),
    deposits.map(({ slot }) => slot),
    deposits.map(({ state }) => state),
    deposits.map(({ createdAtMs }) => createdAtMs),
  ];
}

function columnsOfEvents(events: readonly EventRecord[]): [string[], Uint8Array[]] {
  return [events.map(({ eventId }) => eventId), events.map(({ payload }) => payload)];
}

function toDeposit(row: DepositRow): Deposit {
  const { agent_id, created_at_ms, amount, slot, ...same } = row;
  return {
    ...same,
    agentId: agent_id,
    createdAtMs: Number(created_at_ms),
    amount: BigInt(amount),
    slot: Number(slot),
  };
}
