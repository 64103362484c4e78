-- Moves the oldest events of the caller's outbox to the log, in their order: at most so many, and so many bytes unless the
-- first alone is larger; none while another replica does. In one transaction, so that an event is always in one of the two
-- places. Answers how many.
create or replace function move_outbox(lock_class integer, lock_name text, max_count integer, max_bytes bigint) returns integer
language plpgsql as $$
declare
  event_ids uuid[];
  agent_ids uuid[];
  payloads bytea[];
begin
  if not pg_try_advisory_xact_lock(lock_class, hashtext(lock_name)) then
    return 0;
  end if;
  -- A statement of its own: its snapshot is younger than the lock.
  with first as (
    select id, octet_length(payload) as size from outbox order by id limit max_count),
  counted as (
    select id, sum(size) over (order by id) as bytes, row_number() over (order by id) as n from first),
  moved as (
    delete from outbox using counted where outbox.id = counted.id and (bytes <= max_bytes or n = 1)
    returning outbox.id, event_id, agent_id, payload)
  select array_agg(event_id order by id), array_agg(agent_id order by id), array_agg(payload order by id)
  into event_ids, agent_ids, payloads from moved;
  if event_ids is null then
    return 0;
  end if;
  perform events.append(event_ids, agent_ids, payloads);
  return cardinality(event_ids);
end
$$;

revoke all on function move_outbox(integer, text, integer, bigint) from public;
