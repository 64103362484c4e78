-- Returns for how many milliseconds a caller has to wait; 0 when it may take what it wants now. The caller holds the lock.
--
-- Real trades may use the whole allowance, dry runs together at most half of it. The last quarter of either is only for
-- agents below their equal share of it, where one seat more is counted than agents are active: so there is room for the
-- next that comes, also beside a single agent that trades. Real trades share no more than what dry runs have left. An agent
-- that asked for nothing yet has its first trade. A single agent's dry runs have all of their half. Dry runs keep out of the
-- last quarter of the whole allowance, too.
-- Waiters come in turns: real before dry, then the agent with the fewest requests of that kind, then the oldest. An agent
-- that has had its share while the last quarter is in use waits for its own requests to leave the window: so a crowd of
-- them asks once, and not again each moment, and others get through.
create or replace function wait_for_turn(
  waiter uuid, agent uuid, for_real boolean, wanted integer, allowance integer, now_at timestamptz
) returns integer language plpgsql as $$
declare
  -- A shield and an order, and a second order where an approved output asks for less slippage.
  one_trade constant integer := 3;
  -- Those before the caller sleep, and come in a moment or are dead.
  moment_ms constant integer := 50;
  pool constant integer := case when for_real then allowance else allowance / 2 end;
  free_of_all integer := allowance - allowance / 4;
  free_of_pool integer := pool - pool / 4;
  asked integer;
  asked_of_pool integer;
  asked_dry integer;
  share integer;
  own integer;
  oldest_own bigint;
  oldest bigint;
  oldest_of_pool bigint;
  others integer;
  turn integer;
  ahead integer;
  ahead_of_pool integer;
  is_full boolean;
begin
  select coalesce(sum(requests), 0), coalesce(sum(requests) filter (where for_real or not is_real), 0),
    min(second), min(second) filter (where for_real or not is_real), coalesce(sum(requests) filter (where not is_real), 0),
    coalesce(sum(requests) filter (where is_real = for_real and agent_id = agent), 0),
    min(second) filter (where is_real = for_real and agent_id = agent),
    count(distinct agent_id) filter (where is_real = for_real and agent_id <> agent)
    into asked, asked_of_pool, oldest, oldest_of_pool, asked_dry, own, oldest_own, others
    from request_counts;
  share := pool / (others + 2);
  if for_real then
    share := least(share, (allowance - asked_dry) / (others + 1));
  elsif others = 0 then
    share := pool;
  end if;
  -- No share can help where even the last quarter is used up, and none is needed before it while the queue is empty.
  is_full := asked + wanted > (case when for_real then allowance else free_of_all end);
  if is_full or asked_of_pool + wanted > pool then
    return ms_until_freed(case when is_full then oldest else oldest_of_pool end, now_at);
  elsif asked + wanted <= free_of_all and asked_of_pool + wanted <= free_of_pool
    and not exists (select 1 from aggregator_waiters where waiter_id <> waiter) then
    return 0;
  elsif own > 0 and own + wanted > share and asked_of_pool + wanted > free_of_pool then
    return ms_until_freed(oldest_own, now_at);
  end if;
  with counted as (
    select agent_id, is_real, sum(requests) as asked from request_counts group by agent_id, is_real
  ), waiting as (
    select waiter_id, agent_id, is_real, requests, came_at from aggregator_waiters
    union all select waiter, agent, for_real, wanted, now_at
      where not exists (select 1 from aggregator_waiters where waiter_id = waiter)
  ), queue as (
    -- As many as the agent will have asked when this one's turn comes.
    select w.*, coalesce(c.asked, 0) + coalesce(sum(w.requests) over (
        partition by w.agent_id, w.is_real order by w.came_at, w.waiter_id
        rows between unbounded preceding and 1 preceding
      ), 0) as turn
    from waiting w left join counted c using (agent_id, is_real)
  )
  select me.turn, coalesce(sum(q.requests), 0), coalesce(sum(q.requests) filter (where q.is_real = for_real), 0)
    into turn, ahead, ahead_of_pool
    from queue me left join queue q
      on (not q.is_real, q.turn, q.came_at, q.waiter_id) < (not me.is_real, me.turn, me.came_at, me.waiter_id)
    where me.waiter_id = waiter
    group by me.turn;
  if (turn = 0 and wanted <= one_trade) or turn + wanted <= share then
    free_of_pool := pool;
  end if;
  if for_real then
    free_of_all := free_of_pool;
  end if;
  if asked_of_pool + wanted > free_of_pool then
    return ms_until_freed(oldest_of_pool, now_at);
  elsif asked + ahead + wanted > free_of_all or asked_of_pool + ahead_of_pool + wanted > free_of_pool then
    return moment_ms;
  end if;
  return 0;
end
$$;
