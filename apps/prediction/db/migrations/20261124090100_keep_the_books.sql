-- Money in micro-dollars, contracts in hundredths of a contract, in double entry. A debit is positive: what we have is,
-- and what we owe is negative.

-- In the order in which accounts are locked: of a market, of an agent, of the operator.
create type account_kind as enum (
  -- Contracts of one side of a market that agents hold, all together, negative.
  'outstanding',
  -- A dollar, owed by us, for each yes that stands against another agent's no: the exchange has paid it out already.
  'netted_pairs',
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
  -- Money that came to the treasury, or to the exchange, and nobody knows whose it is.
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

-- Entries balance in money, in cost, and in the contracts of each side of each market.
create function ledger_of(line entry_line) returns text immutable language sql return
  case
    when line.kind in ('outstanding', 'position', 'position_locked') then line.side || ':' || line.ticker
    when line.kind in ('position_cost', 'agent_positions') then 'cost'
    else 'money'
  end;

create function is_balanced(lines entry_line[]) returns boolean immutable language sql return
  cardinality(lines) > 1
  and not exists (
    select from unnest(lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    where l.kind is null or l.agent_id is null or l.operation_id is null or l.ticker is null or l.side is null
      or l.amount is null)
  and not exists (
    select from unnest(lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    group by ledger_of(row(l.kind, l.agent_id, l.operation_id, l.ticker, l.side, l.amount)::entry_line)
    having sum(l.amount) <> 0);

-- The journal. Rows are only ever added.
create table entries (
  id bigint generated always as identity primary key,
  -- What it is about and of what: the same thing is booked once.
  key text not null unique,
  kind text not null check (kind in ('escrow', 'buy_fill', 'sell_fill', 'lock', 'unlock', 'refund_begun', 'payout_begun',
    'payout_confirmed', 'payout_dead', 'settlement', 'surplus', 'funds_attributed', 'shortage_accepted')),
  lines entry_line[] not null constraint entries_sum_to_zero check (is_balanced(lines)),
  at timestamptz not null default clock_timestamp()
);

-- What the entries of an account come to. Written by the entries alone.
create table accounts (
  kind account_kind not null,
  -- Nil UUIDs and empty texts where an account is nobody's, of no operation, of no market.
  agent_id uuid not null,
  operation_id uuid not null,
  ticker text not null,
  side text not null check (side in ('', 'yes', 'no')),
  balance bigint not null,
  -- The last entry that changed it.
  entry_id bigint not null,
  primary key (agent_id, kind, operation_id, ticker, side),
  -- Nobody gets more than is theirs.
  constraint accounts_never_overdrawn check (case
    when kind in ('position', 'position_locked', 'position_cost') then balance >= 0
    when kind in ('outstanding', 'netted_pairs', 'agent_positions', 'escrow', 'prediction_balance', 'withdraw_pending',
      'suspense_treasury', 'suspense_exchange') then balance <= 0
    else true
  end)
) with (fillfactor = 70);

create index accounts_of_operations on accounts (operation_id)
  where operation_id <> '00000000-0000-0000-0000-000000000000';
create index accounts_of_markets on accounts (ticker, kind) where ticker <> '';

create function carry_into_accounts() returns trigger
  language plpgsql security definer set search_path = prediction, pg_temp as $$
declare
  line record;
begin
  -- One after the other in the order of their kinds, so that no two entries wait for each other in a circle. The
  -- sum of a new account is inserted only when there is none to change: a check looks at the inserted row, too.
  for line in
    select l.kind, l.agent_id, l.operation_id, l.ticker, l.side, sum(l.amount)::bigint as amount
    from unnest(new.lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    group by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
    order by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
  loop
    loop
      update accounts a set balance = a.balance + line.amount, entry_id = new.id
      where (a.agent_id, a.kind, a.operation_id, a.ticker, a.side)
        = (line.agent_id, line.kind, line.operation_id, line.ticker, line.side);
      exit when found;
      insert into accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
      values (line.kind, line.agent_id, line.operation_id, line.ticker, line.side, line.amount, new.id)
      on conflict do nothing;
      exit when found;
    end loop;
  end loop;
  -- An operation's own accounts end empty; the journal remembers them.
  delete from accounts a
  where a.balance = 0 and a.operation_id in (
    select l.operation_id from unnest(new.lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    where l.operation_id <> '00000000-0000-0000-0000-000000000000');
  return null;
end
$$;

create trigger carry_into_accounts after insert on entries for each row execute function carry_into_accounts();

-- The lines of the journal, for people.
create view entry_lines as
  select e.id as entry_id, e.key, e.kind as entry_kind, e.at, l.*
  from entries e cross join unnest(e.lines) as l (kind, agent_id, operation_id, ticker, side, amount);

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

-- A market is settled once.
create table settlements (
  ticker text primary key,
  result text not null check (result in ('yes', 'no', 'scalar', 'void')),
  -- What a contract of yes pays.
  yes_value_usd_micros bigint not null check (yes_value_usd_micros between 0 and 1000000),
  -- What the exchange paid, and its fee.
  revenue_usd_micros bigint not null,
  fee_usd_micros bigint not null,
  settled_at_ms bigint not null
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
create table order_stops (
  id bigint generated always as identity primary key,
  because text not null,
  -- What is missing in the treasury and at the exchange.
  treasury_usd_micros bigint not null check (treasury_usd_micros >= 0),
  exchange_usd_micros bigint not null check (exchange_usd_micros >= 0),
  since timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);

create unique index order_stops_one on order_stops ((true)) where ended_at is null;

-- What the last comparison of the books with the outside could not explain, by what was compared.
create table last_comparison (
  is_only boolean primary key default true check (is_only),
  -- Rises with each comparison.
  round bigint not null default 1,
  unexplained jsonb not null default '{}'
);
insert into last_comparison default values;

-- What is written stays: not even the owner changes it by mistake.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of % stay as they are', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

create trigger stays before update or delete or truncate on entries execute function refuse_change();
create trigger stays before update or delete or truncate on fills execute function refuse_change();
create trigger stays before update or delete or truncate on settlements execute function refuse_change();
create trigger stays before update or delete or truncate on settled_positions execute function refuse_change();

-- Whoever works in the schema without owning it adds rows to these, and leaves the accounts to the journal.
do $$
declare
  worker text;
begin
  for worker in
    select distinct grantee::regrole::text from pg_namespace n, aclexplode(n.nspacl)
    where n.nspname = 'prediction' and grantee not in (0, n.nspowner)
  loop
    execute format('revoke update, delete, truncate on entries, fills, settlements, settled_positions, markets from %s', worker);
    execute format('revoke insert, update, delete, truncate on accounts from %s', worker);
    execute format('revoke insert, update, delete, truncate on entry_lines from %s', worker);
  end loop;
end
$$;
