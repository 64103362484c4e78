-- Gives turns away in order, as many as there are tokens for, of all copies.
-- Answers for how long there is nothing to give, in milliseconds; null when no turn waits.
create or replace function give_turns() returns integer language plpgsql as $$
declare
  quota exchange_quotas := fill_quota('write');
  next_turn exchange_turns;
  wait integer;
begin
  if quota.paused_until > quota.counted_at then
    return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
  end if;
  loop
    select t.* into next_turn from exchange_turns t join exchange_copies c using (copy)
      where t.given_at is null and t.left_at is null and c.seen_at > quota.counted_at - interval '2 seconds'
      order by t.tag, t.arrival limit 1;
    exit when not found;
    if quota.tokens < next_turn.cost then
      wait := greatest(1, ceil((next_turn.cost - quota.tokens) / quota.tokens_per_second * 1000));
      exit;
    end if;
    quota.tokens := quota.tokens - next_turn.cost;
    quota.served_tag := greatest(quota.served_tag, next_turn.tag);
    update exchange_turns set given_at = quota.counted_at where operation_id = next_turn.operation_id;
  end loop;
  update exchange_quotas set tokens = quota.tokens, counted_at = quota.counted_at, served_tag = quota.served_tag
    where bucket = 'write';
  delete from exchange_shares where finish_tag <= quota.served_tag;
  return wait;
end
$$;
