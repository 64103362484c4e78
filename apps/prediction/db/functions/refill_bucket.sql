-- Fills a bucket up to now and locks it: the lock on the row is the turn to count.
create or replace function refill_bucket(which text) returns exchange_buckets language plpgsql as $$
declare
  quota exchange_buckets;
  now_at timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  select * into strict quota from exchange_buckets where bucket = which for update;
  now_at := bucket_now();
  quota.tokens := least(quota.capacity,
    quota.tokens + quota.tokens_per_second * greatest(0, extract(epoch from now_at - quota.counted_at)));
  quota.counted_at := now_at;
  return quota;
end
$$;
