-- One poll of a replica: its new orders enter the queue, those that no request waits for leave it, slots are granted, and
-- it picks up its own. Entered is an array of {operationId, agentId, cost, tag}; gone are operations.
create or replace function poll_queue(visitor uuid, entered jsonb, gone uuid[])
returns table (wait_ms integer, given jsonb) language plpgsql as $$
declare
  now_at timestamptz;
  e jsonb;
begin
  -- The lock comes first: polls follow each other.
  now_at := (refill_bucket('write')).counted_at;
  insert into exchange_replicas (replica_id, seen_at) values (visitor, now_at)
    on conflict (replica_id) do update set seen_at = excluded.seen_at;
  for e in select value from jsonb_array_elements(entered) loop
    perform enqueue((e->>'operationId')::uuid, (e->>'agentId')::uuid, (e->>'cost')::integer, (e->>'tag')::bigint,
      visitor);
  end loop;
  update exchange_queue set left_at = now_at where operation_id = any (gone) and replica_id = visitor and given_at is null;
  wait_ms := grant_slots();
  with picked as (
    delete from exchange_queue where replica_id = visitor and given_at is not null returning operation_id, tag, arrival
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('operationId', operation_id, 'tag', tag::text) order by tag, arrival), '[]')
    into given from picked;
  -- Slots that no replica comes back for.
  delete from exchange_queue where least(given_at, left_at) < now_at - interval '1 minute';
  delete from exchange_queue t using exchange_replicas c
    where c.replica_id = t.replica_id and c.seen_at < now_at - interval '1 minute';
  delete from exchange_replicas where seen_at < now_at - interval '1 minute';
  return next;
end
$$;
