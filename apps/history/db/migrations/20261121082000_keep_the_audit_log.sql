-- The record: every event once, in the order of the stream. Everything else here is made from it.
create table events (
  position bigint generated always as identity primary key,
  event_id uuid not null unique,
  agent_id uuid not null,
  occurred_at timestamptz not null,
  payload bytea not null
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end
$$;

create trigger events_are_append_only before update or delete or truncate on events
for each statement execute function refuse_change();

-- What agents read: one row an operation, as its latest revision has it. The room left in each page lets a new revision
-- stay there, so that no index has to learn where it went.
create table transactions (
  id uuid primary key,
  agent_id uuid not null,
  revision bigint not null,
  action text not null,
  status text not null,
  asset text not null,
  -- base units, up to a u64
  amount numeric(20, 0),
  decimals int not null,
  recipient text not null,
  signature text not null,
  -- a JSON object as its owner wrote it: jsonb would not keep every number's text
  metadata text not null,
  created_at timestamptz not null
) with (fillfactor = 70);

create index transactions_by_agent on transactions (agent_id, created_at desc, id desc);
create index transactions_by_agent_and_action on transactions (agent_id, action, created_at desc, id desc);

-- Events that could not be read, for a person to look at. The ids are what the transport said, whatever that was.
create table dead_events (
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
