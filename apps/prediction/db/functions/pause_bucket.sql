-- The exchange said that it was asked too often: all replicas leave it alone for a moment, longer each time that it says so
-- again soon after. Returns for how long, in milliseconds.
create or replace function pause_bucket(which text) returns integer language plpgsql as $$
declare
  quota exchange_buckets := refill_bucket(which);
begin
  -- Several replicas get that answer at once.
  if quota.paused_until <= quota.counted_at then
    quota.pauses := case when quota.paused_until < quota.counted_at - interval '10 seconds' then 0
      else least(quota.pauses + 1, 4) end;
    quota.paused_until := quota.counted_at + interval '250 milliseconds' * 2 ^ quota.pauses;
    update exchange_buckets set tokens = 0, counted_at = quota.counted_at, paused_until = quota.paused_until,
      pauses = quota.pauses where bucket = which;
  end if;
  return ceil(extract(epoch from quota.paused_until - quota.counted_at) * 1000);
end
$$;
