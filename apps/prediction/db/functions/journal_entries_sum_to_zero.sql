-- Which of the sums that must be zero a line belongs to.
create or replace function ledger_of(line entry_line) returns text immutable language sql as $$
  select case
    when line.kind in ('outstanding', 'settling', 'position', 'position_locked') then line.side || ':' || line.ticker
    when line.kind in ('position_cost', 'agent_positions') then 'cost'
    else 'money'
  end
$$;

-- Entries balance in money, in cost, and in the contracts of each side of each market.
create or replace function is_balanced(lines entry_line[]) returns boolean immutable language sql as $$
  select cardinality(lines) > 1
  and not exists (
    select from unnest(lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    where l.kind is null or l.agent_id is null or l.operation_id is null or l.ticker is null or l.side is null
      or l.amount is null)
  and not exists (
    select from unnest(lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    group by ledger_of(row(l.kind, l.agent_id, l.operation_id, l.ticker, l.side, l.amount)::entry_line)
    having sum(l.amount) <> 0)
$$;

create or replace function refuse_unbalanced() returns trigger
  language plpgsql set search_path = prediction, pg_temp as $$
begin
  if not is_balanced(new.lines) then
    raise exception 'the lines of entry % violate journal_entries_sum_to_zero', new.key
      using errcode = 'check_violation', constraint = 'journal_entries_sum_to_zero', table = tg_table_name, schema = tg_table_schema;
  end if;
  return new;
end
$$;
