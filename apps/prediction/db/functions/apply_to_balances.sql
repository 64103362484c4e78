create or replace function apply_to_balances() returns trigger
  language plpgsql security definer set search_path = prediction, pg_temp as $$
declare
  line record;
begin
  -- One after the other in the order of their kinds, so that no two entries wait for each other in a circle. The
  -- sum of a new account is inserted only when there is none to change: a check looks at the inserted row, too.
  for line in
    select l.kind, l.agent_id, l.operation_id, l.ticker, l.side, sum(l.amount)::bigint as amount
    from unnest(new.lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    where not is_operators(l.kind)
    group by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
    order by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
  loop
    loop
      update accounts a set balance = a.balance + line.amount, entry_id = new.id
      where (a.agent_id, a.kind, a.operation_id, a.ticker, a.side)
        = (line.agent_id, line.kind, line.operation_id, line.ticker, line.side);
      exit when found;
      insert into accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
      values (line.kind, line.agent_id, line.operation_id, line.ticker, line.side, line.amount, new.id)
      on conflict do nothing;
      exit when found;
    end loop;
    -- The accounts of an operation or of a market end empty; the journal remembers them. Found by their key, however many
    -- accounts there are.
    if line.operation_id <> '00000000-0000-0000-0000-000000000000' or line.ticker <> '' then
      delete from accounts a
      where (a.agent_id, a.kind, a.operation_id, a.ticker, a.side)
        = (line.agent_id, line.kind, line.operation_id, line.ticker, line.side) and a.balance = 0;
    end if;
  end loop;
  return null;
end
$$;
