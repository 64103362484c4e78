-- Grants slots in order, as many as there are tokens for, of all replicas.
-- Returns for how long there is nothing to grant, in milliseconds; null when no order waits.
create or replace function grant_slots() returns integer language plpgsql as $$
declare
  quota exchange_buckets := refill_bucket('write');
  next_slot exchange_queue;
  wait integer;
begin
  if quota.paused_until > quota.counted_at then
    return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
  end if;
  loop
    select t.* into next_slot from exchange_queue t join exchange_replicas c using (replica_id)
      where t.given_at is null and t.left_at is null and c.seen_at > quota.counted_at - interval '2 seconds'
      order by t.tag, t.arrival limit 1;
    exit when not found;
    if quota.tokens < next_slot.cost then
      wait := greatest(1, ceil((next_slot.cost - quota.tokens) / quota.tokens_per_second * 1000));
      exit;
    end if;
    quota.tokens := quota.tokens - next_slot.cost;
    quota.served_tag := greatest(quota.served_tag, next_slot.tag);
    update exchange_queue set given_at = quota.counted_at where operation_id = next_slot.operation_id;
  end loop;
  update exchange_buckets set tokens = quota.tokens, counted_at = quota.counted_at, served_tag = quota.served_tag
    where bucket = 'write';
  -- Further back than any order's cost, an agent's share makes no difference.
  delete from exchange_fair_shares where finish_tag <= quota.served_tag - 100;
  return wait;
end
$$;
