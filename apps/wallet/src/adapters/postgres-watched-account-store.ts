import type { Queryable } from '@agent-wallet/platform';
import type { TokenAccount } from '../domain/deposits/deposit.js';
import { MAX_POLLED_ACCOUNTS, UNPOLLED_READS_A_SWEEP } from '../domain/deposits/polled-accounts.js';
import { type DepositTiming, retryPauseMs } from '../domain/deposits/timing.js';
import type {
  BalanceChange,
  PolledAccount,
  ReadProgress,
  SweptWallet,
  UnreadAccount,
  WatchedAccountStore,
} from '../ports/watched-account-store.js';

const FROM_NOW = (parameter: string) => `clock_timestamp() + ${parameter}::integer * interval '1 millisecond'`;

const CLAIM_BATCHES = `
  with due as (
    select number from poll_batches where due_at <= (select clock_timestamp()) order by due_at limit $1
    for update skip locked),
  claimed as (
    update poll_batches b set due_at = ${FROM_NOW('$2')} from due where b.number = due.number returning b.number)
  select c.number, a.address, a.wallet, a.balance, a.balance_slot
  from claimed c
  left join watched_accounts a on a.id between c.number * 100 and c.number * 100 + 99 and a.is_polled`;

// What is being read is read again: its reader sees the other slot when it is done. What waits after a failure is read at
// once, so that an entry that cannot be read delays no other.
const NOTE_CHANGES = `
  update watched_accounts a set balance = g.balance, balance_slot = g.slot, previous_slot = a.balance_slot,
    read_due_at = case when a.failures > 0 then least(a.read_due_at, clock_timestamp())
      else coalesce(a.read_due_at, clock_timestamp()) end
  from unnest($1::text[], $2::numeric[], $3::bigint[]) as g (address, balance, slot)
  where a.address = g.address and a.balance_slot <= g.slot and a.balance is distinct from g.balance`;

// A full sweep counts when it is done.
const CLAIM_SWEEPS = `
  with due as (
    select id, sweeps % $3 = 0 as is_full from watched_accounts where sweep_due_at <= (select clock_timestamp())
    order by sweep_due_at limit $1 for update skip locked)
  update watched_accounts a set sweep_due_at = ${FROM_NOW('$2')},
    sweeps = a.sweeps + case when due.is_full then 0 else 1 end,
    read_due_at = coalesce(a.read_due_at, clock_timestamp())
  from due where a.id = due.id returning a.agent_id, a.wallet, due.is_full`;

// No number is used up by an account that is there already.
const ADD_ACCOUNTS = `
  with added as (
    select a.*, row_number() over (partition by a.agent_id order by a.position) as place
    from unnest($1::text[], $2::uuid[], $3::text[]) with ordinality as a (address, agent_id, wallet, position)
    where not exists (select from watched_accounts w where w.address = a.address)),
  held as (
    select agent_id, count(*) as places from watched_accounts where agent_id in (select agent_id from added)
    group by agent_id)
  insert into watched_accounts (address, agent_id, wallet, is_polled)
  select a.address, a.agent_id, a.wallet, coalesce(h.places, 0) + a.place <= $4
  from added a left join held h on h.agent_id = a.agent_id order by a.position
  on conflict do nothing`;

const NOTE_FULL_SWEEP = `
  update watched_accounts set read_due_at = coalesce(read_due_at, clock_timestamp()),
    sweeps = sweeps + case when address = wallet or not is_polled then 1 else 0 end
  where id in (
    select id from watched_accounts where agent_id = $1 and is_polled
    union all
    (select id from watched_accounts where agent_id = $1 and not is_polled order by sweeps, id limit $2))`;

const CLAIM_READS = `
  with due as (
    select id from watched_accounts where read_due_at <= (select clock_timestamp()) order by read_due_at limit $1
    for update skip locked)
  update watched_accounts a set read_due_at = ${FROM_NOW('$2')} from due where a.id = due.id
  returning a.address, a.wallet, a.balance_slot, a.previous_slot, a.cursor_signature, a.cursor_slot, a.failures,
    a.read_beyond`;

// A change that was explained, or never will be, needs no explanation any more.
const NOTE_READ = `
  update watched_accounts set
    cursor_signature = case when $3::bigint >= cursor_slot then coalesce($2, cursor_signature) else cursor_signature end,
    cursor_slot = greatest(cursor_slot, $3::bigint),
    failures = case when $5::text = 'retry' then failures + 1 else 0 end,
    read_beyond = $7::text[],
    previous_slot = case when $5 = 'done' and balance_slot = $4 then 0 else previous_slot end,
    read_due_at = case when $5 <> 'done' then ${FROM_NOW('$6')} when balance_slot > $4 then clock_timestamp() end
  where address = $1`;

