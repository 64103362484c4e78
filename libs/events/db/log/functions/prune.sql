-- Forgets the oldest events of the log: at most so many, only up to a position, and only what is older than that. A
-- consumer calls it with the position that it has reached itself. The oldest stand at the lowest positions, so that
-- no index on their time is needed.
create or replace function prune(up_to bigint, older_than interval, max_count integer) returns integer
language plpgsql security definer set search_path = events, pg_temp as $$
declare
  forgotten integer;
begin
  delete from log where position in (
    select position from (
      select position, published_at from log where position <= up_to order by position limit max_count) as first
    where published_at < clock_timestamp() - older_than);
  get diagnostics forgotten = row_count;
  return forgotten;
end
$$;

revoke all on function prune(bigint, interval, integer) from public;
