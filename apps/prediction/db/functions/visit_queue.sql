-- One visit of a copy: its new orders enter the queue, those that no request waits for leave it, turns are given, and it
-- picks up its own. Entered is an array of {operationId, agentId, cost, tag}; gone are operations.
create or replace function visit_queue(visitor uuid, entered jsonb, gone uuid[])
returns table (wait_ms integer, given jsonb) language plpgsql as $$
declare
  now_at timestamptz;
  e jsonb;
begin
  -- The lock comes first: visits follow each other.
  now_at := (fill_quota('write')).counted_at;
  insert into exchange_copies (copy, seen_at) values (visitor, now_at)
    on conflict (copy) do update set seen_at = excluded.seen_at;
  for e in select value from jsonb_array_elements(entered) loop
    perform enter_turn((e->>'operationId')::uuid, (e->>'agentId')::uuid, (e->>'cost')::integer, (e->>'tag')::bigint,
      visitor);
  end loop;
  update exchange_turns set left_at = now_at where operation_id = any (gone) and copy = visitor and given_at is null;
  wait_ms := give_turns();
  with picked as (
    delete from exchange_turns where copy = visitor and given_at is not null returning operation_id, tag, arrival
  )
  select coalesce(
    jsonb_agg(jsonb_build_object('operationId', operation_id, 'tag', tag::text) order by tag, arrival), '[]')
    into given from picked;
  -- Turns that no copy comes back for.
  delete from exchange_turns where least(given_at, left_at) < now_at - interval '1 minute';
  delete from exchange_turns t using exchange_copies c
    where c.copy = t.copy and c.seen_at < now_at - interval '1 minute';
  delete from exchange_copies where seen_at < now_at - interval '1 minute';
  return next;
end
$$;
