set local statement_timeout = 0;

-- How far each agent's chain has grown. A head only ever moves on.
create table chain_heads (
  agent_id uuid primary key,
  size bigint not null check (size > 0),
  hash bytea not null check (octet_length(hash) = 32)
) with (fillfactor = 70);

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

-- The record anew, with a place in its agent's chain for each event, and positions without gaps. Hashes are as
-- libs/contracts/src/audit/chain.ts makes them.
create table chained_events (
  position bigint not null,
  event_id uuid not null,
  agent_id uuid not null,
  occurred_at timestamptz not null,
  agent_seq bigint not null,
  previous_hash bytea not null check (octet_length(previous_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  payload bytea not null
);

do $$
declare
  nothing constant bytea := decode(repeat('00', 32), 'hex');
  event record;
  batch record;
  agent uuid;
  previous bytea;
  own bytea;
begin
  for event in
    select row_number() over (order by position) as place, row_number() over (partition by agent_id order by position) as seq,
      event_id, agent_id, occurred_at, payload
    from events order by agent_id, position
  loop
    if agent is distinct from event.agent_id then
      previous := nothing;
    end if;
    agent := event.agent_id;
    own := sha256(convert_to(E'agentwallet/event/v1\n', 'UTF8') || previous || int8send(event.seq)
      || uuid_send(event.agent_id) || uuid_send(event.event_id) || event.payload);
    insert into chained_events
    values (event.place, event.event_id, event.agent_id, event.occurred_at, event.seq, previous, own, event.payload);
    previous := own;
  end loop;

  previous := nothing;
  for batch in
    select min(position) as first, max(position) as last, count(*)::int as size, string_agg(hash, ''::bytea order by position) as hashes
    from chained_events group by (position - 1) / 500 order by 1
  loop
    previous := sha256(convert_to(E'agentwallet/log/v1\n', 'UTF8') || previous || int8send(batch.first)
      || int4send(batch.size) || batch.hashes);
    insert into log_batches values (batch.last, previous);
  end loop;
end
$$;

insert into chain_heads
select distinct on (agent_id) agent_id, agent_seq, hash from chained_events order by agent_id, agent_seq desc;

drop table events;
alter table chained_events rename to events;
alter table events add primary key (position);
alter table events add constraint events_event_id_key unique (event_id);
alter table events add constraint events_agent_id_agent_seq_key unique (agent_id, agent_seq);

create trigger events_are_append_only before update or delete or truncate on events
for each statement execute function refuse_change();
create trigger batches_are_append_only before update or delete or truncate on log_batches
for each statement execute function refuse_change();
create trigger checkpoints_are_append_only before update or delete or truncate on checkpoints
for each statement execute function refuse_change();
create trigger heads_stay before delete or truncate on chain_heads
for each statement execute function refuse_change();
create trigger heads_only_grow before update on chain_heads
for each row when (new.size <= old.size or new.agent_id <> old.agent_id) execute function refuse_change();
