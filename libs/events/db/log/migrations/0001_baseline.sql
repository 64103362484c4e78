-- The event stream in Postgres. Producers may only call append; history may only read.
create table log (
  position bigint primary key,
  event_id uuid not null unique,
  agent_id uuid not null,
  payload bytea not null,
  published_at timestamptz not null default clock_timestamp()
);

create sequence log_position owned by log.position;

-- The roles that were let in, once: see functions/rights.sql.
create table publishers (role_name text primary key);
create table consumers (role_name text primary key);
-- The roles that may read the log beside its consumer.
create table readers (role_name text primary key);
