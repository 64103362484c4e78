-- A record that comes back takes its old place, so the place is kept while it is away. Unknown for what was dropped
-- before this column was here: such a record comes back where the event that brings it says.
alter table dropped_transactions add column created_at timestamptz;

-- A list is what one filter shows: an agent's records of one action, or of all ('').
-- How many records each list has. A list that is empty may be missing.
create table transaction_counts (
  agent_id uuid not null,
  action text not null,
  total bigint not null,
  primary key (agent_id, action)
) with (fillfactor = 50);

-- Places in long lists: `before` records of the list are older than the place (created_at, id). A record may or may not
-- be there. A page begins at most a few hundred records away from one of these.
create table transaction_marks (
  agent_id uuid not null,
  action text not null,
  created_at timestamptz not null,
  id uuid not null,
  before bigint not null check (before >= 0),
  primary key (agent_id, action, created_at, id)
);

create index transaction_marks_by_rank on transaction_marks (agent_id, action, before);

-- Makes both tables anew from the records. Nothing may be written meanwhile.
create function count_transactions() returns void language plpgsql as $$
begin
  delete from transaction_counts;
  insert into transaction_counts (agent_id, action, total)
  select agent_id, coalesce(action, ''), count(*) from transactions
  group by grouping sets ((agent_id), (agent_id, action));

  delete from transaction_marks;
  insert into transaction_marks (agent_id, action, created_at, id, before)
  select agent_id, '', created_at, id, n
  from (
    select agent_id, created_at, id, row_number() over (partition by agent_id order by created_at, id) - 1 as n
    from transactions) t
  join transaction_counts c using (agent_id)
  where c.action = '' and n > 0 and n % 250 = 0 and c.total - n >= 250;
  insert into transaction_marks (agent_id, action, created_at, id, before)
  select agent_id, action, created_at, id, n
  from (
    select agent_id, action, created_at, id,
      row_number() over (partition by agent_id, action order by created_at, id) - 1 as n
    from transactions) t
  join transaction_counts c using (agent_id, action)
  where n > 0 and n % 250 = 0 and c.total - n >= 250;
end
$$;

select count_transactions();
