-- Returns the milliseconds until requests of a second leave the window: a minute after the end of that second.
create or replace function ms_until_freed(second bigint, now_at timestamptz) returns integer language sql as $$
  select greatest(1, ceil((coalesce(second, extract(epoch from now_at)) + 61 - extract(epoch from now_at)) * 1000))::integer
$$;
