-- Puts an order into the queue. A tag is that of an order that had its slot and was not let in. An agent that left its share
-- of the last round unused comes before all who have had theirs, so that it waits for no round of theirs.
create or replace function enqueue(operation uuid, agent uuid, order_cost integer, known_tag bigint, waiting_replica uuid)
returns void language plpgsql as $$
declare
  -- Before all who wait with the same tag.
  start_tag bigint := known_tag - 1;
begin
  update exchange_queue set replica_id = waiting_replica, given_at = null, left_at = null where operation_id = operation;
  if found then
    return;
  end if;
  if start_tag is null then
    select greatest(q.served_tag - order_cost, coalesce(s.finish_tag, 0)) into start_tag
      from exchange_buckets q left join exchange_fair_shares s on s.agent_id = agent where q.bucket = 'write';
    insert into exchange_fair_shares (agent_id, finish_tag) values (agent, start_tag + order_cost)
      on conflict (agent_id) do update set finish_tag = excluded.finish_tag;
  end if;
  insert into exchange_queue (operation_id, agent_id, cost, tag, replica_id)
    values (operation, agent, order_cost, start_tag, waiting_replica);
end
$$;
