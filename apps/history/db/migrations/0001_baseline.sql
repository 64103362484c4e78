-- The record: every event once, in the order of the stream, positions without gaps, each with a place in its agent's chain.
-- Everything else here is made from it. Hashes are as libs/contracts/src/audit/chain.ts makes them.
create table events (
  position bigint primary key,
  event_id uuid not null unique,
  agent_id uuid not null,
  occurred_at timestamptz not null,
  agent_seq bigint not null,
  previous_hash bytea not null check (octet_length(previous_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  payload bytea not null,
  unique (agent_id, agent_seq)
);

-- Events that were written together: the chain of the whole log, in which nothing can change its place.
create table log_batches (
  last_position bigint primary key,
  hash bytea not null check (octet_length(hash) = 32)
);

-- What the signer signed of an agent's chain (`agent:<uuid>`) or of the log (`log`).
create table checkpoints (
  scope text not null,
  size bigint not null check (size > 0),
  root_hash bytea not null check (octet_length(root_hash) = 32),
  signed_at_ms bigint not null,
  signature bytea not null check (octet_length(signature) = 64),
  key_id text not null,
  primary key (scope, size)
);

-- What agents read: one row an operation, as its latest revision has it. The room left in each page lets a new revision
-- stay there, so that no index has to learn where it went.
create table transactions (
  id uuid primary key,
  agent_id uuid not null,
  revision bigint not null,
  action text not null,
  status text not null,
  -- `status`, but `cancelled` for an order that is done and filled nothing
  shown_status text not null,
  asset text not null,
  -- base units, up to a u64
  amount numeric(20, 0),
  decimals int not null,
  recipient text not null,
  signature text not null,
  -- a serialized OperationFacts
  facts bytea not null,
  -- Of an order's escrow: USDC that it took and that came back to the wallet, in base units. Null for all else.
  escrowed numeric(20, 0),
  returned numeric(20, 0),
  -- memo, ticker and symbols in lower case
  search_text text not null,
  created_at timestamptz not null,
  -- of the event that the latest revision came with; no index has it, so that rows keep their place
  updated_at timestamptz not null
) with (fillfactor = 70);

create index transactions_by_agent on transactions (agent_id, created_at desc, id desc);
create index transactions_by_agent_and_action on transactions (agent_id, action, created_at desc, id desc);
create index transactions_by_agent_and_recipient on transactions (agent_id, recipient, created_at desc, id desc)
  where recipient <> '';

-- Records that left the shown history, for example because the chain has undone them. A table of their own: pages and
-- totals read `transactions` alone, whose rows keep their place when their status changes.
create table dropped_transactions (
  id uuid primary key,
  agent_id uuid not null,
  -- A record comes back by a higher revision only.
  revision bigint not null,
  -- A record that comes back takes its old place. Null: it comes back where the event that brings it says.
  created_at timestamptz
);

-- Micro-dollars that policy settled of each operation, over all of its steps. A table of its own: policy's event may come
-- before or after any event of the operation.
create table settled_values (
  id uuid primary key,
  agent_id uuid not null,
  usd_micros numeric not null
);

-- A list is what one filter shows: an agent's records of one action, or of all ('').
-- How many records each list has. A list that is empty may be missing.
create table transaction_counts (
  agent_id uuid not null,
  action text not null,
  total bigint not null,
  primary key (agent_id, action)
) with (fillfactor = 50);

-- Places in long lists: `before` records of the list are older than the place (created_at, id). A record may or may not
-- be there. A page begins at most a few hundred records away from one of these.
create table page_anchors (
  agent_id uuid not null,
  action text not null,
  created_at timestamptz not null,
  id uuid not null,
  before bigint not null check (before >= 0),
  primary key (agent_id, action, created_at, id)
);

create index page_anchors_by_rank on page_anchors (agent_id, action, before);

-- Events that could not be read, for a person to look at. The ids are those that the transport gave.
create table unprocessable_events (
  event_id text primary key,
  agent_id text not null,
  payload bytea not null,
  error text not null,
  recorded_at timestamptz not null default clock_timestamp()
);

-- How far the stream was read.
create table event_positions (
  consumer text primary key,
  position bigint not null
);

-- A role that works in the schema without owning it adds to the log and changes nothing in it. Tables made from the log
-- belong to that role: it may make them again and swap.
do $$
declare
  worker text;
  made text;
begin
  for worker in
    select distinct grantee::regrole::text from pg_namespace n, aclexplode(n.nspacl)
    where n.nspname = current_schema() and grantee not in (0, n.nspowner)
  loop
    execute format('revoke update, delete, truncate on events, log_batches, checkpoints, unprocessable_events from %s', worker);
    execute format('grant create on schema %I to %s', current_schema(), worker);
    foreach made in array array['transactions', 'dropped_transactions', 'settled_values', 'transaction_counts', 'page_anchors'] loop
      execute format('alter table %I owner to %s', made, worker);
    end loop;
  end loop;
end
$$;
