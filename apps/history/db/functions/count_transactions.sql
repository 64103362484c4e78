-- Fills `transaction_counts` and `page_anchors` again from the records. Nothing may be written meanwhile.
create or replace function count_transactions() returns void language plpgsql as $$
begin
  delete from transaction_counts;
  insert into transaction_counts (agent_id, action, total)
  select agent_id, coalesce(action, ''), count(*) from transactions
  group by grouping sets ((agent_id), (agent_id, action));

  delete from page_anchors;
  insert into page_anchors (agent_id, action, created_at, id, before)
  select agent_id, '', created_at, id, n
  from (
    select agent_id, created_at, id, row_number() over (partition by agent_id order by created_at, id) - 1 as n
    from transactions) t
  join transaction_counts c using (agent_id)
  where c.action = '' and n > 0 and n % 250 = 0 and c.total - n >= 250;
  insert into page_anchors (agent_id, action, created_at, id, before)
  select agent_id, action, created_at, id, n
  from (
    select agent_id, action, created_at, id,
      row_number() over (partition by agent_id, action order by created_at, id) - 1 as n
    from transactions) t
  join transaction_counts c using (agent_id, action)
  where n > 0 and n % 250 = 0 and c.total - n >= 250;
end
$$;
