-- The time for which a value counts to a limit: the agent's, the sponsor's or the treasury's. Every start and end of a
-- window comes from the two functions below.
create or replace function window_length() returns interval language sql immutable as $$ select interval '24 hours' $$;

-- The start of the window that ends at a time: what was spent after it counts.
create or replace function window_start(at timestamptz) returns timestamptz
language sql stable as $$ select at - policy.window_length() $$;

-- When something that counts since a time counts no more.
create or replace function leaves_window(counted_since timestamptz) returns timestamptz
language sql stable as $$ select counted_since + policy.window_length() $$;

-- From when on something counts that landed: its block time, with two minutes for a chain whose clock is slow, and now at
-- the latest. Without a block time it counts from now.
create or replace function counts_from(landed_at timestamptz, at timestamptz) returns timestamptz
language sql immutable as $$ select least(at, landed_at + interval '2 minutes') $$;

create or replace function settled_between(agent uuid, after timestamptz, up_to timestamptz) returns bigint
language sql stable as $$
  select coalesce(sum(value_usd_micros), 0)::bigint from policy.reservations
  where agent_id = agent and state = 'settled' and settled_at > after and settled_at <= up_to
$$;

-- How much the sum of settled values changes when its start moves: less what leaves it, plus what comes back.
create or replace function settled_shift(agent uuid, old_start timestamptz, new_start timestamptz) returns bigint
language plpgsql stable as $$
begin
  if new_start > old_start then
    return -policy.settled_between(agent, old_start, new_start);
  end if;
  return policy.settled_between(agent, new_start, old_start);
end
$$;

-- When the oldest counted value leaves the window. What is reserved may settle at any time from now on, and leaves it a
-- window's length later. Null when nothing counts.
create or replace function resets_at(agent uuid, window_start timestamptz, reserved_usd_micros bigint)
returns timestamptz language sql stable as $$
  select coalesce(policy.leaves_window(min(settled_at)),
    case when reserved_usd_micros > 0 then policy.leaves_window(policy.leaves_window(window_start)) end)
  from policy.reservations
  where agent_id = agent and state = 'settled' and settled_at > window_start and value_usd_micros > 0
$$;

-- When a value would fit into the daily limit, if what is reserved settled at the window's end and nothing else were spent;
-- null when the value alone exceeds the limit.
create or replace function fits_at(
  agent uuid, window_start timestamptz, reserved_usd_micros bigint, value_usd_micros bigint, daily_limit_usd_micros bigint
) returns timestamptz language sql stable as $$
  select case when value_usd_micros <= daily_limit_usd_micros then coalesce((
    select policy.leaves_window(min(settled_at))
    from (
      -- What is left in the window when a settled value has left it.
      select r.settled_at, coalesce(sum(r.value_usd_micros) over (
          order by r.settled_at desc groups between unbounded preceding and 1 preceding), 0) as left_usd_micros
      from policy.reservations r
      where r.agent_id = agent and r.state = 'settled' and r.settled_at > window_start and r.value_usd_micros > 0
    ) as leaving
    where left_usd_micros + fits_at.reserved_usd_micros + fits_at.value_usd_micros <= daily_limit_usd_micros
  ), policy.leaves_window(policy.leaves_window(window_start))) end
$$;