interface PolledRow {
  readonly number: string;
  readonly address: string | null;
  readonly wallet: string;
  readonly balance: string | null;
  readonly balance_slot: string;
}

interface UnreadRow {
  readonly address: string;
  readonly wallet: string;
  readonly balance_slot: string;
  readonly previous_slot: string;
  readonly cursor_signature: string | null;
  readonly cursor_slot: string;
  readonly failures: number;
  readonly read_beyond: string[];
}

/** The tables `watched_accounts` and `poll_batches`. */
export class PostgresWatchedAccountStore implements WatchedAccountStore {
  constructor(
    private readonly pool: Queryable,
    private readonly timing: DepositTiming,
  ) {}

  async claimBatches(limit: number): Promise<Map<string, PolledAccount[]>> {
    const { rows } = await this.pool.query<PolledRow>({
      name: 'deposit-batches',
      text: CLAIM_BATCHES,
      values: [limit, this.timing.leaseMs],
    });
    const batches = new Map<string, PolledAccount[]>();
    for (const { number, address, wallet, balance, balance_slot } of rows) {
      const batch = batches.get(number) ?? [];
      batches.set(number, batch);
      if (address === null) continue;
      batch.push({
        address,
        wallet,
        balance: balance === null ? null : BigInt(balance),
        balanceSlot: Number(balance_slot),
      });
    }
    return batches;
  }

  async noteChanges(changes: readonly BalanceChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.pool.query({
      name: 'deposit-changes',
      text: NOTE_CHANGES,
      values: [
        changes.map(({ address }) => address),
        changes.map(({ balance }) => balance.toString()),
        changes.map(({ slot }) => slot),
      ],
    });
  }

  async releaseBatch(number: string, afterMs: number): Promise<void> {
    await this.pool.query({
      name: 'deposit-batch-release',
      text: `update poll_batches set due_at = ${FROM_NOW('$2')} where number = $1`,
      values: [number, afterMs],
    });
  }

  async claimSweeps(): Promise<SweptWallet[]> {
    const { sweepsARound, sweepMs, fullSweepEvery } = this.timing;
    const { rows } = await this.pool.query<{ agent_id: string; wallet: string; is_full: boolean }>({
      name: 'deposit-sweeps',
      text: CLAIM_SWEEPS,
      values: [sweepsARound, sweepMs, fullSweepEvery],
    });
    return rows.map(({ agent_id, wallet, is_full }) => ({ agentId: agent_id, wallet, isFull: is_full }));
  }

  async noteFullSweep({ agentId, wallet }: SweptWallet, tokenAccounts: readonly string[]): Promise<void> {
    await this.#add(tokenAccounts.map((address) => ({ address, agentId, wallet })));
    await this.pool.query({ name: 'deposit-swept', text: NOTE_FULL_SWEEP, values: [agentId, UNPOLLED_READS_A_SWEEP] });
  }

  async noteAccounts(accounts: readonly TokenAccount[]): Promise<void> {
    if (accounts.length > 0) await this.#add(accounts);
  }

  async #add(accounts: readonly TokenAccount[]): Promise<void> {
    await this.pool.query({
      name: 'deposit-accounts-add',
      text: ADD_ACCOUNTS,
      values: [
        accounts.map(({ address }) => address),
        accounts.map(({ agentId }) => agentId),
        accounts.map(({ wallet }) => wallet),
        MAX_POLLED_ACCOUNTS,
      ],
    });
  }

  async claimReads(limit: number): Promise<UnreadAccount[]> {
    const { rows } = await this.pool.query<UnreadRow>({
      name: 'deposit-reads',
      text: CLAIM_READS,
      values: [limit, this.timing.leaseMs],
    });
    return rows.map((row) => ({
      address: row.address,
      wallet: row.wallet,
      balanceSlot: Number(row.balance_slot),
      previousSlot: Number(row.previous_slot),
      cursorSignature: row.cursor_signature,
      cursorSlot: Number(row.cursor_slot),
      failures: row.failures,
      readBeyond: row.read_beyond,
    }));
  }

  async noteRead(
    account: UnreadAccount,
    { cursor, readBeyond }: ReadProgress,
    next: 'done' | 'more' | 'retry',
  ): Promise<void> {
    const { address, balanceSlot, failures } = account;
    await this.pool.query({
      name: 'deposit-read',
      text: NOTE_READ,
      values: [
        address,
        cursor?.signature ?? null,
        cursor?.slot ?? 0,
        balanceSlot,
        next,
        next === 'retry' ? retryPauseMs(this.timing, failures) : 0,
        readBeyond,
      ],
    });
  }
}
