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

-- When the oldest settled value leaves the window; null when nothing is in it.
create or replace function resets_at(agent uuid, window_start timestamptz) returns timestamptz language sql stable as $$
  select min(settled_at) + interval '24 hours' from policy.reservations
  where agent_id = agent and state = 'settled' and settled_at > window_start and value_usd_micros > 0
$$;
