// Statements as they were while they read whole tables, for comparison with those in force.

export const END_OF_RECOVERY = `
  update recoveries r set ended_at = policy.now(),
    treasury_frozen = exists (select from reservations where escrowed_amount is not null or payout_amount is not null)
  where id = $1 and ended_at is null and wallets_reported and read_at_slot is not null
    and not exists (select from recovery_scans where due_at is not null)`;

/** token */
export const TOKEN_SPENT = ['policy.window_start(policy.now())', `'-infinity'`].map(
  (after) => `
  select coalesce(sum(r.value_usd_micros), 0) from policy.reservations r
  where r.token_id = $1 and (r.state = 'open' or (r.state = 'settled' and r.settled_at > ${after}))
    and r.operation_id is distinct from null`,
);

const MARKS = `
  select
    (select coalesce(max(entry_id), 0) from accounts where kind = 'treasury_usdc') as treasury_mark,
    (select coalesce(max(entry_id), 0) from accounts where kind in ('exchange_cash', 'outstanding')) as exchange_mark`;

const TOTALS = `
  select kind, sum(balance)::bigint as balance, (count(*) filter (where balance <> 0))::integer as count
  from accounts group by kind order by kind`;

const NET_POSITIONS = `
  select ticker, sum(case side when 'yes' then -balance else balance end)::bigint as net
  from accounts where kind = 'outstanding' group by ticker
  having sum(case side when 'yes' then -balance else balance end) <> 0`;

/** Reads of one snapshot of the ledger that involve accounts. A comparison takes two snapshots or more. */
export const LEDGER_SNAPSHOT = [MARKS, TOTALS, NET_POSITIONS];
