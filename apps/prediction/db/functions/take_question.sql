-- Takes tokens for a question, if the share of the bucket that is kept for others stays in it. Answers how long to wait
-- until that can be tried again, in milliseconds; 0 when they are taken.
create or replace function take_question(cost double precision, kept_share double precision) returns integer
language plpgsql as $$
declare
  quota exchange_quotas := fill_quota('read');
  missing double precision := cost + kept_share * quota.capacity - quota.tokens;
begin
  if quota.paused_until > quota.counted_at then
    return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
  end if;
  if missing > 0 then
    return greatest(1, ceil(missing / quota.tokens_per_second * 1000));
  end if;
  update exchange_quotas set tokens = quota.tokens - cost, counted_at = quota.counted_at where bucket = 'read';
  return 0;
end
$$;
