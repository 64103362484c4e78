-- Takes requests out of the allowance for an agent, all that are wanted or none. Answers how long to wait until that can
-- be tried again, in milliseconds; 0 when they are taken. A caller with enough patience for the wait keeps its place under
-- its waiter's id. Counters may be lost with the database's machine, so the commit does not wait for the disk.
create or replace function take_requests(
  waiter uuid, agent uuid, for_real boolean, wanted integer, allowance integer, patience_ms integer
) returns integer language plpgsql as $$
declare
  now_at timestamptz;
  pause timestamptz;
  this_second bigint;
  wait_ms integer;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- The row is the turn: one copy counts at a time.
  select until_at into pause from aggregator_pauses where bucket = 'ask' for update;
  now_at := clock_timestamp();
  this_second := floor(extract(epoch from now_at));
  -- Dead waiters, and those of a clock that was ahead: patience is a matter of seconds.
  delete from aggregator_waiters
    where waiter_id <> waiter and (expires_at <= now_at or expires_at > now_at + interval '10 seconds');
  delete from request_counts where second <= this_second - 61 or second > this_second + 1;
  -- None is made longer than a minute: what is further away was made by another clock.
  if pause > now_at and pause <= now_at + interval '1 minute' then
    wait_ms := ceil(extract(epoch from pause - now_at) * 1000);
  else
    wait_ms := wait_for_turn(waiter, agent, for_real, wanted, allowance, now_at);
  end if;
  if wait_ms = 0 then
    insert into request_counts as s (second, agent_id, is_real, requests) values (this_second, agent, for_real, wanted)
      on conflict (second, agent_id, is_real) do update set requests = s.requests + excluded.requests;
  end if;
  if wait_ms between 1 and patience_ms then
    insert into aggregator_waiters as w (waiter_id, agent_id, is_real, requests, came_at, expires_at)
      values (waiter, agent, for_real, wanted, now_at, now_at + (wait_ms + 500) * interval '1 millisecond')
      on conflict (waiter_id) do update set expires_at = excluded.expires_at;
  else
    delete from aggregator_waiters where waiter_id = waiter;
  end if;
  return wait_ms;
end
$$;
