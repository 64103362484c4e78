-- Money in micro-dollars, contracts in hundredths of a contract, in double entry. A debit is positive: what we have is,
-- and what we owe is negative.

-- In the order in which accounts are locked: of a market, of an agent, of the operator.
create type account_kind as enum (
  -- Contracts of one side of a market that agents hold, all together, negative.
  'outstanding',
  -- A dollar, owed by us, for each yes that stands against another agent's no: the exchange has paid it out already.
  'netted_pairs',
  -- Contracts of one side of a market that is being settled and whose holders are not paid yet, negative; and the money
  -- that the market owes to them.
  'settling',
  'settlement_due',
  -- Contracts of an agent that it can sell; contracts that an operation is selling.
  'position',
  'position_locked',
  -- A memo of what the contracts of a position cost, and its counterpart.
  'position_cost',
  'agent_positions',
  -- Owed to an agent: for an operation that buys; freely; for an operation that is paying it out.
  'escrow',
  'prediction_balance',
  'withdraw_pending',
  -- Money that came to the treasury, or to the exchange, and is not attributed to an owner.
  'suspense_treasury',
  'suspense_exchange',
  -- The operator's own money.
  'operator_float',
  -- What the exchange took and no agent owes: fees beyond an escrow or beyond proceeds, fees of settlements.
  'exchange_costs',
  -- Fractions that a rounding left.
  'rounding',
  -- What we have.
  'exchange_cash',
  'treasury_usdc'
);

create type entry_line as (
  kind account_kind,
  agent_id uuid,
  operation_id uuid,
  ticker text,
  side text,
  amount bigint
);

-- The journal. Rows are only ever added.
create table journal_entries (
  id bigint generated always as identity primary key,
  -- What it is about and of what: the same thing is posted once.
  key text not null unique,
  kind text not null check (kind in ('escrow', 'buy_fill', 'sell_fill', 'lock', 'unlock', 'refund_started', 'payout_started',
    'payout_confirmed', 'payout_expired', 'settlement', 'surplus', 'funds_attributed', 'shortage_accepted')),
  -- They sum to zero: see functions/journal_entries_sum_to_zero.sql.
  lines entry_line[] not null,
  at timestamptz not null default clock_timestamp()
);

-- What the entries of an account come to. Written by the entries alone.
create table accounts (
  kind account_kind not null,
  -- Nil UUIDs and empty texts where an account has no agent, no operation, no market.
  agent_id uuid not null,
  operation_id uuid not null,
  ticker text not null,
  side text not null check (side in ('', 'yes', 'no')),
  balance bigint not null,
  -- The last entry that changed it.
  entry_id bigint not null,
  primary key (agent_id, kind, operation_id, ticker, side),
  -- No agent gets more than it owns.
  constraint accounts_never_overdrawn check (case
    when kind in ('position', 'position_locked', 'position_cost') then balance >= 0
    when kind in ('outstanding', 'netted_pairs', 'settling', 'settlement_due', 'agent_positions', 'escrow',
      'prediction_balance', 'withdraw_pending', 'suspense_treasury', 'suspense_exchange') then balance <= 0
    else true
  end)
) with (fillfactor = 70);

create index accounts_of_operations on accounts (operation_id)
  where operation_id <> '00000000-0000-0000-0000-000000000000';
create index accounts_of_markets on accounts (ticker, kind, agent_id) where ticker <> '';
-- Markets with holdings: those that are settled or sold out stay at zero for ever.
create index accounts_outstanding on accounts (kind, ticker, side) include (balance)
  where kind in ('outstanding', 'settling') and balance <> 0;

-- Sums of all accounts of a kind. Written by the entries alone, so that no comparison reads every account. Locked first
-- by what a transaction does last.
create table ledger_totals (
  kind account_kind primary key,
  balance bigint not null
);
insert into ledger_totals select unnest(enum_range(null::account_kind)), 0;

-- The lines of the journal, for people.
create view entry_lines as
  select e.id as entry_id, e.key, e.kind as entry_kind, e.at, l.*
  from journal_entries e cross join unnest(e.lines) as l (kind, agent_id, operation_id, ticker, side, amount);

-- Which event a market belongs to.
create table markets (
  ticker text primary key,
  event_ticker text not null
);

create table fills (
  -- The exchange's id.
  fill_id text primary key,
  operation_id uuid not null,
  ticker text not null,
  count bigint not null check (count > 0),
  -- What the agent paid or got for the contracts, and the fee that it bears.
  total_usd_micros bigint not null check (total_usd_micros >= 0),
  fee_usd_micros bigint not null,
  -- The fee that the exchange took.
  charged_fee_usd_micros bigint not null,
  at_ms bigint not null
);

create index fills_of_operations on fills (operation_id);
create index fills_by_time on fills (at_ms);

create table orders (
  operation_id uuid primary key,
  agent_id uuid not null,
  -- The exchange's id; empty while none is known.
  order_id text not null,
  ticker text not null,
  event_ticker text not null,
  side text not null check (side in ('yes', 'no')),
  action text not null check (action in ('buy', 'sell')),
  count bigint not null check (count > 0),
  filled bigint not null check (filled between 0 and count),
  total_usd_micros bigint not null,
  fee_usd_micros bigint not null,
  status text not null check (status in ('open', 'filled', 'partially_filled', 'cancelled', 'rejected')),
  created_at_ms bigint not null,
  filled_at_ms bigint
);

