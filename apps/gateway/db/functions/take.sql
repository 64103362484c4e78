-- Counts one request in a window and says where it stands now.
create or replace function take(window_key text, window_length interval, now_at timestamptz)
returns table (taken integer, resets_at timestamptz) language sql as $$
  insert into rate_windows as w (key, taken, resets_at) values (window_key, 1, now_at + window_length)
  on conflict (key) do update set
    taken = case when w.resets_at <= now_at then 1 else least(w.taken, 1000000) + 1 end,
    resets_at = case when w.resets_at <= now_at then now_at + window_length else w.resets_at end
  returning taken, resets_at
$$;
