-- Positions must become visible in their order, or a consumer that remembers a position would skip an event that
-- committed late: publishers take turns, and the position is drawn under the lock.
create or replace function append(event_ids uuid[], agent_ids uuid[], payloads bytea[]) returns void
language plpgsql security definer set search_path = events, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7214003);
  insert into log (position, event_id, agent_id, payload)
  select nextval('log_position'), e.event_id, e.agent_id, e.payload
  from (
    select event_id, agent_id, payload
    from unnest(event_ids, agent_ids, payloads) with ordinality as given (event_id, agent_id, payload, n)
    where not exists (select 1 from log where log.event_id = given.event_id)
    order by n
  ) as e;
end
$$;

revoke all on function append(uuid[], uuid[], bytea[]) from public;