create index orders_of_agents on orders (agent_id, created_at_ms, operation_id) where order_id <> '';
create index orders_open on orders (ticker) where status = 'open';

-- A market is settled once. Its terms are fixed before the first holder is paid, and it is settled when none of its
-- contracts is in an account 'settling' any more.
create table settlements (
  ticker text primary key,
  result text not null check (result in ('yes', 'no', 'scalar', 'void')),
  -- What a contract of yes pays.
  yes_value_usd_micros bigint not null check (yes_value_usd_micros between 0 and 1000000),
  -- What the exchange paid, and its fee.
  revenue_usd_micros bigint not null,
  fee_usd_micros bigint not null,
  begun_at_ms bigint not null
);

create table settled_positions (
  agent_id uuid not null,
  ticker text not null references settlements (ticker),
  side text not null check (side in ('yes', 'no')),
  quantity bigint not null check (quantity > 0),
  cost_usd_micros bigint not null check (cost_usd_micros >= 0),
  payout_usd_micros bigint not null check (payout_usd_micros >= 0),
  result text not null check (result in ('won', 'lost', 'void', 'scalar')),
  entry_id bigint not null,
  primary key (agent_id, ticker, side)
);

-- Why orders are stopped: at most one row has not ended.
create table order_halts (
  id bigint generated always as identity primary key,
  reason text not null,
  -- What is missing in the treasury and at the exchange.
  treasury_usd_micros bigint not null check (treasury_usd_micros >= 0),
  exchange_usd_micros bigint not null check (exchange_usd_micros >= 0),
  since timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);

create unique index order_halts_one on order_halts ((true)) where ended_at is null;

-- What the last reconciliation could not explain, by subject.
create table last_reconciliation (
  is_only boolean primary key default true check (is_only),
  -- Rises with each comparison.
  round bigint not null default 1,
  unexplained jsonb not null default '{}'
);
insert into last_reconciliation default values;

-- Orders that the exchange said it has and never showed, which an operator, who has asked the exchange, declared not to
-- exist. An order that shows itself after all goes on as if it had never been abandoned.
create table abandoned_orders (
  client_order_id uuid primary key,
  operation_id uuid not null,
  abandoned_at timestamptz not null default clock_timestamp()
);

-- How often the exchange may be asked, shared by all replicas of the service: they take turns as if they were one.
-- Everything here may be lost with the database's machine, so commits do not wait for the disk.

-- The exchange's two token buckets, as we fill them: a little slower than it does, and less high, so that what is late
-- on its way and comes together with the next finds room there.
create table exchange_buckets (
  bucket text primary key check (bucket in ('read', 'write')),
  tokens_per_second double precision not null check (tokens_per_second > 0),
  capacity double precision not null check (capacity > 0),
  tokens double precision not null default 0,
  counted_at timestamptz not null default clock_timestamp(),
  -- Until when nothing is asked, because the exchange was asked too often, and how often in a row.
  paused_until timestamptz not null default '-infinity',
  pauses integer not null default 0,
  -- How far the queue has come: the tag of the latest turn that was given.
  served_tag bigint not null default 0
) with (fillfactor = 50);
-- The lowest tier, until the exchange has been asked for ours.
insert into exchange_buckets (bucket, tokens_per_second, capacity) values ('read', 196, 100), ('write', 98, 50);

-- Orders that wait for their turn. A turn begins where its agent's turn before ends, so that an agent with a hundred
-- orders gets no more than one with a few (start-time fair queuing).
create table exchange_queue (
  -- An operation has one order, and keeps its place when another replica takes it over.
  operation_id uuid primary key,
  agent_id uuid not null,
  cost integer not null check (cost > 0),
  tag bigint not null,
  arrival bigint generated always as identity,
  -- Who waits for it.
  replica_id uuid not null,
  -- Given, and not yet picked up by the replica.
  given_at timestamptz,
  -- No replica waits for it any more; its place is kept for a while.
  left_at timestamptz
) with (fillfactor = 50);
create index exchange_queue_in_order on exchange_queue (tag, arrival);

-- Ends of the agents' latest turns, kept while they are ahead of the queue or a little behind.
create table exchange_fair_shares (
  agent_id uuid primary key,
  finish_tag bigint not null
);
create index exchange_fair_shares_by_tag on exchange_fair_shares (finish_tag);

-- Copies that wait, and when they were last heard of: nothing is given to the dead.
create table exchange_replicas (
  replica_id uuid primary key,
  seen_at timestamptz not null
);

-- A role that works in the schema without owning it adds rows to these, and leaves the accounts to the journal.
do $$
declare
  worker text;
begin
  for worker in
    select distinct grantee::regrole::text from pg_namespace n, aclexplode(n.nspacl)
    where n.nspname = 'prediction' and grantee not in (0, n.nspowner)
  loop
    execute format('revoke update, delete, truncate on journal_entries, fills, settlements, settled_positions, markets, abandoned_orders from %s', worker);
    execute format('revoke insert, update, delete, truncate on accounts, ledger_totals from %s', worker);
    execute format('revoke insert, update, delete, truncate on entry_lines from %s', worker);
  end loop;
end
$$;
