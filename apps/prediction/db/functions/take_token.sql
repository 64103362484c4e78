-- Takes tokens for a question, if the share of the bucket that is kept for others stays in it. Answers how long to wait
-- until that can be tried again, in milliseconds; 0 when they are taken.
create or replace function take_token(cost double precision, reserved_share double precision) returns integer
language plpgsql as $$
declare
  quota exchange_buckets := refill_bucket('read');
  missing double precision := cost + reserved_share * quota.capacity - quota.tokens;
begin
  if quota.paused_until > quota.counted_at then
    return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
  end if;
  if missing > 0 then
    return greatest(1, ceil(missing / quota.tokens_per_second * 1000));
  end if;
  update exchange_buckets set tokens = quota.tokens - cost, counted_at = quota.counted_at where bucket = 'read';
  return 0;
end
$$;
