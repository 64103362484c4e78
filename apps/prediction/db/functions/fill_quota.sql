-- Fills a bucket up to now and locks it: the lock on the row is the turn to count.
create or replace function fill_quota(which text) returns exchange_quotas language plpgsql as $$
declare
  quota exchange_quotas;
  now_at timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  select * into strict quota from exchange_quotas where bucket = which for update;
  now_at := quota_now();
  quota.tokens := least(quota.capacity,
    quota.tokens + quota.tokens_per_second * greatest(0, extract(epoch from now_at - quota.counted_at)));
  quota.counted_at := now_at;
  return quota;
end
$$;
