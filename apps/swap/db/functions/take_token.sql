-- Takes one question out of the allowance. Answers how long to wait until that can be tried again, in milliseconds; 0
-- when it is taken. Counters may be lost with the database's machine, so the commit does not wait for the disk.
create or replace function take_token(allowance integer) returns integer language plpgsql as $$
declare
  now_at timestamptz;
  this_second bigint;
  pause timestamptz;
  asked integer;
  oldest bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- The row is the turn: one copy counts at a time.
  select until_at into pause from aggregator_pauses where bucket = 'ask' for update;
  now_at := clock_timestamp();
  -- None is made longer than a minute: what is further away was made by another clock.
  if pause > now_at and pause <= now_at + interval '1 minute' then
    return ceil(extract(epoch from pause - now_at) * 1000);
  end if;
  this_second := floor(extract(epoch from now_at));
  delete from request_counts where second <= this_second - 61 or second > this_second + 1;
  select coalesce(sum(requests), 0), min(second) into asked, oldest from request_counts;
  if asked >= allowance then
    return greatest(1, (oldest + 61 - extract(epoch from now_at)) * 1000)::integer;
  end if;
  insert into request_counts as s (second, requests) values (this_second, 1)
    on conflict (second) do update set requests = s.requests + 1;
  return 0;
end
$$;
